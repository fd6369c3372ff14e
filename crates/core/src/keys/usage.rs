//! Counts the rows that each data key has encrypted.

use std::collections::BTreeMap;

use crate::{
    Result,
    context::Context,
    identifier::DataKeyId,
    seal::data_keys_in,
    store::{AUTHENTICATED, TABLES, Table},
};

/// Rows that are read together.
const PAGE: u32 = 500;

/// Number of rows with a secret that a key has encrypted.
pub(super) type Usage = BTreeMap<DataKeyId, u64>;

/// Number of rows of the store and records of the spool that each of these keys has encrypted. Works on the stored
/// bytes, so even unreadable rows count.
pub(super) async fn usage(context: &Context, keys: &[DataKeyId]) -> Result<Usage> {
    let mut usage: Usage = keys.iter().map(|key| (*key, 0)).collect();
    let mut count = |body: &str| {
        let mut found: Vec<_> = data_keys_in(body).collect();
        found.sort_unstable();
        found.dedup();
        for key in found {
            if let Some(rows) = usage.get_mut(&key) {
                *rows += 1;
            }
        }
    };
    for table in tables() {
        let mut after = None;
        loop {
            let (rows, next) = context.store.rows(table, after, PAGE).await?;
            rows.iter().for_each(|found| count(&found.row.body));
            after = next;
            if after.is_none() {
                break;
            }
        }
    }
    if let Some(spool) = &context.store.spool {
        for (_, record) in spool.list().await? {
            count(&String::from_utf8_lossy(&record));
        }
    }
    Ok(usage)
}

/// The tables whose rows have secrets or a MAC.
pub(super) fn tables() -> impl Iterator<Item = &'static Table> {
    let is_sealed = |table: &&Table| table.sealed || AUTHENTICATED.contains(table);
    let sealed = TABLES.iter().copied().filter(is_sealed);
    // Keys of the ring encrypt its secrets.
    sealed.filter(|table| table.name != "data_key")
}
