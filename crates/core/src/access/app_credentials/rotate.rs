//! Adds a secret to a credential, or revokes one.

use jiff::SignedDuration;

use super::{new_secret, row};
use crate::{
    Error, Result,
    context::{Context, change::Change},
    domain::AppCredential,
    resource::{self, IssuedAppSecret, RevokeAppSecret, RotateAppCredential},
    store::Versioned,
};

/// Default time in seconds for which the current secret still works: a day to deploy the new one.
const OLD_SERVES: u32 = 86_400;
/// Maximum of that time.
const OLD_SERVES_AT_MOST: u32 = 90 * 86_400;

/// Adds a secret. The current one expires later, together with the tokens created with it.
pub(crate) async fn rotate(
    context: &Context,
    RotateAppCredential {
        client_id,
        rotation,
    }: RotateAppCredential,
) -> Result<IssuedAppSecret> {
    let client_id = client_id.as_str();
    let seconds = rotation.old_expires_in.unwrap_or(OLD_SERVES);
    if seconds > OLD_SERVES_AT_MOST {
        let message = format!("expected a number from 0 to {OLD_SERVES_AT_MOST}");
        return Err(Error::invalid_at("/old_expires_in", message));
    }
    let now = context.host.now();
    let older_end = now
        .checked_add(SignedDuration::from_secs(seconds.into()))
        .unwrap_or(now);
    let (client_secret, secret) = new_secret(context);
    let after = context
        .change(
            "credential.rotate",
            || row(context, client_id),
            |Versioned { row, version, .. }: Versioned<AppCredential>| {
                // A new secret for a credential with more scopes would bypass the caller's own scopes.
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
    context.memory.access_tokens.forget(client_id);
    Ok(IssuedAppSecret {
        credential: after.shown_at(now),
        secret_id: secret.id,
        client_secret,
    })
}

/// Revokes one of two secrets immediately, with the tokens created with it.
pub(crate) async fn revoke_secret(
    context: &Context,
    RevokeAppSecret {
        client_id,
        secret_id,
    }: RevokeAppSecret,
) -> Result<resource::AppCredential> {
    let (client_id, secret_id) = (client_id.as_str(), secret_id.as_str());
    let now = context.host.now();
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
    context.memory.access_tokens.forget(client_id);
    Ok(after.shown_at(now))
}
