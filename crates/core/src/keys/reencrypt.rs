//! Seals everything again that another key than the active one has sealed.

use std::time::Duration;

use serde_json::json;

use super::{
    sealed_tables::{SEALED_TABLES, SealedTable},
    usage::usage,
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{NewAudit, NewEvent, ReencryptionJob, ReencryptionProgress, UnsealedRow},
    identifier::DataKeyId,
    resource::{FailedRow, Reencryption},
    seal::data_keys_in,
    store::{Row, Value, Versioned, Write, shown},
};

/// Rows that are looked at together and, where they have to be, written in one transaction.
const BATCH: u32 = 100;
/// How often a process that waits for the one that has the job looks how far it is.
const LOOK: Duration = Duration::from_secs(1);

/// Seals everything again that another key than the active one has sealed, in batches; `progress` hears after each how
/// far it is. Other writers go on: a row that changes meanwhile is read again. One process at a time does it; another
/// waits, tells how far that one is, and goes on where it stopped.
pub(crate) async fn reencrypt(
    context: &Context,
    mut progress: impl FnMut(&Reencryption),
) -> Result<Reencryption> {
    context.vault.reload().await?;
    let mut waited = false;
    loop {
        let job = claim(context, waited).await?;
        if job.is_held_by(&context.process.to_string()) {
            match seal_again(context, &job, &mut progress).await {
                Ok(Some(reached)) => return Ok(reached),
                Ok(None) => {}
                Err(error) => {
                    give_back(context, &error).await;
                    return Err(error);
                }
            }
        }
        let reached = progress_of(job.reached);
        progress(&reached);
        if !reached.running {
            return Ok(reached);
        }
        waited = true;
        context.runtime.sleep(LOOK).await;
    }
}

/// The job: in the hands of this process where it is free. One that has `waited` until another was at the end has
/// nothing left to do.
async fn claim(context: &Context, waited: bool) -> Result<ReencryptionJob> {
    let process = context.process.to_string();
    context
        .change(
            "keys.reencrypt_claim",
            || async {
                let found = context.store.reencryption_job().await?;
                let now = context.store.now().await?;
                let holder = found.as_ref().and_then(|found| found.row.holder.as_ref());
                let ended = match holder.map(|holder| holder.process.parse()) {
                    Some(Ok(holder)) => context.has_ended(holder).await,
                    _ => false,
                };
                Ok((found, ended, now))
            },
            |(found, ended, now)| {
                let change = Change::none();
                let Some(Versioned { row, version, .. }) = found else {
                    let new = ReencryptionJob::new(None).claimed(&process, now);
                    return Ok((change.insert(new.clone()), new));
                };
                let free = row.is_left(now) || row.is_held_by(&process) || ended;
                let job = match row.reached.running {
                    true if free => row.claimed(&process, now),
                    false if !waited => ReencryptionJob::new(Some(row)).claimed(&process, now),
                    _ => return Ok((change, row)),
                };
                Ok((change.update(job.clone(), version), job))
            },
        )
        .await
}

