//! Seals everything again that another key than the active one has sealed.

use serde_json::json;

use super::{
    sealed_tables::{SEALED_TABLES, SealedTable},
    usage::usage,
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{NewAudit, NewEvent},
    identifier::DataKeyId,
    resource::{FailedRow, Reencryption},
    seal::data_keys_in,
    store::{Row, Value, Versioned, Write, shown},
};

/// Rows that are looked at together and, where they have to be, written in one transaction.
const BATCH: u32 = 100;

/// Seals everything again that another key than the active one has sealed, in batches; `progress` hears after each how
/// far it is. Other writers go on: a row that changes meanwhile is read again. Cut off, it is done by the next one.
pub(crate) async fn reencrypt(
    context: &Context,
    mut progress: impl FnMut(&Reencryption),
) -> Result<Reencryption> {
    context.vault.reload().await?;
    let active = context.vault.active()?;
    let keys = others(context, active).await?;
    let mut reached = Reencryption {
        left: usage(context, &keys).await?.values().sum(),
        ..Reencryption::default()
    };
    progress(&reached);
    for table in SEALED_TABLES {
        let mut after = None;
        loop {
            let began = context.monotonic();
            let batch = context
                .change(
                    "keys.reencrypt",
                    || load(context, table, after.clone(), &keys),
                    |batch: Batch| Ok((batch.change, (batch.done, batch.failed, batch.next))),
                )
                .await?;
            let (done, failed, next) = batch;
            reached.done += done;
            reached.left = reached.left.saturating_sub(done);
            reached.failed.extend(failed);
            if done > 0 {
                progress(&reached);
                // As long as it kept others from writing, they can write.
                let pause = context.monotonic().saturating_sub(began);
                context.runtime.sleep(pause).await;
            }
            after = next;
            if after.is_none() {
                break;
            }
        }
    }
    // What is in the spool goes into the store under the active key, when it goes.
    reached.left = usage(context, &keys).await?.values().sum();
    if reached.done > 0 {
        finished(context, active, &reached).await?;
    }
    progress(&reached);
    Ok(reached)
}

/// The data keys besides the active one.
async fn others(context: &Context, active: DataKeyId) -> Result<Vec<DataKeyId>> {
    let keys = context.store.data_keys().await?;
    let ids = keys.iter().map(|found| found.row.id);
    Ok(ids.filter(|id| *id != active).collect())
}

struct Batch {
    change: Change,
    done: u64,
    failed: Vec<FailedRow>,
    next: Option<Vec<Value>>,
}

/// The next rows of a table, with the change that seals those again that one of the keys has sealed.
async fn load(
    context: &Context,
    table: &SealedTable,
    after: Option<Vec<Value>>,
    keys: &[DataKeyId],
) -> Result<Batch> {
    let (rows, next) = context.store.rows(table.table, after, BATCH).await?;
    let mut batch = Batch {
        change: Change::none(),
        done: 0,
        failed: Vec::new(),
        next,
    };
    for found in rows {
        if !data_keys_in(&found.row.body).any(|key| keys.contains(&key)) {
            continue;
        }
        let (table_name, key) = (table.table.name.to_owned(), shown(&found.row));
        match resealed(context, table, found).await {
            Ok(write) => {
                batch.change = batch.change.write(write);
                batch.done += 1;
            }
            Err(error) if error.kind() == ErrorKind::StorageUnavailable => return Err(error),
            Err(error) => {
                tracing::warn!(table = table_name, key, %error, "a row cannot be sealed again");
                batch.failed.push(FailedRow {
                    table: table_name,
                    key,
                    reason: error.message().to_owned(),
                });
            }
        }
    }
    Ok(batch)
}

async fn resealed(context: &Context, table: &SealedTable, found: Versioned<Row>) -> Result<Write> {
    let account = match table.account_of(&found.row) {
        Some(id) => context.store.account(id).await?.map(|found| found.row),
        None => None,
    };
    table.reseal(found, account.as_ref(), &mut |place, sealed| {
        if let Some(again) = context.vault.seal_again(place, sealed)? {
            *sealed = again;
        }
        Ok(())
    })
}

async fn finished(context: &Context, active: DataKeyId, reached: &Reencryption) -> Result<()> {
    let data = json!({ "key_id": active, "rows": reached.done, "left": reached.left });
    let event = NewEvent::new("key.reencrypted", data);
    let audit = NewAudit::new("key.reencrypted", "key", active).fact("rows", reached.done);
    let exists = Error::new(ErrorKind::Internal, "an event exists twice");
    context
        .add(
            "keys.reencrypted",
            Change::none().event(event).audit(audit),
            exists,
        )
        .await
}
