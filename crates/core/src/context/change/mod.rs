//! The only way to change an aggregate: load it, decide, and commit everything together. After a conflict, start again.

use std::time::Duration;

use super::Context;
use crate::{
    Error, ErrorKind, Result,
    domain::{
        Account, Authorization, Connection, Credential, Event, NewAudit, NewEvent, OutboxEntry,
        authorization,
    },
    identifier::{AccountId, AuthorizationId, ConnectionName, EventId, Identifier},
    resource::EventType,
    seal::Fence,
    state::AccountState,
    store::{Batch, Commit, Key, Record, Rewritten, Versioned, Write},
};

/// How long Stead retries to commit something that it can't get again, such as new tokens.
const PATIENCE: Duration = Duration::from_secs(40);

/// A credential to shred, and its revocation if the product needs to know.
pub(crate) type Shredded = (Versioned<Credential>, Option<OutboxEntry>);

/// The result of a decision. It's committed completely with its events, or not at all.
#[derive(Debug, Default)]
pub(crate) struct Change {
    batch: Batch,
    events: Vec<NewEvent>,
    audits: Vec<NewAudit>,
    /// Identifiers whose snapshots need to be dropped.
    identifiers: Vec<Identifier>,
    connections: Vec<ConnectionName>,
}

impl Change {
    /// No changes.
    pub(crate) fn none() -> Self {
        Self::default()
    }
    pub(crate) fn insert(mut self, row: impl Record) -> Self {
        self.batch = self.batch.insert(row);
        self
    }
    pub(crate) fn update(mut self, row: impl Rewritten, version: u64) -> Self {
        self.batch = self.batch.update(row, version);
        self
    }
    pub(crate) fn delete(mut self, key: impl Into<Key>, version: u64) -> Self {
        self.batch = self.batch.delete(key, version);
        self
    }
    pub(crate) fn guard(mut self, key: impl Into<Key>, version: u64) -> Self {
        self.batch = self.batch.guard(key, version);
        self
    }
    /// Writes a row of any table.
    pub(crate) fn write(mut self, write: Write) -> Self {
        self.batch = self.batch.write(write);
        self
    }
    pub(crate) fn event(mut self, event: NewEvent) -> Self {
        self.events.push(event);
        self
    }

    pub(crate) fn events(self, events: impl IntoIterator<Item = NewEvent>) -> Self {
        events.into_iter().fold(self, Self::event)
    }

    /// Adds an audit entry. Only changes by operators and applications have one, not calls, links and refreshes.
    pub(crate) fn audit(mut self, audit: NewAudit) -> Self {
        self.audits.push(audit);
        self
    }

