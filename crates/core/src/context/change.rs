//! The only way in which an aggregate changes: load it, decide, commit everything together, and again on a conflict.

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

/// How long something that will not come again is offered to a store that does not take it.
const PATIENCE: Duration = Duration::from_secs(40);

/// A credential that ends, and its revocation where the product is told.
pub(crate) type Shredded = (Versioned<Credential>, Option<OutboxEntry>);

/// What a decision changes: all of it is committed with its events, or nothing.
#[derive(Debug, Default)]
pub(crate) struct Change {
    batch: Batch,
    events: Vec<NewEvent>,
    audits: Vec<NewAudit>,
    /// Whose snapshots end.
    identifiers: Vec<Identifier>,
    connections: Vec<ConnectionName>,
}

impl Change {
    /// Leaves everything as it is.
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
    /// A row of any table.
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

    /// Says in the audit log who did what: for what an operator or an application changes, not for calls, links and
    /// refreshes.
    pub(crate) fn audit(mut self, audit: NewAudit) -> Self {
        self.audits.push(audit);
        self
    }

    /// A new account with its event.
    pub(crate) fn insert_account(mut self, account: Account, event: &'static str) -> Self {
        self.identifiers.push(account.identifier.clone());
        self.event(account.event(event)).insert(account)
    }
    /// Credentials lose their tokens, and what revokes them at the product goes into the outbox.
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
    /// An account after a transition, if it changed.
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
    /// An account that goes, with its last event.
    pub(crate) fn delete_account(
        mut self,
        account: &Account,
        version: u64,
        last: NewEvent,
    ) -> Self {
        self.identifiers.push(account.identifier.clone());
        self.event(last).delete(account.id, version)
    }
    /// An authorization after a transition, if it changed.
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
    /// A connection that is new.
    pub(crate) fn new_connection(mut self, connection: Connection) -> Self {
        self.connections.push(connection.name.clone());
        self.event(connection.event("connection.created"))
            .insert(connection)
    }
    /// A connection after a transition, if it changed.
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
    /// A connection that goes.
    pub(crate) fn delete_connection(mut self, connection: &Connection, version: u64) -> Self {
        self.connections.push(connection.name.clone());
        self.event(connection.event("connection.deleted"))
            .delete(connection.id, version)
    }

    fn is_none(&self) -> bool {
        self.batch.is_empty() && self.audits.is_empty()
    }
}

/// Who is asked, after every failure of the store, whether to try again; gets the number of failures so far.
pub(super) struct Retries<F> {
    failures: u32,
    ask: F,
}

impl<F, W> Retries<F>
where
    F: FnMut(u32) -> W,
    W: Future<Output = bool>,
{
    /// The error, unless the work is tried again.
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
    /// Loads an aggregate, decides what changes, and commits it; where another writer was first, it begins again. What is
    /// sealed is sealed by `load`, so that `decide` is pure. `name` says in logs and failpoints which change it is.
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

    /// Changes as [`change`](Self::change) does. Whenever the store does not answer, `retry` is asked with the number of
    /// failures so far: it pauses, and says whether to try again.
    ///
    /// A change is committed once, also where the store applied it and its response was lost: what is tried again is the
    /// same batch, and where that conflicts with itself, it is committed.
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
            let fence = self.vault.fence();
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

    /// Changes with retries for a while: for what will not come again.
    pub(crate) async fn change_patiently<A, L, T>(
        &self,
        name: &'static str,
        load: impl Fn() -> L,
        decide: impl Fn(A) -> Result<(Change, T)>,
    ) -> Result<T>
    where
        L: Future<Output = Result<A>>,
    {
        let began = self.monotonic();
        let retry = |failures: u32| async move {
            let patient = self.monotonic().saturating_sub(began) < PATIENCE;
            if patient {
                let pause = Duration::from_millis(50) * 2_u32.pow(failures.min(6) - 1);
                self.runtime.sleep(pause.min(Duration::from_secs(2))).await;
            }
            patient
        };
        self.change_with_retries(name, load, decide, retry).await
    }

    /// Adds what must not exist yet and holds nothing that was sealed for it; `exists` is the error where it does.
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
            .commit(name, change, &self.vault.fence(), &mut retries)
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
            // Perhaps another process has changed the data key; whatever keeps it from being read, `load` meets it too.
            let _ = self.vault.reload().await;
        }
        // Even where the store does not answer: it may have committed.
        if !events.is_empty() {
            self.feed.committed();
        }
        match &outcome {
            Ok(Commit::Committed) => {
                for event in &events {
                    self.metrics.event(&event.name);
                    tracing::debug!(event = %event.name, data = %event.data, "event");
                }
            }
            Ok(Commit::Conflict) => {
                tracing::debug!(change = name, "another process changed the same rows first")
            }
            // The store itself reports, once, that it takes no writes.
            Err(error) => {
                tracing::debug!(change = name, %error, "the store didn't accept the change")
            }
        }
        // Even where the store does not answer: it may have committed.
        for identifier in &change.identifiers {
            self.snapshots.forget(identifier);
        }
        for connection in &change.connections {
            self.snapshots.forget_connection(connection);
        }
        if !change.connections.is_empty() {
            self.known_connections.forget();
        }
        outcome
    }

    /// Events with their ids and times, and with the names that follow from ids.
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
                id: EventId::from_uuid(self.new_id()),
                name: event.name.to_owned(),
                at: self.now(),
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

    /// Offers one batch until the store says what became of it, or no retry is left. A store that failed may have
    /// applied the batch all the same.
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

    /// Changes an account by one transition, for tests: what changes one is audited or has more to it.
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

    /// Changes an authorization by one transition; `None` where it stays.
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

    /// An account that was there a moment ago.
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
#[path = "change_tests.rs"]
mod tests;
