//! Creates an account token.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use secrecy::ExposeSecret as _;

use super::PREFIX;
use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    context::{Context, change::Change},
    digest::Digest,
    domain::{AccountRef, AccountToken, TokenAccount, readiness::account_ready},
    identifier::{AccountTokenId, ConnectionName, Identifier},
    resource::{IssuedAccountToken, NewAccountToken},
    scope::ScopeName,
    state::TokenAccess,
};

/// The accounts that a token is for.
struct Accounts {
    identifier: Identifier,
    connections: Vec<ConnectionName>,
    accounts: Vec<TokenAccount>,
}

/// Finds the accounts, and checks that each can be called, and by this caller.
async fn accounts(context: &Context, new: &NewAccountToken) -> Result<Accounts> {
    // A token gives no more than its maker has.
    let scope = match new.access {
        TokenAccess::Read => ScopeName::ProxyRead,
        TokenAccess::Write => ScopeName::ProxyWrite,
    };
    let mut found = Accounts {
        identifier: Identifier::new(&new.identifier)?,
        connections: Vec::new(),
        accounts: Vec::new(),
    };
    let mut products = BTreeMap::new();
    let first = (!new.connection_name.is_empty())
        .then(|| (String::from("/connection_name"), &new.connection_name));
    let more = new.connections.iter().enumerate();
    let more = more.map(|(at, name)| (format!("/connections/{at}"), name));
    for (pointer, name) in first.into_iter().chain(more) {
        let of = AccountRef::new(name, &new.identifier)?;
        if found.connections.contains(&of.connection) {
            continue;
        }
        let (connection, account) = context.account_rows(&of).await?;
        let product = context.products.endpoints(&connection.row.product)?.product;
        context.caller.check_for(scope, product.name)?;
        account_ready(product, &connection.row, &account.row)?;
        if let Some(other) = products.insert(product.name, of.connection.clone()) {
            let title = product.title;
            return Err(Error::invalid_at(
                pointer,
                format!(
                    "{other} is also a connection of {title}, and a path doesn't say which one you mean; create two tokens"
                ),
            ));
        }
        found.connections.push(of.connection);
        found.accounts.push(TokenAccount::of(&account.row));
    }
    Ok(found)
}

/// Default lifetime in seconds, then the minimum and the maximum.
const LIFE: u32 = 3600;
const SHORTEST: u32 = 60;
const LONGEST: u32 = 86_400;

/// Creates a token for accounts that can be called.
pub(crate) async fn create(context: &Context, new: NewAccountToken) -> Result<IssuedAccountToken> {
    let client_id = match context.caller.as_ref() {
        Caller::Application(application) => Some(application.client_id.clone()),
        Caller::AccountToken(_) | Caller::McpSession(_) => {
            return Err(Error::new(
                ErrorKind::InsufficientScope,
                "an account token or an MCP session can't create account tokens; use the application's own token",
            ));
        }
        Caller::Operator | Caller::Member(_) | Caller::User | Caller::Stead => None,
    };
    let seconds = new.expires_in.unwrap_or(LIFE);
    if !(SHORTEST..=LONGEST).contains(&seconds) {
        return Err(Error::invalid_at(
            "/expires_in",
            format!("expected {SHORTEST} to {LONGEST} seconds, the lifetime of an account token"),
        ));
    }
    let Accounts {
        identifier,
        connections,
        accounts,
    } = accounts(context, &new).await?;
    let [first, others @ ..] = accounts.as_slice() else {
        return Err(Error::invalid_at(
            "/connection_name",
            "give a connection here, or several in connections",
        ));
    };
    let token = context.host.new_secret(PREFIX);
    let now = context.host.now();
    let life = SignedDuration::from_secs(i64::from(seconds));
    let row = AccountToken {
        id: AccountTokenId::from_uuid(context.host.new_id()),
        token: Digest::of(token.expose_secret()),
        account_id: first.account_id,
        disconnections: first.disconnections,
        others: others.to_vec(),
        client_id,
        access: new.access,
        created_at: now,
        expires_at: now.checked_add(life).unwrap_or(Timestamp::MAX),
    };
    let issued = IssuedAccountToken {
        token,
        token_id: row.id,
        connection_name: connections[0].clone(),
        connections: connections.clone(),
        identifier,
        access: row.access,
        expires_at: row.expires_at,
        proxy_url: context
            .site
            .proxy_url
            .as_ref()
            .map(|url| url.as_str().trim_end_matches('/').to_owned()),
    };
    let exists = Error::new(ErrorKind::Internal, "two tokens are the same");
    let created = row
        .audit("account_token.created", connections.first())
        .fact("expires_at", row.expires_at.to_string());
    let created = match connections.as_slice() {
        [_] => created,
        several => {
            let names: Vec<&str> = several.iter().map(ConnectionName::as_str).collect();
            created.fact("connections", names)
        }
    };
    let created = Change::none().audit(created).insert(row);
    context.add("account_token.create", created, exists).await?;
    Ok(issued)
}
