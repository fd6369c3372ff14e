//! Keeps up with changes to the keys by other processes.

use crate::{
    Result,
    context::{Context, change::Change},
    domain::data_key::Trigger,
};

/// Reads the data keys again. If this process can't decrypt an added key, it records that in the key's row, so that the
/// key isn't activated.
pub(crate) async fn keep_up(context: &Context) -> Result<()> {
    context.store.vault.reload().await?;
    let unopened = context.store.vault.unopened();
    if unopened.is_empty() {
        return Ok(());
    }
    context
        .change(
            "keys.unopened",
            || context.store.data_keys(),
            |keys| {
                let mut change = Change::none();
                for found in keys.iter().filter(|found| unopened.contains(&found.row.id)) {
                    let trigger = Trigger::Unopened(context.host.process);
                    if let Some(key) = found.row.on(trigger, found.read_at)? {
                        change = change.update(key, found.version);
                    }
                }
                Ok((change, ()))
            },
        )
        .await
}
