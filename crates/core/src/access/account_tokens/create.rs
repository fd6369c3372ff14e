//! Makes an account token.

use jiff::{SignedDuration, Timestamp};
use secrecy::ExposeSecret as _;

use super::PREFIX;
use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    context::{Context, change::Change},
    digest::Digest,
    domain::{AccountRef, AccountToken, readiness::account_ready},
    identifier::AccountTokenId,
    resource::{IssuedAccountToken, NewAccountToken},
    scope::ScopeName,
    state::TokenAccess,
};

/// Life in seconds where none is asked for, and the shortest and the longest.
const LIFE: u32 = 3600;
const SHORTEST: u32 = 60;
const LONGEST: u32 = 86_400;

/// Makes a token for an account that can be called.
pub(crate) async fn create(context: &Context, new: NewAccountToken) -> Result<IssuedAccountToken> {
    let client_id = match context.caller.as_ref() {
        Caller::Application(application) => Some(application.client_id.clone()),
        Caller::AccountToken(_) | Caller::McpSession(_) => {
            return Err(Error::new(
                ErrorKind::InsufficientScope,
                "an account token or an MCP session makes no account tokens",
            ));
        }
        Caller::Operator | Caller::Member(_) | Caller::User | Caller::Stead => None,
    };
    let seconds = new.expires_in.unwrap_or(LIFE);
    if !(SHORTEST..=LONGEST).contains(&seconds) {
        return Err(Error::invalid_at(
            "/expires_in",
            format!("an account token lives {SHORTEST} to {LONGEST} seconds"),
        ));
    }
    let of = AccountRef::new(&new.connection_name, &new.identifier)?;
    let (connection, account) = context.account_rows(&of).await?;
    let product = context.endpoints(&connection.row.product)?.product;
    // It gives no more than its maker has.
    let scope = match new.access {
        TokenAccess::Read => ScopeName::ProxyRead,
        TokenAccess::Write => ScopeName::ProxyWrite,
    };
    context.caller.check_for(scope, product.name)?;
    account_ready(product, &connection.row, &account.row)?;
    let token = context.new_secret(PREFIX);
    let now = context.now();
    let life = SignedDuration::from_secs(i64::from(seconds));
    let row = AccountToken {
        id: AccountTokenId::from_uuid(context.new_id()),
        token: Digest::of(token.expose_secret()),
        account_id: account.row.id,
        disconnections: account.row.disconnections,
        client_id,
        access: new.access,
        created_at: now,
        expires_at: now.checked_add(life).unwrap_or(Timestamp::MAX),
    };
    let issued = IssuedAccountToken {
        token,
        token_id: row.id,
        connection_name: of.connection,
        identifier: of.identifier,
        access: row.access,
        expires_at: row.expires_at,
        proxy_url: context
            .proxy_url
            .as_ref()
            .map(|url| url.as_str().trim_end_matches('/').to_owned()),
    };
    let exists = Error::new(ErrorKind::Internal, "two tokens are the same");
    let created = row
        .audit("account_token.created", Some(&connection.row.name))
        .fact("expires_at", row.expires_at.to_string());
    let created = Change::none().audit(created).insert(row);
    context.add("account_token.create", created, exists).await?;
    Ok(issued)
}
