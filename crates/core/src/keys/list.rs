//! The keys, and what each has sealed.

use super::{usage::usage, view};
use crate::{Result, context::Context, resource};

/// The keys, with how many rows each has sealed.
pub(crate) async fn list(context: &Context) -> Result<resource::Keys> {
    context.vault.reload().await?;
    let keys = context.store.data_keys().await?;
    let ids: Vec<_> = keys.iter().map(|found| found.row.id).collect();
    let usage = usage(context, &ids).await?;
    let views = keys.iter().map(|found| {
        let rows = usage.get(&found.row.id).copied().unwrap_or_default();
        view(&found.row, rows, found.read_at)
    });
    Ok(resource::Keys {
        ring: context.vault.ring(),
        data_keys: views.collect(),
    })
}
