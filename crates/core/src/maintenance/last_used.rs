//! Stores when credentials were last used. It does so periodically, and never while a request waits.

use jiff::SignedDuration;

use crate::{
    Result,
    context::{Context, change::Change},
    domain::AppCredential,
    store::Versioned,
};

/// Minimum time between two updates of a credential's last use.
const EVERY: SignedDuration = SignedDuration::from_hours(1);

/// Stores the uses that this process has recorded since the last time. If that fails, records them again.
pub(super) async fn keep(context: &Context) -> Result<()> {
    let now = context.host.now();
    for (client_id, times) in context.memory.access_tokens.take_used() {
        let load = || context.store.app_credential(&client_id);
        let decide = |found: Option<Versioned<AppCredential>>| {
            // The credential may have been revoked in the meantime.
            let Some(Versioned { row, version, .. }) = found else {
                return Ok((Change::none(), ()));
            };
            let live = row.live_secrets(now);
            let is_due = |(id, at): &(String, _)| {
                let before = live.iter().find(|secret| secret.id == *id);
                let before = before.and_then(|secret| secret.last_used_at);
                before.is_none_or(|before| EVERY <= jiff::Timestamp::duration_since(*at, before))
            };
            let due: Vec<_> = times.iter().filter(|time| is_due(time)).cloned().collect();
            let after = row.used(&due, now);
            let used = after.map(|after| Change::none().update(after, version));
            Ok((used.unwrap_or_default(), ()))
        };
        if let Err(error) = context.change("credential.used", load, decide).await {
            for (secret_id, at) in times {
                context
                    .memory
                    .access_tokens
                    .note_use(&client_id, &secret_id, at);
            }
            return Err(error);
        }
    }
    Ok(())
}
