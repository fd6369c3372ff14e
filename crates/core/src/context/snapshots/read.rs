//! Reads accounts, from memory while that is reliable and otherwise from the store.

use std::{pin::pin, sync::Arc, time::Duration};

use futures_util::future::{Either, FutureExt as _, select};

use super::{Slots, Snapshot};
use crate::{
    ErrorKind, Result,
    context::{Context, TokenSet, moment::Moment},
    domain::{Account, AccountRef, readiness::never_authorized},
    state::AccountState,
};

/// How long a caller waits for the store if memory could be used instead.
pub(in crate::context) const PATIENCE: Duration = Duration::from_secs(1);

impl Context {
    /// The snapshot of an account, from the cache while that is reliable and otherwise from the store. While the store
    /// is unavailable, the last snapshot is used.
    pub(crate) async fn snapshot(&self, of: &AccountRef) -> Result<Arc<Snapshot>> {
        self.check_seen(&of.connection).await?;
        let reliable = self.reliable_since().await;
        let cached = self.memory.snapshots.cached(of, reliable.now);
        if let Some(reliable) = cached
            .as_ref()
            .filter(|cached| cached.read_at >= reliable.since)
        {
            return Ok(Arc::clone(reliable));
        }
        let last = cached.filter(|cached| cached.age(reliable.now) < self.memory.store_outage);
        self.last_or_read(last, reliable.began, || self.reading(of))
            .await
    }

    /// Result of a read. If the store is unavailable or hasn't responded for a second, the last read data instead. A
    /// caller with a shorter deadline doesn't get old data earlier.
    pub(crate) async fn last_or_read<T, R>(
        &self,
        last: Option<T>,
        began: Duration,
        reading: impl FnOnce() -> R,
    ) -> Result<T>
    where
        R: Future<Output = Result<T>> + Unpin,
    {
        let Some(last) = last else {
            return self.in_time(pin!(reading())).await;
        };
        if self.store.is_away() {
            return Ok(last);
        }
        let waited = self.host.monotonic().saturating_sub(began);
        let patience = self.host.runtime.sleep(PATIENCE.saturating_sub(waited));
        let read = async {
            match select(reading(), patience).await {
                Either::Left((Err(error), _)) if error.kind() == ErrorKind::StorageUnavailable => {
                    Ok(last)
                }
                Either::Left((read, _)) => read,
                Either::Right(_) => Ok(last),
            }
        };
        self.in_time(pin!(read)).await
    }

    /// Starts a read or joins a running one. The read continues even if no one waits for it.
    fn reading(
        &self,
        of: &AccountRef,
    ) -> impl Future<Output = Result<Arc<Snapshot>>> + Unpin + Send + 'static {
        let (context, key) = (
            self.clone(),
            (of.clone(), self.memory.snapshots.epoch(Slots::of(of))),
        );
        self.memory
            .snapshots
            .readings
            .join(self.host.runtime.as_ref(), key, |guard| {
                let of = of.clone();
                async move {
                    let read = context.reload(&of).await;
                    drop(guard);
                    read
                }
                .boxed()
            })
    }

    /// Reads an account from the store and keeps its snapshot.
    pub(crate) async fn reload(&self, of: &AccountRef) -> Result<Arc<Snapshot>> {
        match self.read(of).await {
            Ok(snapshot) => {
                let snapshot = Arc::new(snapshot);
                self.memory.snapshots.keep(&snapshot);
                Ok(snapshot)
            }
            Err(error) => {
                if error.kind() != ErrorKind::StorageUnavailable {
                    self.memory.snapshots.cache.remove(of);
                }
                Err(error)
            }
        }
    }

    /// An account with its tokens, if it's active. Another process may replace and shred a generation after the account
    /// was read, so the account is read again if its tokens are gone.
    pub(super) async fn current_tokens(
        &self,
        mut account: Account,
    ) -> Result<(Account, Option<TokenSet>)> {
        while account.state == AccountState::Active {
            let tokens = self.tokens(&account, account.generation).await?;
            if tokens.is_some() {
                return Ok((account, tokens));
            }
            match self.store.account(account.id).await? {
                Some(found) if found.row.generation != account.generation => account = found.row,
                _ => break,
            }
        }
        Ok((account, None))
    }

    pub(super) async fn read(&self, of: &AccountRef) -> Result<Snapshot> {
        let slots = Slots::of(of);
        let (epoch, read_at) = (self.memory.snapshots.epoch(slots), self.host.monotonic());
        let mut connection = self.existing_connection(&of.connection).await?.row;
        let account = self.store.account_of(connection.id, &of.identifier).await?;
        let account = account.map(|account| account.row);
        // The client changed between the two reads, and the account is already authorized for the new one.
        if account
            .as_ref()
            .is_some_and(|account| account.client_epoch > connection.client_epoch)
        {
            connection = self.connection_by_id(connection.id).await?.row;
        }
        let connection = Arc::new(connection);
        let Some(account) = account else {
            let product = self.products.endpoints(&connection.product)?.product;
            return Err(never_authorized(product, &connection, &of.identifier));
        };
        let endpoints = self.endpoints_of(&connection)?;
        let product = endpoints.product;
        let own = product.derived(&connection.settings)?.quota;
        let quota = (endpoints.rate_limited).then_some(own.unwrap_or(product.quota));
        let (account, tokens) = self.current_tokens(account).await?;
        Ok(Snapshot {
            of: of.clone(),
            rate_limiter: self.limits.rates.of(account.id, quota),
            places: self.limits.bulkheads.of(product.name, connection.id),
            endpoints,
            connection,
            account,
            tokens,
            slots,
            epoch,
            read_at,
            used_at: Moment::new(read_at),
        })
    }
}
