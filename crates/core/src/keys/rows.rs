//! The rows that need a data key: those with a secret or a MAC.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    Result,
    context::Context,
    identifier::DataKeyId,
    seal::data_keys_in,
    store::{AUTHENTICATED, Row, TABLES, Table, Value, Versioned},
};

/// The tables of these rows. Keys of the key ring encrypt the data keys themselves.
pub(super) fn tables() -> impl Iterator<Item = &'static Table> {
    let is_sealed = |table: &&Table| table.sealed || AUTHENTICATED.contains(table);
    let sealed = TABLES.iter().copied().filter(is_sealed);
    sealed.filter(|table| table.name != "data_key")
}

/// A position in a walk over these rows.
#[derive(Clone, Default)]
pub(super) struct Position {
    table: usize,
    after: Option<Vec<Value>>,
}

impl Position {
    /// The next rows, all of one table, and the position after them.
    pub(super) async fn read(
        &self,
        context: &Context,
        limit: u32,
    ) -> Result<(Vec<Versioned<Row>>, Option<Self>)> {
        let Some(table) = tables().nth(self.table) else {
            return Ok((Vec::new(), None));
        };
        let (rows, after) = context.store.rows(table, self.after.clone(), limit).await?;
        let table = self.table + usize::from(after.is_none());
        Ok((rows, Some(Self { table, after })))
    }
}

/// Pauses for as long as a batch took, so that other writers get a turn.
pub(super) async fn give_way(context: &Context, began: Duration) -> Result<()> {
    context.host.tasks.open()?;
    let pause = context.host.monotonic().saturating_sub(began);
    context.host.runtime.sleep(pause).await;
    Ok(())
}

/// Number of rows of the store and records of the spool that each of these keys has encrypted. Works on the stored
/// bytes, so even unreadable rows count.
pub(super) async fn usage(
    context: &Context,
    keys: &[DataKeyId],
) -> Result<BTreeMap<DataKeyId, u64>> {
    const PAGE: u32 = 500;
    let mut usage: BTreeMap<_, u64> = keys.iter().map(|key| (*key, 0)).collect();
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
    let mut at = Some(Position::default());
    while let Some(position) = at {
        let (rows, next) = position.read(context, PAGE).await?;
        rows.iter().for_each(|found| count(&found.row.body));
        at = next;
    }
    if let Some(spool) = &context.store.spool {
        for (_, record) in spool.list().await? {
            count(&String::from_utf8_lossy(&record));
        }
    }
    Ok(usage)
}
