//! Gives a credential another secret, and takes one away.

use jiff::SignedDuration;

use super::{new_secret, read::view, row};
use crate::{
    Error, Result,
    context::{Context, change::Change},
    domain::AppCredential,
    resource::{self, IssuedAppSecret, SecretRotation},
    store::Versioned,
};

/// How long the present secret still serves, where nothing else is said: a day of deployments.
const OLD_SERVES: u32 = 86_400;
/// For how long it may serve at most.
const OLD_SERVES_AT_MOST: u32 = 90 * 86_400;

/// Adds a secret; the present one ends later, with the tokens made with it.
pub(crate) async fn rotate(
    context: &Context,
    client_id: &str,
    rotation: SecretRotation,
) -> Result<IssuedAppSecret> {
    let seconds = rotation.old_expires_in.unwrap_or(OLD_SERVES);
    if seconds > OLD_SERVES_AT_MOST {
        let message = format!("expected a number from 0 to {OLD_SERVES_AT_MOST}");
        return Err(Error::invalid_at("/old_expires_in", message));
    }
    let now = context.now();
    let older_end = now
        .checked_add(SignedDuration::from_secs(seconds.into()))
        .unwrap_or(now);
    let (client_secret, secret) = new_secret(context);
    let after = context
        .change(
            "credential.rotate",
            || row(context, client_id),
            |Versioned { row, version, .. }: Versioned<AppCredential>| {
                // A secret of a credential that may do more would be a way around the caller's own scopes.
                context.caller.check_all(&row.scopes())?;
                let after = row.rotated(secret.clone(), older_end, now)?;
                let rotated = Change::none()
                    .event(after.event("app_credential.rotated"))
                    .audit(
                        after
                            .audit("app_credential.rotated")
                            .fact("secret_id", secret.id.as_str()),
                    )
                    .update(after.clone(), version);
                Ok((rotated, after))
            },
        )
        .await?;
    context.access_tokens.forget(client_id);
    Ok(IssuedAppSecret {
        credential: view(&after, now),
        secret_id: secret.id,
        client_secret,
    })
}

/// Ends one of two secrets at once, with the tokens made with it.
pub(crate) async fn revoke_secret(
    context: &Context,
    client_id: &str,
    secret_id: &str,
) -> Result<resource::AppCredential> {
    let now = context.now();
    let after = context
        .change(
            "credential.revoke_secret",
            || row(context, client_id),
            |Versioned { row, version, .. }: Versioned<AppCredential>| {
                let after = row.without_secret(secret_id, now)?;
                let revoked = Change::none()
                    .event(after.event("app_credential.secret_revoked"))
                    .audit(
                        after
                            .audit("app_credential.secret_revoked")
                            .fact("secret_id", secret_id),
                    )
                    .update(after.clone(), version);
                Ok((revoked, after))
            },
        )
        .await?;
    context.access_tokens.forget(client_id);
    Ok(view(&after, now))
}
