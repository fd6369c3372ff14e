//! Exchanges a code, and stores the tokens until the user is confirmed.

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use url::Url;

use super::{
    activate::activate,
    client_health::note_client,
    end::end,
    subject::subject_of,
    token_endpoint::{Granted, NoTokens, TokenFailure, request_tokens},
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, Verification, change::Change},
    domain::{
        Account, Authorization, Connection, Credential, PendingCredential, Subject, account,
        authorization::{CLIENT_CHANGED, End, Trigger, Why, client_changed, expired},
        scopes::missing_scopes,
    },
    identifier::AuthorizationId,
    product::Product,
    sealed::{Sealed, place},
    state::{AccountState, ConnectionHealth},
    store::Versioned,
};

/// State of an authorization after the browser's return.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FinishedAuthorization {
    /// Authorization.
    pub authorization_id: AuthorizationId,
    /// Name of the product for people.
    pub product_title: &'static str,
    /// URL that the browser goes to next: the application's `verify_url` with `authorization_id` and `state`.
    pub return_to: Option<String>,
    /// State of the account: active, or waiting for the application's confirmation.
    pub account_state: AccountState,
    /// Scopes that the link requested but the user didn't grant.
    pub missing_scopes: Vec<String>,
    /// The user's name at the product, such as an email address.
    pub product_user: Option<String>,
}

/// An authorization with its connection and account, and the new tokens for the account's next generation.
type Loaded = (
    Versioned<Authorization>,
    Versioned<Connection>,
    Versioned<Account>,
    Sealed<place::Tokens>,
);

/// Exchanges a code and stores the tokens. They are pending if the application needs to confirm the user; otherwise,
/// they become the account's credential. Stead never sends a code twice.
pub(super) async fn exchange(
    context: &Context,
    connection: Connection,
    authorization: Authorization,
    code: SecretString,
) -> Result<FinishedAuthorization> {
    let product = context.endpoints_of(&connection)?.product;
    if authorization.is_of_other_client(&connection) {
        let is_returned = Authorization::is_returned;
        let _ = end(
            context,
            authorization.id,
            is_returned,
            End::Failed,
            CLIENT_CHANGED,
        )
        .await?;
        return Err(client_changed());
    }
    let granted = match granted_for_code(context, &connection, &authorization, &code).await {
        Ok(granted) => granted,
        Err(none) => {
            let (error, reason) = match none {
                NoTokens::Failure(failure, said, _) => {
                    if failure == TokenFailure::Client {
                        note_client(context, &connection, ConnectionHealth::ClientRejected).await;
                    }
                    failed(failure, said)
                }
                NoTokens::Error(error) => (error, "exchange_not_possible"),
            };
            let _ = end(
                context,
                authorization.id,
                Authorization::is_returned,
                End::Failed,
                Why::of(reason, &error),
            )
            .await;
            return Err(error);
        }
    };
    note_client(context, &connection, ConnectionHealth::ClientOk).await;
    let user = user_of(
        context,
        product,
        &connection,
        &authorization,
        &granted.members,
    );
    let subject = match user {
        Ok(subject) => subject,
        Err(error) => {
            return not_kept(context, &authorization, "id_token_refused", error).await;
        }
    };
    let asked = &authorization.scopes;
    let granted_scopes = granted.scopes.clone().unwrap_or_else(|| asked.clone());
    let pending = PendingCredential {
        generation: 0,
        missing_scopes: missing_scopes(product, asked, &granted_scopes),
        granted_scopes,
        subject,
        client_epoch: granted.tokens.client_epoch(),
        token_expires_at: granted.tokens.expires_at(),
        reauthorize_by: granted.reauthorize_by,
    };
    let mut account_state = keep_pending(context, &authorization, &pending, &granted).await?;
    if !by_application(context, &authorization) {
        activate(context, authorization.id).await?;
        account_state = AccountState::Active;
    }
    Ok(FinishedAuthorization {
        authorization_id: authorization.id,
        product_title: product.title,
        return_to: return_to(&authorization),
        account_state,
        missing_scopes: pending.missing_scopes,
        product_user: pending.subject.and_then(|subject| subject.display),
    })
}

async fn granted_for_code(
    context: &Context,
    connection: &Connection,
    authorization: &Authorization,
    code: &SecretString,
) -> Result<Granted, NoTokens> {
    let product = context.endpoints_of(connection)?.product;
    let endpoints = authorization.endpoints.as_ref().ok_or_else(expired)?;
    let redirect_uri = context.site.redirect_uri(connection.id);
    let verifier = match &authorization.verifier {
        Some(sealed) => {
            let place = place::Verifier(authorization.id);
            Some(context.store.vault.open(&place, sealed).await?)
        }
        None => None,
    };
    let verifier = verifier
        .as_deref()
        .map(|bytes| String::from_utf8_lossy(bytes));
    let mut grant = vec![
        ("grant_type", "authorization_code"),
        ("code", code.expose_secret()),
        ("redirect_uri", redirect_uri.as_str()),
    ];
    if let Some(verifier) = &verifier {
        grant.push(("code_verifier", verifier));
    }
    grant.extend(product.oauth.code_parameters);
    request_tokens(context, product, connection, &endpoints.token, &grant, None).await
}

