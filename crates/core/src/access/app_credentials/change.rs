//! Changes a credential's name, scopes, rate, connections and policy.

use super::{check_name, elevated, read_connections, read_policy, read_rate, read_scopes, row};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::{AppCredential, CredentialChanges},
    resource::{self, ChangeAppCredential},
    store::Versioned,
};

/// Changes a credential. Its tokens get the new permissions within 1 s.
pub(crate) async fn change(
    context: &Context,
    ChangeAppCredential { client_id, change }: ChangeAppCredential,
) -> Result<resource::AppCredential> {
    let client_id = client_id.as_str();
    if let Some(name) = &change.name {
        check_name(name)?;
    }
    let scopes = change.scopes.as_deref();
    let changes = CredentialChanges {
        scopes: scopes
            .map(|words| read_scopes(context, words))
            .transpose()?,
        rate_per_minute: match change.rate_per_minute {
            None => None,
            given => Some(read_rate(given)?),
        },
        connections: match &change.connections {
            Some(names) => Some(read_connections(context, names).await?),
            None => None,
        },
        policy: match &change.policy {
            None => None,
            Some(name) => {
                let found = read_policy(context, Some(name.as_str())).await?;
                Some(found.map(|found| found.row.name))
            }
        },
        name: change.name,
    };
    if let Some(scopes) = &changes.scopes {
        context.caller.check_all(scopes)?;
    }
    let now = context.host.now();
    let after = context
        .change(
            "credential.change",
            || row(context, client_id),
            |Versioned { row, version, .. }: Versioned<AppCredential>| {
                context.caller.check_all(&row.scopes())?;
                let Some(after) = row.changed(&changes, now) else {
                    return Ok((Change::none(), row));
                };
                let changed = Change::none()
                    .event(after.event("app_credential.changed"))
                    .events(elevated(&after, &row.scopes()))
                    .audit(
                        after
                            .audit("app_credential.changed")
                            .fact("scopes", after.scopes().words())
                            .fact("connections", after.connections.to_texts())
                            .fact("policy", after.policy.clone()),
                    )
                    .update(after.clone(), version);
                Ok((changed, after))
            },
        )
        .await?;
    context.memory.access_tokens.forget(client_id);
    Ok(after.shown_at(now))
}
