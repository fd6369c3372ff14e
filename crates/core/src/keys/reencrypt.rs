//! Re-encrypts all secrets that were encrypted with another data key than the active one.
//!
//! Only one process at a time runs the job. It holds the job's row for some minutes, and renews that while it works. If
//! it stops, another process walks through the rows again, and finds fewer of them to re-encrypt.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::json;

use super::rows::{Position, give_way, usage};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{Credential, NewAudit, NewEvent, ReencryptionJob},
    identifier::DataKeyId,
    resource::{FailedRow, ReencryptAll, Reencryption},
    seal::{Again, data_keys_in},
    store::{Record as _, Row, Value, Versioned, Write, shown},
};

/// Number of rows that one transaction reads and, if needed, writes.
const BATCH: u32 = 100;
/// How often a waiting process checks the progress of the process that runs the job.
const LOOK: Duration = Duration::from_secs(1);

/// Starts to re-encrypt everything with the active data key, unless a process is already doing it. Returns the
/// progress. A shutdown doesn't wait for the job, because another process continues it.
pub(crate) async fn reencrypt(context: &Context, _: ReencryptAll) -> Result<Reencryption> {
    context.host.tasks.open()?;
    let job = claim(context, true).await?;
    in_background(context);
    Ok(job.reached.shown())
}

/// Re-encrypts everything with the active data key, or waits for the process that is already doing it. `progress` gets
/// the state after each batch.
pub(crate) async fn reencrypt_all(
    context: &Context,
    progress: impl FnMut(&Reencryption),
) -> Result<Reencryption> {
    claim(context, true).await?;
    run(context, progress).await
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
        let running = run(&context, |_| {});
        let done = context.host.tasks.unless_cut(running).await;
        if let Some(Err(error)) = &done {
            tracing::warn!(kind = %error.kind(), "re-encryption isn't complete");
        }
        if let (None, Err(closed)) = (&done, context.host.tasks.open()) {
            give_back(&context, &closed).await;
        }
        context.workers.reencrypts.store(false, Ordering::Release);
    }));
}