/// Inserts the tokens as a new generation that no call uses yet, and returns the account's state. If the store doesn't
/// respond, Stead retries for a while, because the code can't be exchanged again.
async fn keep_pending(
    context: &Context,
    authorization: &Authorization,
    pending: &PendingCredential,
    granted: &Granted,
) -> Result<AccountState> {
    let id = authorization.id;
    let kept = context
        .change_patiently(
            "exchange.keep",
            || load(context, id, granted),
            |loaded| decide(context, loaded, pending),
        )
        .await;
    let error = match kept {
        Ok(account) => return Ok(account.state),
        Err(error) if error.kind() == ErrorKind::StorageUnavailable => {
            tracing::error!(authorization = %id, account = %authorization.account_id, %error, "the tokens of a new authorization couldn't be stored and are lost; the user needs to open a new link");
            return Err(error);
        }
        Err(error) => error,
    };
    // Only this callback could consume the state. If the authorization has advanced, this callback's commit succeeded
    // although it looked lost.
    let now = context.authorization_row(id).await?.row;
    if now.is_verifying() || now.is_completed() {
        return Ok(context.existing_account(now.account_id).await?.row.state);
    }
    let reason = match error.kind() {
        ErrorKind::ProductAccountMismatch => "product_account_mismatch",
        _ if error.context().contains_key("reason") => CLIENT_CHANGED,
        _ => "disconnected",
    };
    not_kept(context, authorization, reason, error).await
}

/// Ends an authorization whose tokens aren't stored.
async fn not_kept<T>(
    context: &Context,
    authorization: &Authorization,
    reason: &str,
    error: Error,
) -> Result<T> {
    let (id, why) = (authorization.id, Why::of(reason, &error));
    let _ = end(context, id, Authorization::is_returned, End::Failed, why).await?;
    Err(error)
}

/// Whether the application confirms the user. The setting at the time of the link's creation counts.
fn by_application(context: &Context, authorization: &Authorization) -> bool {
    let environment = context.site.verification == Verification::Application;
    authorization.by_application.unwrap_or(environment)
}

/// The user at the product, if the product's response identifies them reliably.
fn user_of(
    context: &Context,
    product: &Product,
    connection: &Connection,
    authorization: &Authorization,
    members: &Map<String, Value>,
) -> Result<Option<Subject>> {
    let asked = authorization
        .endpoints
        .as_ref()
        .and_then(|endpoints| endpoints.issuer.as_deref());
    let now = context.host.now();
    subject_of(product, connection, asked, members, now).map_err(|why| {
        tracing::warn!(authorization = %authorization.id, %why, "the ID token was refused");
        let message = format!("the product's ID token can't be accepted: {why}");
        Error::new(ErrorKind::AuthorizationFailed, message)
            .with_context("product_message", format!("ID token: {why}"))
    })
}

async fn load(context: &Context, id: AuthorizationId, granted: &Granted) -> Result<Loaded> {
    let authorization = context.authorization_row(id).await?;
    let connection = context
        .connection_by_id(authorization.row.connection_id)
        .await?;
    let account = context
        .existing_account(authorization.row.account_id)
        .await?;
    let generation = account.row.last_generation + 1;
    let sealed = granted
        .tokens
        .seal(&context.store.vault, &account.row, generation)?;
    Ok((authorization, connection, account, sealed))
}

fn decide(
    context: &Context,
    (authorization, connection, account, sealed): Loaded,
    pending: &PendingCredential,
) -> Result<(Change, Account)> {
    let now = context.host.now();
    if pending.client_epoch != connection.row.client_epoch {
        return Err(client_changed());
    }
    let trigger = account::Trigger::CredentialPending {
        by_application: by_application(context, &authorization.row),
    };
    let generation = account.row.last_generation + 1;
    let exchanged = Trigger::Exchanged(PendingCredential {
        generation,
        ..pending.clone()
    });
    let verifying = authorization.row.on(exchanged, now)?.ok_or_else(expired)?;
    let changed = account.row.on(trigger, now)?.ok_or_else(expired)?;
    account
        .row
        .same_subject(pending, authorization.row.allow_account_switch)?;
    let credential = Credential {
        account_id: account.row.id,
        generation,
        sealed: Some(sealed),
        pending_for: Some(authorization.row.id),
        client_epoch: pending.client_epoch,
        sent_at: None,
        created_at: now,
        extra: Default::default(),
    };
    let after = changed.0.clone();
    let change = Change::none()
        .guard(connection.row.id, connection.version)
        .account(Some(changed), account.row.state, account.version)
        .insert(credential)
        .authorization(Some(verifying), authorization.version);
    Ok((change, after))
}

pub(super) fn return_to(row: &Authorization) -> Option<String> {
    let mut url = Url::parse(row.verify_url.as_deref()?).ok()?;
    url.query_pairs_mut()
        .append_pair("authorization_id", &row.id.to_string());
    if let Some(state) = &row.app_state {
        url.query_pairs_mut().append_pair("state", state);
    }
    Some(url.into())
}

fn failed(failure: TokenFailure, said: String) -> (Error, &'static str) {
    let (message, reason) = match failure {
        TokenFailure::Rejected => (
            "the product refuses the code; ask for a new link",
            "exchange_rejected",
        ),
        TokenFailure::Client => (
            "the product refuses the connection's client ID or secret; its developer needs to fix it",
            "client_rejected",
        ),
        TokenFailure::Misconfigured => (
            "the product refuses this application's request; its developer needs to fix it",
            "exchange_refused",
        ),
        TokenFailure::Temporary => (
            "the product couldn't complete this right now; ask for a new link",
            "exchange_failed",
        ),
        TokenFailure::Unanswered => (
            "the product's response was lost; ask for a new link",
            "exchange_outcome_unknown",
        ),
    };
    let kind = match failure {
        TokenFailure::Client => ErrorKind::ConnectionCredentialsRejected,
        _ => ErrorKind::AuthorizationFailed,
    };
    let error = Error::new(kind, message).with_context("product_message", said);
    (error, reason)
}

#[cfg(test)]
mod tests;
