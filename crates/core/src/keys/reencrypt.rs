//! Re-encrypts all secrets that were encrypted with another data key than the active one.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::json;

use super::{
    lifecycle::usage,
    sealed_tables::{SEALED_TABLES, SealedTable},
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{NewAudit, NewEvent, ReencryptionJob},
    identifier::DataKeyId,
    resource::{FailedRow, ReencryptAll, Reencryption},
    seal::data_keys_in,
    store::{Row, Value, Versioned, Write, shown},
};

/// Starts to re-encrypt everything with the active data key, unless a process is already doing it. Returns the
/// progress. A shutdown doesn't wait for the job, because another process continues it.
pub(crate) async fn reencrypt(context: &Context, _: ReencryptAll) -> Result<Reencryption> {
    context.host.tasks.open()?;
    let reached = context
        .change(
            "keys.reencrypt_start",
            || context.store.reencryption_job(),
            |found| {
                let (row, version) = found.map(|found| (found.row, found.version)).unzip();
                if let Some(row) = row.as_ref().filter(|row| row.reached.running) {
                    return Ok((Change::none(), row.reached.clone().shown()));
                }
                let new = ReencryptionJob::new(row);
                let reached = new.reached.clone().shown();
                Ok(match version {
                    Some(version) => (Change::none().update(new, version), reached),
                    None => (Change::none().insert(new), reached),
                })
            },
        )
        .await?;
    in_background(context);
    Ok(reached)
}

/// Continues the job of a process that has ended.
pub(crate) async fn continue_reencryption(context: &Context) -> Result<()> {
    let job = context.store.reencryption_job().await?;
    if job.is_some_and(|found| found.row.is_left(found.read_at)) {
        in_background(context);
    }
    Ok(())
}

fn in_background(context: &Context) {
    if context.workers.reencrypts.swap(true, Ordering::AcqRel) {
        return;
    }
    let context = context.clone();
    let runtime = context.host.runtime.clone();
    runtime.spawn(Box::pin(async move {
        let done = context
            .host
            .tasks
            .unless_cut(reencrypt_all(&context, |_| {}))
            .await;
        if let Some(Err(error)) = &done {
            tracing::warn!(kind = %error.kind(), "re-encryption isn't complete");
        }
        if let (None, Err(closed)) = (&done, context.host.tasks.open()) {
            give_back(&context, &closed).await;
        }
        context.workers.reencrypts.store(false, Ordering::Release);
    }));
}

/// Number of rows that one transaction reads and, if needed, writes.
const BATCH: u32 = 100;
/// How often a waiting process checks the progress of the process that runs the job.
const LOOK: Duration = Duration::from_secs(1);

/// Re-encrypts in batches all secrets that were encrypted with another data key than the active one. `progress` gets
/// the state after each batch. Other writers continue; if they change a row, Stead reads it again. Only one process at
/// a time runs the job. Others wait, report its progress, and take over if it stops.
pub(crate) async fn reencrypt_all(
    context: &Context,
    mut progress: impl FnMut(&Reencryption),
) -> Result<Reencryption> {
    context.store.vault.reload().await?;
    let mut waited = false;
    loop {
        let job = claim(context, waited).await?;
        if job.is_held_by(&context.host.process.to_string()) {
            match seal_again(context, &job, &mut progress).await {
                Ok(Some(reached)) => return Ok(reached),
                Ok(None) => {}
                Err(error) => {
                    give_back(context, &error).await;
                    return Err(error);
                }
            }
        }
        let reached = job.reached.shown();
        progress(&reached);
        if !reached.running {
            return Ok(reached);
        }
        waited = true;
        context.host.runtime.sleep(LOOK).await;
    }
}

/// Claims the job for this process if no other process is running it. If this process has `waited` and the job has
/// finished, it doesn't start a new one.
async fn claim(context: &Context, waited: bool) -> Result<ReencryptionJob> {
    let process = context.host.process.to_string();
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

/// Re-encrypts all tables, batch by batch. `None` if another process has taken over the job.
async fn seal_again(
    context: &Context,
    job: &ReencryptionJob,
    progress: &mut impl FnMut(&Reencryption),
) -> Result<Option<Reencryption>> {
    let process = context.host.process.to_string();
    let active = context.store.vault.active()?;
    let keys = others(context, active).await?;
    let mut left = usage(context, &keys).await?.values().sum::<u64>();
    progress(&job.clone().after(0, left, Vec::new()).reached.shown());
    for table in SEALED_TABLES {
        let mut after = None;
        loop {
            let began = context.host.monotonic();
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
                        let reached = after.reached.clone().shown();
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
                context.host.tasks.open()?;
                // Pauses for as long as the batch took, so that other writers get a turn.
                let pause = context.host.monotonic().saturating_sub(began);
                context.host.runtime.sleep(pause).await;
            }
            after = next;
            if after.is_none() {
                break;
            }
        }
    }
    // Tokens in the spool are encrypted with the active key when they move to the store, so they need no re-encryption.
    let left = usage(context, &keys).await?.values().sum();
    let reached = finish(context, active, left).await?;
    reached.iter().for_each(progress);
    Ok(reached)
}

/// All data keys except the active one.
async fn others(context: &Context, active: DataKeyId) -> Result<Vec<DataKeyId>> {
    let keys = context.store.data_keys().await?;
    let ids = keys.iter().map(|found| found.row.id);
    Ok(ids.filter(|id| *id != active).collect())
}

struct Batch {
    job: Option<Versioned<ReencryptionJob>>,
    change: Change,
    done: u64,
    failed: Vec<FailedRow>,
    next: Option<Vec<Value>>,
}

/// Reads the next rows of a table, and prepares a change that re-encrypts those with one of the old keys.
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
    let found = context.store.authentic(found).await?;
    let account = match table.account_of(&found.row) {
        Some(id) => context.store.account(id).await?.map(|found| found.row),
        None => None,
    };
    table.reseal(found, account.as_ref(), &mut |place, sealed| {
        if let Some(again) = context.store.vault.seal_again(place, sealed)? {
            *sealed = again;
        }
        Ok(())
    })
}

/// Finishes the job. `None` if another process has taken over the job.
async fn finish(context: &Context, active: DataKeyId, left: u64) -> Result<Option<Reencryption>> {
    let process = context.host.process.to_string();
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
                let reached = ended.reached.clone().shown();
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

/// Gives the job back. If this process is shutting down or the store was unavailable, another process can continue it
/// immediately. Otherwise, it continues when someone requests it again.
pub(super) async fn give_back(context: &Context, error: &Error) {
    let process = context.host.process.to_string();
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
        tracing::debug!(%error, "couldn't give the re-encryption job back; another process can continue it later");
    }
}