    /// Inserts an account with its event.
    pub(crate) fn insert_account(mut self, account: Account, event: &'static str) -> Self {
        self.identifiers.push(account.identifier.clone());
        self.event(account.event(event)).insert(account)
    }
    /// Removes the tokens of credentials, and adds their revocation to the outbox.
    pub(crate) fn shred(self, credentials: Vec<Shredded>) -> Self {
        credentials
            .into_iter()
            .fold(self, |mut change, (credential, revocation)| {
                if let Some(entry) = revocation {
                    change = change.insert(entry);
                }
                change.update(credential.row.shredded(), credential.version)
            })
    }
    /// Updates an account after a transition, if it changed.
    pub(crate) fn account(
        mut self,
        changed: Option<(Account, Option<&'static str>)>,
        before: AccountState,
        version: u64,
    ) -> Self {
        let Some((account, event)) = changed else {
            return self;
        };
        self.identifiers.push(account.identifier.clone());
        self.events
            .extend(event.map(|name| match before == account.state {
                true => account.event(name),
                false => account.event(name).with("previous_status", before),
            }));
        self.update(account, version)
    }
    /// Deletes an account, with its last event.
    pub(crate) fn delete_account(
        mut self,
        account: &Account,
        version: u64,
        last: NewEvent,
    ) -> Self {
        self.identifiers.push(account.identifier.clone());
        self.event(last).delete(account.id, version)
    }
    /// Updates an authorization after a transition, if it changed.
    pub(crate) fn authorization(
        self,
        changed: Option<(Authorization, &'static str)>,
        version: u64,
    ) -> Self {
        let Some((authorization, event)) = changed else {
            return self;
        };
        self.event(authorization.event(event))
            .update(authorization, version)
    }
    /// Inserts a connection.
    pub(crate) fn new_connection(mut self, connection: Connection) -> Self {
        self.connections.push(connection.name.clone());
        self.event(connection.event("connection.created"))
            .insert(connection)
    }
    /// Updates a connection after a transition, if it changed.
    pub(crate) fn connection(
        mut self,
        changed: Option<(Connection, &'static str)>,
        version: u64,
    ) -> Self {
        let Some((connection, event)) = changed else {
            return self;
        };
        self.connections.push(connection.name.clone());
        self.event(connection.event(event))
            .update(connection, version)
    }
    /// Deletes a connection.
    pub(crate) fn delete_connection(mut self, connection: &Connection, version: u64) -> Self {
        self.connections.push(connection.name.clone());
        self.event(connection.event("connection.deleted"))
            .delete(connection.id, version)
    }

    fn is_none(&self) -> bool {
        self.batch.is_empty() && self.audits.is_empty()
    }
}

/// Decides after every failure of the store whether to try again, given the number of failures so far.
pub(super) struct Retries<F> {
    failures: u32,
    ask: F,
}

impl<F, W> Retries<F>
where
    F: FnMut(u32) -> W,
    W: Future<Output = bool>,
{
    /// Returns the error, unless the work should be retried.
    pub(super) async fn after(&mut self, error: Error) -> Result<()> {
        self.failures += 1;
        if error.kind() == ErrorKind::StorageUnavailable && (self.ask)(self.failures).await {
            return Ok(());
        }
        Err(error)
    }
}

async fn never(_failures: u32) -> bool {
    false
}

impl Context {
    /// Loads an aggregate, decides on changes, and commits them. If another writer was first, it starts again. `load`
    /// does all encryption, so that `decide` is pure. `name` identifies the change in logs and failpoints.
    pub(crate) async fn change<A, L, T>(
        &self,
        name: &'static str,
        load: impl Fn() -> L,
        decide: impl Fn(A) -> Result<(Change, T)>,
    ) -> Result<T>
    where
        L: Future<Output = Result<A>>,
    {
        self.change_with_retries(name, load, decide, never).await
    }

    /// Like [`change`](Self::change), but with retries. After every failure of the store, `retry` gets the number of
    /// failures so far. It pauses and decides whether to try again.
    ///
    /// A change is committed only once, even if the store applied it and its response was lost. A retry offers the same
    /// batch again. If that batch conflicts with itself, it's already committed.
    pub(crate) async fn change_with_retries<A, L, T, W>(
        &self,
        name: &'static str,
        load: impl Fn() -> L,
        decide: impl Fn(A) -> Result<(Change, T)>,
        retry: impl FnMut(u32) -> W,
    ) -> Result<T>
    where
        L: Future<Output = Result<A>>,
        W: Future<Output = bool>,
    {
        let mut retries = Retries {
            failures: 0,
            ask: retry,
        };
        loop {
            let fence = self.store.vault.fence();
            let loaded = match load().await {
                Ok(loaded) => loaded,
                Err(error) => {
                    retries.after(error).await?;
                    continue;
                }
            };
            let (change, value) = decide(loaded)?;
            if change.is_none()
                || self.commit(name, change, &fence, &mut retries).await? == Commit::Committed
            {
                return Ok(value);
            }
        }
    }

    /// Changes with retries for a limited time, for something that Stead can't get again.
    pub(crate) async fn change_patiently<A, L, T>(
        &self,
        name: &'static str,
        load: impl Fn() -> L,
        decide: impl Fn(A) -> Result<(Change, T)>,
    ) -> Result<T>
    where
        L: Future<Output = Result<A>>,
    {
        let began = self.host.monotonic();
        let retry = |failures: u32| async move {
            let patient = self.host.monotonic().saturating_sub(began) < PATIENCE;
            if patient {
                let pause = Duration::from_millis(50) * 2_u32.pow(failures.min(6) - 1);
                self.host
                    .runtime
                    .sleep(pause.min(Duration::from_secs(2)))
                    .await;
            }
            patient
        };
        self.change_with_retries(name, load, decide, retry).await
    }

    /// Inserts a row that must not exist yet and has no newly encrypted secrets. `exists` is the error if it does.
    pub(crate) async fn add(
        &self,
        name: &'static str,
        change: Change,
        exists: Error,
    ) -> Result<()> {
        let mut retries = Retries {
            failures: 0,
            ask: never,
        };
        match self
            .commit(name, change, &self.store.vault.fence(), &mut retries)
            .await?
        {
            Commit::Committed => Ok(()),
            Commit::Conflict => Err(exists),
        }
    }

    async fn commit<F, W>(
        &self,
        name: &'static str,
        change: Change,
        fence: &Fence,
        retries: &mut Retries<F>,
    ) -> Result<Commit>
    where
        F: FnMut(u32) -> W,
        W: Future<Output = bool>,
    {
        let events = self.complete(change.events).await;
        let batch = change.batch.named(name);
        let batch = events.iter().cloned().fold(batch, Batch::insert);
        let (batch, is_fenced) = fence.guard(batch);
        let outcome = self.offer_audited(batch, change.audits, retries).await;
        if is_fenced && matches!(outcome, Ok(Commit::Conflict)) {
            // Another process may have changed the data key. If reading the keys fails, `load` reports the error.
            let _ = self.store.vault.reload().await;
        }
        // Even if the store doesn't respond, because it may have committed.
        if !events.is_empty() {
            self.store.feed.committed();
        }
        match &outcome {
            Ok(Commit::Committed) => {
                for event in &events {
                    self.host.metrics.event(&event.name);
                    tracing::debug!(event = %event.name, data = %event.data, "event");
                }
            }
            Ok(Commit::Conflict) => {
                tracing::debug!(change = name, "another process changed the same rows first")
            }
            // The store itself reports once that it doesn't accept writes.
            Err(error) => {
                tracing::debug!(change = name, %error, "the store didn't accept the change")
            }
        }
        // Even if the store doesn't respond, because it may have committed.
        for identifier in &change.identifiers {
            self.memory.snapshots.forget(identifier);
        }
        for connection in &change.connections {
            self.memory.snapshots.forget_connection(connection);
        }
        if !change.connections.is_empty() {
            self.memory.connections.forget();
        }
        outcome
    }

    /// The events with IDs, times, and names that follow from IDs.
    async fn complete(&self, events: Vec<NewEvent>) -> Vec<Event> {
        let mut all = Vec::with_capacity(events.len());
        for mut event in events {
            debug_assert!(EventType::of(event.name).is_some(), "{}", event.name);
            let names = match event.connection_id {
                Some(id) if event.data["connection_name"].is_null() => self.names_of(id).await,
                _ => None,
            };
            if let Some((name, product)) = names {
                event = event.with("connection_name", name).with("product", product);
            }
            all.push(Event {
                id: EventId::from_uuid(self.host.new_id()),
                name: event.name.to_owned(),
                at: self.host.now(),
                actor: Some(self.caller.actor()),
                account_id: event.account_id,
                extra: Default::default(),
                short_lived: EventType::of(event.name).is_some_and(|known| known.short_lived),
                data: event.data,
                position: None,
            });
        }
        all
    }

    /// Offers a batch until the store reports a result or there are no retries left. A store that fails may have
    /// applied the batch nevertheless.
    pub(super) async fn offer<F, W>(&self, batch: Batch, retries: &mut Retries<F>) -> Result<Commit>
    where
        F: FnMut(u32) -> W,
        W: Future<Output = bool>,
    {
        let mut failed_before = false;
        loop {
            let error = match self.store.commit(batch.clone()).await {
                Ok(Commit::Conflict) if failed_before => match self.store.holds(&batch).await {
                    Ok(true) => return Ok(Commit::Committed),
                    Ok(false) => return Ok(Commit::Conflict),
                    Err(error) => error,
                },
                Ok(outcome) => return Ok(outcome),
                Err(error) => error,
            };
            let may_be_applied = error.kind() == ErrorKind::StorageUnavailable;
            if may_be_applied && self.store.holds(&batch).await.is_ok_and(|holds| holds) {
                return Ok(Commit::Committed);
            }
            failed_before = true;
            retries.after(error).await?;
        }
    }

    /// Changes an account with a single transition, for tests. In production, such changes need an audit entry or more.
    #[cfg(test)]
    pub(crate) async fn change_account(
        &self,
        name: &'static str,
        id: AccountId,
        decide: impl Fn(&Versioned<Account>) -> crate::domain::account::Transition,
    ) -> Result<Account> {
        self.change(
            name,
            || self.existing_account(id),
            |account: Versioned<Account>| {
                let changed = decide(&account)?;
                let before = account.row.state;
                let after = changed.as_ref().map_or(account.row, |(row, _)| row.clone());
                Ok((
                    Change::none().account(changed, before, account.version),
                    after,
                ))
            },
        )
        .await
    }

    /// Changes an authorization with a single transition. `None` if nothing changes.
    pub(crate) async fn change_authorization(
        &self,
        name: &'static str,
        id: AuthorizationId,
        decide: impl Fn(&Authorization) -> authorization::Transition,
    ) -> Result<Option<Authorization>> {
        self.change(
            name,
            || self.authorization_row(id),
            |found: Versioned<Authorization>| {
                let changed = decide(&found.row)?;
                let after = changed.as_ref().map(|(row, _)| row.clone());
                Ok((Change::none().authorization(changed, found.version), after))
            },
        )
        .await
    }

    /// An account that existed a moment ago.
    pub(crate) async fn existing_account(&self, id: AccountId) -> Result<Versioned<Account>> {
        self.store.account(id).await?.ok_or_else(|| {
            Error::new(
                ErrorKind::AccountNotFound,
                "the account was deleted during this request",
            )
        })
    }
}

#[cfg(test)]
mod tests;
