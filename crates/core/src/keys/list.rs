//! Lists the keys, and how many rows each has encrypted.

use super::{usage::usage, view};
use crate::{
    Result,
    context::Context,
    resource::{self, ListKeys},
};

/// The keys. With `count_rows`, also the number of rows that each has encrypted, which reads every row with a secret.
pub(crate) async fn list(context: &Context, list: ListKeys) -> Result<resource::Keys> {
    let count_rows = list.count.count_rows;
    context.store.vault.reload().await?;
    let keys = context.store.data_keys().await?;
    let ids: Vec<_> = keys.iter().map(|found| found.row.id).collect();
    let usage = match count_rows {
        true => usage(context, &ids).await?,
        false => Default::default(),
    };
    let job = context.store.reencryption_job().await?;
    let views = keys.iter().map(|found| {
        let rows = usage.get(&found.row.id).copied();
        view(&found.row, found.read_at, rows)
    });
    Ok(resource::Keys {
        ring: context.store.vault.ring(),
        data_keys: views.collect(),
        reencryption: job.map(|found| found.row.reached.shown()),
    })
}