/// All tables, one batch after another; nothing where another process has the job by now.
async fn seal_again(
    context: &Context,
    job: &ReencryptionJob,
    progress: &mut impl FnMut(&Reencryption),
) -> Result<Option<Reencryption>> {
    let process = context.process.to_string();
    let active = context.vault.active()?;
    let keys = others(context, active).await?;
    let mut left = usage(context, &keys).await?.values().sum::<u64>();
    progress(&progress_of(job.clone().after(0, left, Vec::new()).reached));
    for table in SEALED_TABLES {
        let mut after = None;
        loop {
            let began = context.monotonic();
            let batch = context
                .change(
                    "keys.reencrypt",
                    || load(context, table, after.clone(), &keys),
                    |batch: Batch| {
                        let Some(job) = batch.job.filter(|job| job.row.is_held_by(&process)) else {
                            return Ok((Change::none(), None));
                        };
                        let left = left.saturating_sub(batch.done);
                        let renewed = job.row.claimed(&process, job.read_at);
                        let is_news = batch.done > 0 || !batch.failed.is_empty();
                        let is_due = is_news || job.row.is_due(job.read_at);
                        let after = renewed.after(batch.done, left, batch.failed);
                        let reached = progress_of(after.reached.clone());
                        let change = match is_due {
                            true => batch.change.update(after, job.version),
                            false => batch.change,
                        };
                        Ok((change, Some((batch.done, reached, batch.next))))
                    },
                )
                .await?;
            let Some((done, reached, next)) = batch else {
                return Ok(None);
            };
            left = reached.left;
            if done > 0 {
                progress(&reached);
                context.tasks.open()?;
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
    let left = usage(context, &keys).await?.values().sum();
    let reached = finish(context, active, left).await?;
    reached.iter().for_each(progress);
    Ok(reached)
}

/// How far the job is, as others see it.
pub(super) fn progress_of(reached: ReencryptionProgress) -> Reencryption {
    let failed = reached.failed.into_iter().map(|row| FailedRow {
        table: row.table,
        key: row.key,
        reason: row.reason,
    });
    Reencryption {
        running: reached.running,
        done: reached.done,
        left: reached.left,
        failed: failed.collect(),
        stopped: reached.stopped,
    }
}

/// The data keys besides the active one.
async fn others(context: &Context, active: DataKeyId) -> Result<Vec<DataKeyId>> {
    let keys = context.store.data_keys().await?;
    let ids = keys.iter().map(|found| found.row.id);
    Ok(ids.filter(|id| *id != active).collect())
}

struct Batch {
    job: Option<Versioned<ReencryptionJob>>,
    change: Change,
    done: u64,
    failed: Vec<UnsealedRow>,
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
        job: context.store.reencryption_job().await?,
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
                tracing::warn!(table = table_name, key, %error, "a row can't be re-encrypted");
                batch.failed.push(UnsealedRow {
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
    let found = context.store.authentic(found).await?;
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

/// The end of the job; nothing where another process has it by now.
async fn finish(context: &Context, active: DataKeyId, left: u64) -> Result<Option<Reencryption>> {
    let process = context.process.to_string();
    context
        .change(
            "keys.reencrypted",
            || context.store.reencryption_job(),
            |found| {
                let held = found.filter(|found| found.row.is_held_by(&process));
                let Some(Versioned { row, version, .. }) = held else {
                    return Ok((Change::none(), None));
                };
                let ended = row.after(0, left, Vec::new()).given_back(None, false);
                let reached = progress_of(ended.reached.clone());
                let mut change = Change::none().update(ended, version);
                if reached.done > 0 {
                    let data = json!({ "key_id": active, "rows": reached.done, "left": left });
                    let audit = NewAudit::new("key.reencrypted", "key", active);
                    change = change
                        .event(NewEvent::new("key.reencrypted", data))
                        .audit(audit.fact("rows", reached.done));
                }
                Ok((change, Some(reached)))
            },
        )
        .await
}

/// Leaves the job to others: at once where this process ends or its store was away, and otherwise when it is asked for
/// again.
pub(super) async fn give_back(context: &Context, error: &Error) {
    let process = context.process.to_string();
    let passes = [ErrorKind::ShuttingDown, ErrorKind::StorageUnavailable].contains(&error.kind());
    let given_back = context.change(
        "keys.reencrypt_stop",
        || context.store.reencryption_job(),
        |found| {
            let held = found.filter(|found| found.row.is_held_by(&process));
            let change = held.map(|Versioned { row, version, .. }| {
                let why = Some(error.message().to_owned());
                Change::none().update(row.given_back(why, passes), version)
            });
            Ok((change.unwrap_or_default(), ()))
        },
    );
    if let Err(error) = given_back.await {
        tracing::debug!(%error, "the job of sealing again is left when its time is over");
    }
}
