//! Adds MACs to the rows of a store from before MACs existed. Rows without a MAC are then rejected.
//!
//! During an upgrade, servers of the previous version may still run. They write rows without a MAC, or with the MAC of
//! an earlier body. Therefore, rows are accepted unchecked for a day, and then all get their MACs, whoever wrote them.

use jiff::{SignedDuration, Timestamp};

use super::rows::{Position, give_way};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::{DataKey, NewAudit},
    state::DataKeyState,
    store::{RowKeys as _, Versioned, Write},
};

/// How long rows without a MAC are accepted after an upgrade.
const TRANSITION: SignedDuration = SignedDuration::from_hours(24);
/// Number of rows that one transaction reads and, if needed, writes.
const BATCH: u32 = 100;

/// Runs one step, if the store needs any. After an interruption, or in a second process, it continues with the rows
/// that still lack a MAC.
pub(crate) async fn authenticate_rows(context: &Context) -> Result<()> {
    if context.store.vault.rows_since().is_some() {
        return Ok(());
    }
    let (began, now) = begin(context).await?;
    if now < ends_at(began) {
        return Ok(());
    }
    let mut rows = 0;
    let mut at = Some(Position::default());
    while let Some(position) = at {
        let began = context.host.monotonic();
        let (done, next) = context
            .change(
                "keys.authenticate",
                || load(context, &position),
                |(change, done, next)| Ok((change, (done, next))),
            )
            .await?;
        rows += done;
        if done > 0 {
            give_way(context, began).await?;
        }
        at = next;
    }
    end(context, rows).await?;
    context.store.vault.reload().await
}

/// Until when rows without a MAC are accepted. `None` if they are already rejected.
pub(crate) async fn rows_taken_until(context: &Context) -> Result<Option<Timestamp>> {
    if context.store.vault.rows_since().is_some() {
        return Ok(None);
    }
    let keys = context.store.data_keys().await?;
    let began = keys.iter().filter_map(|found| found.row.upgraded_at).min();
    Ok(Some(ends_at(began.unwrap_or_else(|| context.host.now()))))
}

fn ends_at(upgraded_at: Timestamp) -> Timestamp {
    let end = upgraded_at.checked_add(TRANSITION);
    end.unwrap_or(Timestamp::MAX)
}

/// When the store was upgraded, and the store's time. If no process has recorded the upgrade yet, it's now.
async fn begin(context: &Context) -> Result<(Timestamp, Timestamp)> {
    context
        .change(
            "keys.upgraded",
            || async { Ok((context.store.data_keys().await?, context.store.now().await?)) },
            |(keys, now)| {
                let began = keys.iter().filter_map(|found| found.row.upgraded_at).min();
                if let Some(began) = began {
                    return Ok((Change::none(), (began, now)));
                }
                let mut change = Change::none();
                for mut found in keys.into_iter().filter(is_active) {
                    found.row.upgraded_at = Some(now);
                    change = change.update(found.row, found.version);
                }
                Ok((change, (now, now)))
            },
        )
        .await
}

fn is_active(found: &Versioned<DataKey>) -> bool {
    found.row.state == DataKeyState::Active
}

/// A change that adds MACs to those of the next rows without a correct one, their number, and the next position. If
/// another process has finished already, there is nothing to do, because rows without a MAC were written since.
async fn load(context: &Context, position: &Position) -> Result<(Change, u64, Option<Position>)> {
    context.store.vault.reload().await?;
    if context.store.vault.rows_since().is_some() {
        return Ok((Change::none(), 0, None));
    }
    let (rows, next) = position.read(context, BATCH).await?;
    let (mut change, mut done) = (Change::none(), 0);
    for mut found in rows {
        if context.store.fault_of(&mut found.row).await?.is_some() {
            change = change.write(Write::Update(found.row, found.version));
            done += 1;
        }
    }
    Ok((change, done, next))
}

/// From now on, every key that can be decrypted proves that rows need a MAC.
async fn end(context: &Context, rows: u64) -> Result<()> {
    context
        .change(
            "keys.authenticated",
            || async {
                let now = context.store.now().await?;
                let keys = context.store.data_keys().await?;
                context.store.vault.reload().await?;
                let is_done = context.store.vault.rows_since().is_some();
                let live = keys.into_iter().filter(|found| found.row.wrapped.is_some());
                let mut proving = Vec::new();
                for found in live.filter(|_| !is_done) {
                    match context.store.vault.authenticating(&found.row, now) {
                        Ok(row) => proving.push((row, found.version)),
                        // A key that is still being added may be encrypted with a key that this process doesn't have
                        // yet.
                        Err(_) if found.row.state == DataKeyState::Added => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(proving)
            },
            |proving| {
                let mut change = Change::none();
                for (row, version) in proving {
                    if row.state == DataKeyState::Active {
                        let audit = NewAudit::new("key.authenticates_rows", "key", row.id);
                        change = change.audit(audit.fact("rows", rows));
                    }
                    change = change.update(row, version);
                }
                Ok((change, ()))
            },
        )
        .await
}
