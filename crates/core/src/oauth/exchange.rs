use std::time::Duration;

use oauth2::{AuthorizationCode, PkceCodeVerifier};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::{
    callback::FinishedAuthorization,
    client::{Granted, TokenEndpoint, TokenFailure, oauth_client},
    end::end,
    link::verifier_place,
    revoke::discard,
    subject::subject,
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, Verification},
    domain::authorization::{completed, ended, expired, verifying},
    domain::{
        Account, Authorization, AuthorizationState, Connection, Credential, PendingCredential,
    },
    domain::{
        account::{account_resource, activate},
        credential::shredded,
    },
    identifier::{AuthorizationId, Identifier},
    product::{Permissions, Product},
    resource,
    state::AccountState,
    store::{Batch, Commit, Versioned},
};

/// How long tokens just obtained are offered to a store that does not take them.
const COMMIT_PATIENCE: Duration = Duration::from_secs(40);

/// Exchanges a code and keeps the tokens: in quarantine where the application has to confirm, else as the account's
/// credential. A code is never sent twice.
pub(super) async fn exchange(
    context: &Context,
    connection: Connection,
    authorization: Versioned<Authorization>,
    code: SecretString,
) -> Result<FinishedAuthorization> {
    let product = context.endpoints_of(&connection)?.product;
    let granted = match granted_for_code(context, &connection, &authorization.row, &code).await {
        Ok(granted) => granted,
        Err((error, reason)) => {
            let _ = end(context, authorization, AuthorizationState::Failed, reason).await;
            return Err(error);
        }
    };
    let asked = &authorization.row.scopes;
    let granted_scopes = granted.scopes.clone().unwrap_or_else(|| asked.clone());
    let quarantine = PendingCredential {
        generation: 0,
        missing_scopes: missing(product, asked, &granted_scopes),
        granted_scopes,
        subject: subject(product.oauth.subject, &granted.members),
        token_expires_at: granted.tokens.expires_at(),
    };
    let (authorization, account) =
        keep_in_quarantine(context, authorization, quarantine, &granted).await?;
    let row = &authorization.row;
    let finished = |account_state| FinishedAuthorization {
        authorization_id: row.id,
        product_title: product.title,
        return_to: return_to(row),
        account_state,
    };
    if context.verification == Verification::Application {
        return Ok(finished(account.state));
    }
    let done = finished(AccountState::Active);
    promote(context, &connection, authorization).await?;
    Ok(done)
}

async fn granted_for_code(
    context: &Context,
    connection: &Connection,
    authorization: &Authorization,
    code: &SecretString,
) -> Result<Granted, (Error, &'static str)> {
    let internal = |error| (error, "exchange_not_possible");
    let product = context.endpoints_of(connection).map_err(internal)?.product;
    let endpoints = authorization
        .endpoints
        .as_ref()
        .ok_or_else(|| internal(expired()))?;
    let client = oauth_client(context, product, connection, endpoints).map_err(internal)?;
    let mut request = client.exchange_code(AuthorizationCode::new(code.expose_secret().to_owned()));
    if let Some(sealed) = &authorization.verifier {
        let verifier = context
            .vault
            .open_sealed(verifier_place(authorization.id), sealed)
            .map_err(internal)?;
        request = request.set_pkce_verifier(PkceCodeVerifier::new(
            String::from_utf8_lossy(&verifier).into_owned(),
        ));
    }
    let endpoint = TokenEndpoint::new(context, product);
    let sent_at = context.now();
    let answer = endpoint
        .read(request.request_async(&endpoint).await)
        .map_err(failed)?;
    Granted::read(&answer, product, sent_at, None).map_err(internal)
}

/// Inserts the tokens as a new generation that no call selects. A store that does not answer is asked for a while:
/// the code is spent, so these tokens will not come again.
async fn keep_in_quarantine(
    context: &Context,
    authorization: Versioned<Authorization>,
    quarantine: PendingCredential,
    granted: &Granted,
) -> Result<(Versioned<Authorization>, Account)> {
    let began = context.monotonic();
    let mut pause = Duration::from_millis(50);
    loop {
        match try_keep_in_quarantine(context, &authorization, &quarantine, granted).await {
            Ok(Some(kept)) => return Ok(kept),
            Ok(None) => {}
            Err(error)
                if error.kind() == ErrorKind::StorageUnavailable
                    && context.monotonic().saturating_sub(began) < COMMIT_PATIENCE =>
            {
                context.runtime.sleep(pause).await;
                pause = (pause * 2).min(Duration::from_secs(2));
            }
            Err(error) => return Err(error),
        }
    }
}

