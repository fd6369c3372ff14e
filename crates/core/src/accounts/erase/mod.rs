//! Erases a user's name: the rows of their account immediately, and their name in the history in several passes.
//!
//! A row of the table `erasure` records the remaining work. An interrupted pass starts again in the next round of
//! maintenance.

use std::collections::BTreeMap;

use crate::{
    Error, Result,
    context::Context,
    domain::{AccountRef, Erasure},
    identifier::{AccountId, ConnectionId, Identifier},
    oauth,
    resource::{Disconnected, ErasureProgress, Revocation},
    seal::Pseudonyms,
    store::{Batch, CallName, Commit, Versioned},
};

/// Rows that are removed together.
const REMOVED: u32 = 200;
/// Names of users in the history that are read together.
const USERS: u32 = 500;
/// Events that are read together.
const EVENTS: u32 = 200;
/// Number of pages that one request searches. Maintenance does the rest.
const AT_ONCE: u32 = 100;
/// Erasures that share a pass.
const ROUND: u32 = 200;

async fn pseudonyms(context: &Context) -> Result<Pseudonyms> {
    let (runtime, entropy) = (context.host.runtime.as_ref(), context.host.entropy.as_ref());
    Pseudonyms::open(&context.store.vault, &context.store, runtime, entropy).await
}

/// The pseudonym of a user.
pub(super) async fn pseudonym(context: &Context, of: &AccountRef) -> Result<String> {
    let connection = context.existing_connection(&of.connection).await?;
    pseudonyms(context)
        .await?
        .of(connection.row.id, of.identifier.as_str())
}

/// Removes the MCP sessions and approvals of a user, because they name the user.
pub(super) async fn sessions(context: &Context, of: &Identifier) -> Result<()> {
    let store = &context.store;
    while store.remove_mcp_sessions_of(of, REMOVED).await? >= u64::from(REMOVED) {}
    while store.remove_approvals_of(of, REMOVED).await? >= u64::from(REMOVED) {}
    Ok(())
}

/// The erasure of a user without an account, who may have been erased before. `error` is returned if not.
pub(super) async fn again(
    context: &Context,
    pseudonym: &str,
    error: Error,
) -> Result<Disconnected> {
    if context.store.erasure(pseudonym).await?.is_none() {
        return Err(error);
    }
    let pseudonym = pseudonym.to_owned();
    let work = |context: Context| async move { first_pass(&context, &pseudonym).await };
    let erasure = context.detached(work).await?;
    Ok(Disconnected {
        revocation: Revocation::None,
        ends_other_grants: false,
        also_ends: Vec::new(),
        erasure: Some(erasure),
    })
}

/// The part of the first pass that one request waits for, if it isn't complete yet. Maintenance retries failures.
pub(super) async fn first_pass(context: &Context, pseudonym: &str) -> ErasureProgress {
    let pass = async {
        let Some(found) = context.store.erasure(pseudonym).await? else {
            return Ok(true);
        };
        if found.row.is_pending() {
            // Store the calls that this process hasn't written to the history yet.
            context.history.recorder.flush(context).await;
            pass(context, vec![found], AT_ONCE).await?;
        }
        let found = context.store.erasure(pseudonym).await?;
        Ok::<bool, Error>(found.is_none_or(|found| !found.row.is_pending()))
    };
    match pass.await {
        Ok(true) => ErasureProgress::Complete,
        Ok(false) => ErasureProgress::Pending,
        Err(error) => {
            tracing::warn!(kind = %error.kind(), "an erasure isn't finished; the next round of maintenance continues it");
            ErasureProgress::Pending
        }
    }
}

/// Searches the history for every erasure whose next pass is due.
pub(crate) async fn continue_erasures(context: &Context) -> Result<()> {
    loop {
        let due = context
            .store
            .due_erasures(context.host.now(), ROUND)
            .await?;
        let count = due.len();
        if count == 0 || !pass(context, due, u32::MAX).await? || count < ROUND as usize {
            return Ok(());
        }
    }
}

/// One pass for these erasures together. Returns whether it was completed within the given number of pages.
async fn pass(context: &Context, erasures: Vec<Versioned<Erasure>>, pages: u32) -> Result<bool> {
    for account in erasures.iter().flat_map(|found| &found.row.accounts) {
        while context.store.remove_rows_of(*account, REMOVED).await? >= u64::from(REMOVED) {}
    }
    // Replaying the spool drops entries of deleted accounts.
    oauth::replay_spool(context).await;
    let names = Names::new(pseudonyms(context).await?, &erasures);
    let mut pages = Pages(pages);
    if !rename_calls(context, &names, &mut pages).await?
        || !rename_events(context, &names, &mut pages).await?
    {
        return Ok(false);
    }
    let passed = erasures.into_iter().fold(
        Batch::new().named("erasure.passed"),
        |batch, Versioned { row, version, .. }| batch.update(row.passed(), version),
    );
    // A conflict means that another process was faster, or that the user was erased again.
    Ok(context.store.commit(passed).await? == Commit::Committed)
}

