//! Destroys a data key that isn't used any more.

use super::{load, usage::usage, view};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::data_key::Trigger,
    resource::{self, RetireKey},
};

/// Destroys a data key if no row of the store and no record of the spool is encrypted with it. Backups still are. They
/// can be decrypted with the ring key that encrypted this data key.
pub(crate) async fn retire(context: &Context, retire: RetireKey) -> Result<resource::DataKey> {
    let key_id = retire.key_id.as_str();
    let (retired, now) = context
        .change(
            "keys.retire",
            || async {
                let (mut keys, named) = load(context, key_id).await?;
                let found = keys.swap_remove(named);
                // The key was replaced before this count, so nothing can be encrypted with it afterwards.
                let usage = usage(context, &[found.row.id]).await?;
                Ok((found, usage))
            },
            |(found, usage)| {
                let retired = found.row.on(Trigger::Retired, found.read_at)?;
                let Some(retired) = retired else {
                    return Ok((Change::none(), (found.row, found.read_at)));
                };
                let rows = usage.values().sum::<u64>();
                if rows > 0 {
                    let why = format!(
                        "{rows} rows are still encrypted with it; re-encrypt them first (`stead keys reencrypt`)"
                    );
                    return Err(found.row.refused(&why));
                }
                let change = Change::none()
                    .event(retired.event("key.retired"))
                    .audit(retired.audit("key.retired"))
                    .update(retired.clone(), found.version);
                Ok((change, (retired, found.read_at)))
            },
        )
        .await?;
    context.store.vault.reload().await?;
    Ok(view(&retired, now, None))
}