/// One attempt; `None` on a conflict that another attempt can pass.
async fn try_keep_in_quarantine(
    context: &Context,
    authorization: &Versioned<Authorization>,
    quarantine: &PendingCredential,
    granted: &Granted,
) -> Result<Option<(Versioned<Authorization>, Account)>> {
    let gone = || {
        Error::new(
            ErrorKind::AuthorizationExpired,
            "the account was deleted meanwhile; ask for a new link",
        )
    };
    let account = context
        .store
        .account(authorization.row.account_id)
        .await?
        .ok_or_else(gone)?;
    let current = context.authorization_row(authorization.row.id).await?;
    if current.version != authorization.version {
        discard(context, &account.row, &granted.tokens).await;
        return Err(expired());
    }
    let refusal = if account.row.state == AccountState::Disconnected {
        Some((
            Error::new(
                ErrorKind::AuthorizationExpired,
                "the account was disconnected meanwhile; ask for a new link",
            ),
            "disconnected",
        ))
    } else {
        switched(&account.row, quarantine, &authorization.row)
            .map(|error| (error, "product_account_mismatch"))
    };
    if let Some((error, reason)) = refusal {
        let _ = end(context, current, AuthorizationState::Failed, reason).await?;
        discard(context, &account.row, &granted.tokens).await;
        return Err(error);
    }
    let mut row = account.row.clone();
    row.last_generation += 1;
    row.updated_at = context.now();
    let waits = row.state == AccountState::PendingAuthorization
        && context.verification == Verification::Application;
    if waits {
        row.state = AccountState::PendingVerification;
    }
    let credential = Credential {
        account_id: row.id,
        generation: row.last_generation,
        sealed: Some(
            granted
                .tokens
                .seal(&context.vault, &row, row.last_generation)?,
        ),
        held_by: Some(authorization.row.id),
        created_at: context.now(),
    };
    let mut next = verifying(&authorization.row, context.now());
    next.quarantine = Some(PendingCredential {
        generation: row.last_generation,
        ..quarantine.clone()
    });
    let mut batch = Batch::new()
        .update(row.clone(), account.version)
        .insert(credential)
        .update(next.clone(), authorization.version);
    if waits {
        batch = batch.insert(context.account_event("account.verification_required", &row));
    }
    if context.store.commit(batch).await? == Commit::Conflict {
        return Ok(None);
    }
    let kept = Versioned {
        row: next,
        version: authorization.version + 1,
        read_at: authorization.read_at,
    };
    Ok(Some((kept, row)))
}

/// Confirms that the user who came back is the one whom the link was made for.
///
/// # Errors
/// [`ErrorKind::AuthorizationNotFound`] where nothing waits for a word, [`ErrorKind::IdentifierMismatch`], which
/// ends the authorization and revokes its tokens, [`ErrorKind::AuthorizationExpired`].
pub(crate) async fn verify(
    context: &Context,
    authorization_id: &str,
    identifier: &str,
) -> Result<resource::Account> {
    let unknown = || {
        Error::new(
            ErrorKind::AuthorizationNotFound,
            "no authorization with this id waits to be verified",
        )
    };
    let id: AuthorizationId = authorization_id.parse().map_err(|_| unknown())?;
    let identifier = Identifier::new(identifier)?;
    context.detached(|context| async move {
        loop {
            let authorization = context.store.authorization(id).await?.ok_or_else(unknown)?;
            match authorization.row.state {
                AuthorizationState::Verifying => {}
                AuthorizationState::Completed => {
                    return Err(Error::new(ErrorKind::AuthorizationConsumed, "this authorization was verified already"));
                }
                AuthorizationState::Expired => return Err(expired()),
                _ => return Err(unknown()),
            }
            let ending = if authorization.row.expires_at <= context.now() {
                Some((AuthorizationState::Expired, "verification_timeout", expired()))
            } else if authorization.row.identifier != identifier {
                let mismatch = Error::new(
                    ErrorKind::IdentifierMismatch,
                    "the link was made for another identifier; the authorization is ended and its tokens are destroyed",
                );
                Some((AuthorizationState::Failed, "identifier_mismatch", mismatch))
            } else {
                None
            };
            if let Some((state, reason, error)) = ending {
                match end(&context, authorization, state, reason).await? {
                    Commit::Committed => return Err(error),
                    Commit::Conflict => continue,
                }
            }
            let connection = context.connection_by_id(authorization.row.connection_id).await?.row;
            let account = promote(&context, &connection, authorization).await?;
            return Ok(account_resource(&connection, account));
        }
    })
    .await?
}