/// Runs the job whenever no other process does, until it's done.
async fn run(context: &Context, mut progress: impl FnMut(&Reencryption)) -> Result<Reencryption> {
    loop {
        let job = claim(context, false).await?;
        if job.is_held_by(context.host.process) {
            match walk(context, &job, &mut progress).await {
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
        context.host.runtime.sleep(LOOK).await;
    }
}

/// Claims the job for this process if no other process is running it. If it isn't running, `new` starts it.
async fn claim(context: &Context, new: bool) -> Result<ReencryptionJob> {
    context
        .change(
            "keys.reencrypt_claim",
            || async {
                let found = context.store.reencryption_job().await?;
                let ended = match found.as_ref().and_then(|found| found.row.holder()) {
                    Some(holder) => context.has_ended(holder).await,
                    None => false,
                };
                Ok((found, ended, context.store.now().await?))
            },
            |(found, ended, now)| {
                let (row, version) = found.map(|found| (found.row, found.version)).unzip();
                let job = match row {
                    Some(row) if row.reached.running || !new => row,
                    row => ReencryptionJob::new(row.map(|row| row.extra).unwrap_or_default()),
                };
                let change = Change::none();
                let Some(job) = job.claimed(context.host.process, now, ended) else {
                    return Ok((change, job));
                };
                Ok(match version {
                    Some(version) => (change.update(job.clone(), version), job),
                    None => (change.insert(job.clone()), job),
                })
            },
        )
        .await
}

/// Changes the job while this process holds it. `None` if another process has taken over.
async fn change_job(
    name: &'static str,
    context: &Context,
    decide: impl Fn(ReencryptionJob) -> (ReencryptionJob, Change),
) -> Result<Option<Reencryption>> {
    context
        .change(
            name,
            || context.store.reencryption_job(),
            |found| {
                let held = found.filter(|found| found.row.is_held_by(context.host.process));
                let Some(Versioned { row, version, .. }) = held else {
                    return Ok((Change::none(), None));
                };
                let (job, change) = decide(row);
                let reached = job.reached.clone().shown();
                Ok((change.update(job, version), Some(reached)))
            },
        )
        .await
}

/// Re-encrypts all rows, batch by batch. `None` if another process has taken over the job.
async fn walk(
    context: &Context,
    job: &ReencryptionJob,
    progress: &mut impl FnMut(&Reencryption),
) -> Result<Option<Reencryption>> {
    context.store.vault.reload().await?;
    let active = context.store.vault.active()?;
    let keys = context.store.data_keys().await?;
    let keys: Vec<_> = keys.iter().map(|found| found.row.id).collect();
    let keys: Vec<_> = keys.into_iter().filter(|id| *id != active).collect();
    let mut left = usage(context, &keys).await?.values().sum();
    progress(&job.clone().after(0, left, Vec::new()).reached.shown());
    let mut at = Some(Position::default());
    while let Some(position) = at {
        let began = context.host.monotonic();
        let batch = context
            .change(
                "keys.reencrypt",
                || Batch::load(context, &position, &keys),
                |batch| Ok(batch.commit(context, left)),
            )
            .await?;
        let Some((done, reached, next)) = batch else {
            return Ok(None);
        };
        left = reached.left;
        if done > 0 {
            progress(&reached);
            give_way(context, began).await?;
        }
        at = next;
    }
    // Tokens in the spool are encrypted with the active key when they move to the store, so they need no re-encryption.
    let left = usage(context, &keys).await?.values().sum();
    let ended = |job: ReencryptionJob| {
        let job = job.after(0, left, Vec::new()).given_back(None, false);
        let (done, change) = (job.reached.done, Change::none());
        if done == 0 {
            return (job, change);
        }
        let data = json!({ "key_id": active, "rows": done, "left": left });
        let audit = NewAudit::new("key.reencrypted", "key", active).fact("rows", done);
        let event = NewEvent::new("key.reencrypted", data);
        (job, change.event(event).audit(audit))
    };
    let reached = change_job("keys.reencrypted", context, ended).await?;
    reached.iter().for_each(progress);
    Ok(reached)
}

/// The next rows, as far as they are encrypted with one of the old keys.
struct Batch {
    job: Option<Versioned<ReencryptionJob>>,
    writes: Vec<Write>,
    failed: Vec<FailedRow>,
    next: Option<Position>,
}

impl Batch {
    async fn load(context: &Context, position: &Position, keys: &[DataKeyId]) -> Result<Self> {
        let (rows, next) = position.read(context, BATCH).await?;
        let mut batch = Self {
            job: context.store.reencryption_job().await?,
            writes: Vec::new(),
            failed: Vec::new(),
            next,
        };
        for found in rows {
            if !data_keys_in(&found.row.body).any(|key| keys.contains(&key)) {
                continue;
            }
            let (table, key) = (found.row.table.name.to_owned(), shown(&found.row));
            match resealed(context, found).await {
                Ok(found) => batch.writes.push(Write::Update(found.row, found.version)),
                Err(error) if error.kind() == ErrorKind::StorageUnavailable => return Err(error),
                Err(error) => {
                    tracing::warn!(table, key, %error, "a row can't be re-encrypted");
                    let reason = error.message().to_owned();
                    batch.failed.push(FailedRow { table, key, reason });
                }
            }
        }
        Ok(batch)
    }

    /// The change with the job's progress, the number of rows, the progress, and the next position. `None` if another
    /// process has taken over the job.
    fn commit(
        self,
        context: &Context,
        left: u64,
    ) -> (Change, Option<(u64, Reencryption, Option<Position>)>) {
        let held = self.job.and_then(
            |Versioned {
                 row,
                 version,
                 read_at,
             }| {
                let renewed = row.claimed(context.host.process, read_at, false)?;
                Some((renewed, version, row.is_due(read_at)))
            },
        );
        let Some((job, version, is_due)) = held else {
            return (Change::none(), None);
        };
        let done = self.writes.len() as u64;
        let is_due = is_due || done > 0 || !self.failed.is_empty();
        let job = job.after(done, left.saturating_sub(done), self.failed);
        let reached = job.reached.clone().shown();
        let mut change = self.writes.into_iter().fold(Change::none(), Change::write);
        if is_due {
            change = change.update(job, version);
        }
        (change, Some((done, reached, self.next)))
    }
}

async fn resealed(context: &Context, found: Versioned<Row>) -> Result<Versioned<Row>> {
    let found = context.store.authentic(found).await?;
    // Tokens are bound to their account.
    let account = match found.row.value("account_id") {
        Value::Text(id) if *found.row.table == *Credential::TABLE => id.parse().ok(),
        _ => None,
    };
    let account = match account {
        Some(id) => context.store.account(id).await?.map(|found| found.row),
        None => None,
    };
    let vault = &context.store.vault;
    Again { vault, account }.reseal(found)
}

/// Gives the job back. If this process is shutting down or the store was unavailable, another process can continue it
/// immediately. Otherwise, it continues when someone requests it again.
pub(super) async fn give_back(context: &Context, error: &Error) {
    let passes = [ErrorKind::ShuttingDown, ErrorKind::StorageUnavailable].contains(&error.kind());
    let stopped = |job: ReencryptionJob| {
        let why = Some(error.message().to_owned());
        (job.given_back(why, passes), Change::none())
    };
    if let Err(error) = change_job("keys.reencrypt_stop", context, stopped).await {
        tracing::debug!(%error, "couldn't give the re-encryption job back; another process can continue it later");
    }
}
