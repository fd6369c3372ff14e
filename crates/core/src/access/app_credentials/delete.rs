//! Revokes a credential: it is removed, and nothing that was made with it serves any more.

use super::row;
use crate::{
    Result,
    context::{Context, change::Change},
    domain::AppCredential,
    store::{Records, Versioned},
};

/// Revokes a credential with its secrets and tokens: in this process at once, in others within 1 s. A caller may revoke
/// one that may do more than itself: that only takes away.
pub(crate) async fn delete(context: &Context, client_id: &str) -> Result<()> {
    context
        .change(
            "credential.revoke",
            || row(context, client_id),
            |found: Versioned<AppCredential>| {
                let revoked = Change::none()
                    .event(found.row.event("app_credential.revoked"))
                    .audit(found.row.audit("app_credential.revoked"))
                    .delete(Records::app_credential_key(client_id), found.version);
                Ok((revoked, ()))
            },
        )
        .await?;
    context.access_tokens.forget(client_id);
    Ok(())
}