/// Number of pages that can still be read.
struct Pages(u32);

impl Pages {
    fn next(&mut self) -> bool {
        let more = self.0 > 0;
        self.0 = self.0.saturating_sub(1);
        more
    }
}

/// Erased users, by the names that rows have.
struct Names<'a> {
    pseudonyms: Pseudonyms,
    by_pseudonym: BTreeMap<&'a str, &'a Erasure>,
    by_account: BTreeMap<AccountId, &'a Erasure>,
    /// Connections that have or had a name.
    connections: BTreeMap<&'a str, Vec<ConnectionId>>,
}

impl<'a> Names<'a> {
    fn new(pseudonyms: Pseudonyms, erasures: &'a [Versioned<Erasure>]) -> Self {
        let rows = || erasures.iter().map(|found| &found.row);
        let mut connections = BTreeMap::<&str, Vec<ConnectionId>>::new();
        for row in rows() {
            let ids = connections.entry(row.connection_name.as_str()).or_default();
            if !ids.contains(&row.connection_id) {
                ids.push(row.connection_id);
            }
        }
        let accounts = rows().flat_map(|row| row.accounts.iter().map(move |id| (*id, row)));
        Self {
            pseudonyms,
            by_pseudonym: rows().map(|row| (row.pseudonym.as_str(), row)).collect(),
            by_account: accounts.collect(),
            connections,
        }
    }

    /// The erased user that a name without an account belongs to.
    fn of(&self, connections: &[ConnectionId], name: &CallName) -> Option<&'a Erasure> {
        let mut found = connections.iter().filter_map(|id| {
            let pseudonym = self.pseudonyms.of(*id, &name.text).ok()?;
            self.by_pseudonym.get(pseudonym.as_str()).copied()
        });
        found.find(|erasure| erasure.is_of_calls_since(name.first_at))
    }
}

/// Replaces the names of erased users in the history. Returns whether it was completed.
async fn rename_calls(context: &Context, names: &Names<'_>, pages: &mut Pages) -> Result<bool> {
    // Maintenance first moves the calls that older versions stored.
    let store = &context.store;
    if store.has_older_calls().await? {
        return Ok(false);
    }
    for (account, erasure) in &names.by_account {
        let mut after = None;
        loop {
            if !pages.next() {
                return Ok(false);
            }
            let users = store.users_with_account(*account, after, USERS).await?;
            let last = users.last().map(|last| last.row.place());
            let is_last = users.len() < USERS as usize;
            rename(context, users, |_| Some(erasure)).await?;
            if is_last {
                break;
            }
            after = last;
        }
    }
    for (connection, ids) in &names.connections {
        let mut after = None;
        loop {
            if !pages.next() {
                return Ok(false);
            }
            let users = store
                .users_without_account(connection, after, USERS)
                .await?;
            let last = users.last().map(|last| last.row.place().1);
            let is_last = users.len() < USERS as usize;
            rename(context, users, |name| names.of(ids, name)).await?;
            if is_last {
                break;
            }
            after = last;
        }
    }
    Ok(true)
}

/// Replaces these names by the pseudonyms of their erasures. A conflict means that another process uses a name again,
/// so the row is read again.
async fn rename<'a>(
    context: &Context,
    users: Vec<Versioned<CallName>>,
    erasure: impl Fn(&CallName) -> Option<&'a Erasure>,
) -> Result<()> {
    for Versioned {
        mut row,
        mut version,
        ..
    } in users
    {
        while let Some(erasure) = erasure(&row).filter(|one| one.pseudonym != row.text) {
            row.text.clone_from(&erasure.pseudonym);
            let batch = Batch::new().named("erasure.calls");
            let batch = batch.update(row.clone(), version);
            if context.store.commit(batch).await? == Commit::Committed {
                context.history.names.clear();
                break;
            }
            match context.store.user(&row).await? {
                Some(again) => Versioned { row, version, .. } = again,
                None => break,
            }
        }
    }
    Ok(())
}

/// Returns whether it was completed.
async fn rename_events(context: &Context, names: &Names<'_>, pages: &mut Pages) -> Result<bool> {
    for (account, erasure) in &names.by_account {
        let mut after = None;
        loop {
            if !pages.next() {
                return Ok(false);
            }
            let store = &context.store;
            let events = store.events(Some(*account), after, EVENTS).await?;
            let is_last = events.len() < EVENTS as usize;
            let next = events.last().and_then(|last| last.row.position);
            let mut batch = Batch::new().named("erasure.events");
            for Versioned {
                mut row, version, ..
            } in events
            {
                let data = erasure.without_name(&row.data);
                if data != row.data {
                    row.data = data;
                    batch = batch.update(row, version);
                }
            }
            if !batch.is_empty() && store.commit(batch).await? == Commit::Conflict {
                continue;
            }
            if is_last {
                break;
            }
            after = next;
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
