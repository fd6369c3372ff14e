//! Revokes a credential. It's deleted, and its tokens stop working.

use super::row;
use crate::{
    Result,
    context::{Context, change::Change},
    domain::AppCredential,
    resource::DeleteAppCredential,
    store::{Records, Versioned},
};

/// Revokes a credential with its secrets and tokens: immediately in this process, within 1 s in others. A caller can
/// revoke a credential with more permissions than its own, because that only reduces access.
pub(crate) async fn delete(context: &Context, delete: DeleteAppCredential) -> Result<()> {
    let client_id = delete.client_id.as_str();
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
    context.memory.access_tokens.forget(client_id);
    Ok(())
}
