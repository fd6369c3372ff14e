//! The only way in which an aggregate changes: load it, decide, commit everything together, and again on a conflict.

use std::time::Duration;

use super::Context;
use crate::{
    Error, ErrorKind, Result,
    domain::{
        Account, Authorization, Connection, Credential, Event, NewEvent, OutboxEntry, account,
        authorization,
    },
    identifier::{AccountId, AuthorizationId, ConnectionName, EventId, Identifier},
    store::{Batch, Commit, Key, Record, Rewritten, Versioned},
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
    pub(crate) fn event(mut self, event: NewEvent) -> Self {
        self.events.push(event);
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
        version: u64,
    ) -> Self {
        let Some((account, event)) = changed else {
            return self;
        };
        self.identifiers.push(account.identifier.clone());
        self.events.extend(event.map(|name| account.event(name)));
        self.update(account, version)
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
        self.batch.is_empty()
    }
}

/// Who is asked, after every failure of the store, whether to try again; gets the number of failures so far.
struct Retries<F> {
    failures: u32,
    ask: F,
}

impl<F, W> Retries<F>
where
    F: FnMut(u32) -> W,
    W: Future<Output = bool>,
{
    /// The error, unless the work is tried again.
    async fn after(&mut self, error: Error) -> Result<()> {
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
            let loaded = match load().await {
                Ok(loaded) => loaded,
                Err(error) => {
                    retries.after(error).await?;
                    continue;
                }
            };
            let (change, value) = decide(loaded)?;
            if change.is_none()
                || self.commit(name, change, &mut retries).await? == Commit::Committed
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

    /// Adds what must not exist yet; `exists` is the error where it does.
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
        match self.commit(name, change, &mut retries).await? {
            Commit::Committed => Ok(()),
            Commit::Conflict => Err(exists),
        }
    }

    async fn commit<F, W>(
        &self,
        name: &'static str,
        change: Change,
        retries: &mut Retries<F>,
    ) -> Result<Commit>
    where
        F: FnMut(u32) -> W,
        W: Future<Output = bool>,
    {
        let events: Vec<Event> = change
            .events
            .into_iter()
            .map(|event| Event {
                id: EventId::from_uuid(self.new_id()),
                name: event.name.to_owned(),
                at: self.now(),
                account_id: event.account_id,
                data: event.data,
            })
            .collect();
        let batch = change.batch.named(name);
        let batch = events.iter().cloned().fold(batch, Batch::insert);
        let outcome = self.offer(batch, retries).await;
        match &outcome {
            Ok(Commit::Committed) => {
                for event in &events {
                    tracing::debug!(event = %event.name, data = %event.data, "event");
                }
            }
            Ok(Commit::Conflict) => tracing::debug!(change = name, "another writer was first"),
            // The store itself reports, once, that it takes no writes.
            Err(error) => tracing::debug!(change = name, %error, "the store took no change"),
        }
        // Even where the store does not answer: it may have committed.
        for identifier in &change.identifiers {
            self.snapshots.forget(identifier);
        }
        for connection in &change.connections {
            self.snapshots.forget_connection(connection);
        }
        outcome
    }

    /// Offers one batch until the store says what became of it, or no retry is left. A store that failed may have
    /// applied the batch all the same.
    async fn offer<F, W>(&self, batch: Batch, retries: &mut Retries<F>) -> Result<Commit>
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

    /// Changes an account by one transition.
    pub(crate) async fn change_account(
        &self,
        name: &'static str,
        id: AccountId,
        decide: impl Fn(&Versioned<Account>) -> account::Transition,
    ) -> Result<Account> {
        self.change(
            name,
            || self.existing_account(id),
            |account: Versioned<Account>| {
                let changed = decide(&account)?;
                let after = changed.as_ref().map_or(account.row, |(row, _)| row.clone());
                Ok((Change::none().account(changed, account.version), after))
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
                "the account was deleted meanwhile",
            )
        })
    }
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