/// Makes a quarantined credential the account's current one. Keeps the one before, shreds older ones, and ends the
/// account's other authorizations that wait to be confirmed, with theirs.
async fn promote(
    context: &Context,
    connection: &Connection,
    authorization: Versioned<Authorization>,
) -> Result<Account> {
    let quarantine = authorization.row.quarantine.clone().ok_or_else(expired)?;
    loop {
        let account = context.store.account(authorization.row.account_id).await?;
        let Some(account) =
            account.filter(|account| account.row.state != AccountState::Disconnected)
        else {
            let _ = end(
                context,
                authorization,
                AuthorizationState::Failed,
                "disconnected",
            )
            .await?;
            return Err(Error::new(
                ErrorKind::AuthorizationExpired,
                "the account was disconnected meanwhile; ask for a new link",
            ));
        };
        let (row, event) = activate(&account.row, &quarantine, context.now());
        let mut batch = Batch::new()
            .update(row.clone(), account.version)
            .update(completed(&authorization.row), authorization.version)
            .insert(context.account_event(event, &row));
        for sibling in context.store.authorizations(row.id, 50).await? {
            if sibling.row.id != authorization.row.id
                && sibling.row.state == AuthorizationState::Verifying
            {
                let superseded = ended(
                    &sibling.row,
                    AuthorizationState::Superseded,
                    "another was confirmed",
                );
                batch = batch.update(superseded, sibling.version);
            }
        }
        let mut promoted = false;
        for credential in context.store.credentials(row.id).await? {
            let Versioned {
                row: kept, version, ..
            } = credential;
            if kept.generation == quarantine.generation {
                promoted = true;
                batch = batch.update(
                    Credential {
                        held_by: None,
                        ..kept
                    },
                    version,
                );
            } else if kept.generation == account.row.generation {
                // Its grant has been replaced: no refresh may bring it back.
                batch = batch.update(
                    Credential {
                        held_by: Some(authorization.row.id),
                        ..kept
                    },
                    version,
                );
            } else {
                batch = batch.update(shredded(&kept), version);
            }
        }
        if !promoted {
            let _ = end(
                context,
                authorization,
                AuthorizationState::Superseded,
                "another was confirmed",
            )
            .await?;
            return Err(Error::new(
                ErrorKind::AuthorizationConsumed,
                "another authorization of this account was confirmed meanwhile",
            ));
        }
        if context.store.commit(batch).await? == Commit::Committed {
            context
                .snapshots
                .forget(connection.name.as_str(), row.identifier.as_str());
            return Ok(row);
        }
        // Either the account changed, and the loop decides anew, or somebody else finished this authorization.
        if context
            .authorization_row(authorization.row.id)
            .await?
            .version
            != authorization.version
        {
            return Err(Error::new(
                ErrorKind::AuthorizationConsumed,
                "this authorization was finished already",
            ));
        }
    }
}

/// A re-authorization with another account of the product than before, where that is not allowed.
fn switched(
    account: &Account,
    quarantine: &PendingCredential,
    authorization: &Authorization,
) -> Option<Error> {
    let (before, now) = (account.subject.as_ref()?, quarantine.subject.as_ref()?);
    (before.id != now.id && !authorization.allow_account_switch).then(|| {
        Error::new(
            ErrorKind::ProductAccountMismatch,
            "this is another account of the product than the one connected before; the connection stays as it was",
        )
    })
}

/// Where the user cannot choose, a scope that the answer leaves out is not missing.
fn missing(product: &Product, asked: &[String], granted: &[String]) -> Vec<String> {
    if !matches!(product.oauth.permissions, Permissions::Scopes { .. }) {
        return Vec::new();
    }
    asked
        .iter()
        .filter(|scope| !granted.contains(scope) && scope.as_str() != "openid")
        .cloned()
        .collect()
}

fn return_to(row: &Authorization) -> Option<String> {
    let mut url = Url::parse(row.verify_url.as_deref()?).ok()?;
    url.query_pairs_mut()
        .append_pair("authorization_id", &row.id.to_string());
    if let Some(state) = &row.app_state {
        url.query_pairs_mut().append_pair("state", state);
    }
    Some(url.into())
}

fn failed(failure: TokenFailure) -> (Error, &'static str) {
    let (kind, message, said, reason) = match failure {
        TokenFailure::Rejected(said) => (
            ErrorKind::AuthorizationFailed,
            "the product refuses the code; ask for a new link",
            said,
            "exchange_rejected",
        ),
        TokenFailure::Client(said) => (
            ErrorKind::ConnectionCredentialsRejected,
            "the product refuses the connection's client id or secret; its developer has to act",
            said,
            "client_rejected",
        ),
        TokenFailure::Misconfigured(said) => (
            ErrorKind::AuthorizationFailed,
            "the product refuses this application's request; its developer has to act",
            said,
            "exchange_refused",
        ),
        TokenFailure::Temporary(said) => (
            ErrorKind::AuthorizationFailed,
            "the product could not complete this just now; ask for a new link",
            said,
            "exchange_failed",
        ),
        TokenFailure::Unanswered(said) => (
            ErrorKind::AuthorizationFailed,
            "the product's answer was lost; ask for a new link",
            said,
            "exchange_outcome_unknown",
        ),
    };
    (
        Error::new(kind, message).with_context("product_message", said),
        reason,
    )
}

#[cfg(test)]
mod tests;
