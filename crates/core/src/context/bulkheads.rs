//! Limits on running calls. A product that hangs slows down only its own calls, an application or account that sends
//! too many leaves room for others, and a burst can't use all memory. Stead immediately rejects calls over a limit.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::moment::Moment;
use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    identifier::ConnectionId,
    ports::{Body, TransportError},
    shares::{Holder, Share, Shares},
};

/// A product counts as hanging if it hasn't responded to anything for this long while calls were waiting.
const STALLED: Duration = Duration::from_secs(5);
/// Bytes that every call can hold without using the budget. The number of calls limits their sum.
const FREE: u64 = 64 * 1024;
/// Unit of the budget in bytes.
const PIECE: u64 = 1024;
/// Key for the shares of all calls. Products have the following numbers.
const OF_ALL: u128 = 0;

/// Limits on running calls and on the memory that they use. Above a limit, a call immediately fails with
/// [`Overloaded`](ErrorKind::Overloaded), or with [`ProductUnavailable`](ErrorKind::ProductUnavailable) if the running
/// calls wait for a product that doesn't respond.
///
/// No one can use all of a limit. An application gets no more calls once it runs three times as many as are free, so it
/// can use at most three quarters. This applies to all calls, to each product and to each connection. An account is
/// limited in the same way at its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, stead_derive::Setters)]
#[setters(all)]
#[non_exhaustive]
pub struct CallLimits {
    /// Maximum number of running calls, including responses that are being forwarded. Defaults to 4,096.
    pub calls: u32,
    /// Maximum number of running calls to one product. Defaults to 2,048.
    pub calls_per_product: u32,
    /// Maximum number of running calls through one connection. Defaults to 1,024.
    pub calls_per_connection: u32,
    /// Maximum number of requests of one account that wait for its rate limit. Defaults to 1,000.
    pub waiting_per_account: u32,
    /// Maximum memory of all running calls in bytes, not counting the first 64 KiB of each. Defaults to 512 MiB. An
    /// input counts as its size in memory after parsing. A response counts twice, and four more times if Stead shapes
    /// it.
    pub bytes: u64,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            calls: 4096,
            calls_per_product: 2048,
            calls_per_connection: 1024,
            waiting_per_account: 1000,
            bytes: 512 * 1024 * 1024,
        }
    }
}

/// The limits, and the calls that count toward them.
pub(crate) struct Bulkheads {
    limits: CallLimits,
    calls: Arc<Semaphore>,
    /// Running calls per application and limit.
    shares: Arc<Shares>,
    /// Free memory, in units of `PIECE`.
    bytes: Arc<Semaphore>,
    products: BTreeMap<&'static str, Arc<Bulkhead>>,
    connections: Mutex<HashMap<ConnectionId, Arc<Bulkhead>>>,
}

/// The limit of one product or one connection.
struct Bulkhead {
    limit: usize,
    free: Arc<Semaphore>,
    shares: Arc<Shares>,
    /// Key of this limit in `shares`.
    of: u128,
    /// When the product last responded, or when the first of the running calls was sent.
    responded_at: Moment,
}

/// The limits of a connection and its product.
#[derive(Clone)]
pub(crate) struct Places {
    connection: Arc<Bulkhead>,
    product: Arc<Bulkhead>,
}

/// One running call, counted for its application and for the limit.
type Taken = (Option<Share>, OwnedSemaphorePermit);

/// A running call, counted toward the limit of all calls until this is dropped.
#[derive(Debug)]
pub(crate) struct Entered(#[expect(dead_code, reason = "released on drop")] Taken);

/// A running call to a product, counted toward its limits until this is dropped.
#[derive(Debug)]
pub(crate) struct Place(#[expect(dead_code, reason = "released on drop")] (Share, [Taken; 2]));

impl Bulkheads {
    pub(crate) fn new(limits: CallLimits, products: impl Iterator<Item = &'static str>) -> Self {
        let shares = Arc::<Shares>::default();
        let per_product = |(index, name)| {
            let places = Bulkhead::new(limits.calls_per_product, &shares, OF_ALL + 1 + index);
            (name, Arc::new(places))
        };
        let pieces = usize::try_from(limits.bytes / PIECE).unwrap_or(usize::MAX);
        Self {
            limits,
            calls: Arc::new(semaphore(limits.calls as usize)),
            bytes: Arc::new(semaphore(pieces)),
            products: (0..).zip(products).map(per_product).collect(),
            shares,
            connections: Mutex::default(),
        }
    }

    /// Admits a call, if the limit of all calls allows it.
    pub(crate) fn enter(&self, caller: &Caller) -> Result<Entered> {
        let share = share(&self.shares, caller, OF_ALL, self.calls.available_permits());
        let share = share.map_err(|held| overloaded(held.message("in all")))?;
        let entered = Arc::clone(&self.calls).try_acquire_owned();
        let entered = entered.map_err(|_| {
            let limit = self.limits.calls;
            overloaded(format!(
                "{limit} calls are running, the maximum of this environment; try again shortly"
            ))
        })?;
        Ok(Entered((share, entered)))
    }

    /// The limits of a connection. An unknown product has no limit of its own.
    pub(crate) fn of(&self, product: &str, connection: ConnectionId) -> Places {
        let mut connections = lock(&self.connections);
        if !connections.contains_key(&connection) {
            // Removes connections that no account's snapshot uses.
            connections.retain(|_, places| Arc::strong_count(places) > 1);
        }
        let per_connection = self.limits.calls_per_connection;
        let connection = connections.entry(connection).or_insert_with(|| {
            let of = connection.uuid().as_u128();
            Arc::new(Bulkhead::new(per_connection, &self.shares, of))
        });
        let product = self.products.get(product).unwrap_or(connection);
        Places {
            product: Arc::clone(product),
            connection: Arc::clone(connection),
        }
    }

    /// A memory budget for one call.
    pub(crate) fn bytes(&self) -> Arc<Held> {
        Arc::new(Held {
            budget: Arc::clone(&self.bytes),
            taken: Mutex::default(),
        })
    }

    /// Number of running calls, and the bytes that they hold.
    pub(crate) fn in_flight(&self) -> (usize, u64) {
        let pieces = self.limits.bytes / PIECE - self.bytes.available_permits() as u64;
        let calls = self.limits.calls as usize - self.calls.available_permits();
        (calls, pieces * PIECE)
    }
}

impl Places {
    /// Admits an account's call to the product.
    pub(crate) fn enter(&self, now: Duration, caller: &Caller, account: &Holder) -> Result<Place> {
        let free = self.connection.free.available_permits();
        let share = account.take(free).map_err(|held| {
            let message = format!(
                "this account has {held} running calls, and Stead keeps the connection's remaining capacity for other accounts"
            );
            self.connection.refused(now, held, message)
        })?;
        let places = [
            self.connection.enter(now, caller, "at this connection")?,
            self.product.enter(now, caller, "to this product")?,
        ];
        Ok(Place((share, places)))
    }

    /// Records that the product has responded.
    pub(crate) fn responded(&self, now: Duration) {
        self.connection.responded_at.set(now);
        self.product.responded_at.set(now);
    }
}

impl Bulkhead {
    fn new(limit: u32, shares: &Arc<Shares>, of: u128) -> Self {
        let free = semaphore(limit as usize);
        Self {
            limit: free.available_permits(),
            free: Arc::new(free),
            shares: Arc::clone(shares),
            of,
            responded_at: Moment::default(),
        }
    }

    fn enter(&self, now: Duration, caller: &Caller, whose: &str) -> Result<Taken> {
        let free = self.free.available_permits();
        if free == self.limit {
            self.responded_at.set(now);
        }
        let share = share(&self.shares, caller, self.of, free)
            .map_err(|held| self.refused(now, held.0, held.message(whose)))?;
        let permit = Arc::clone(&self.free).try_acquire_owned().map_err(|_| {
            let message = format!(
                "{} calls {whose} are running, the maximum; try again shortly",
                self.limit
            );
            self.refused(now, self.limit, message)
        })?;
        Ok((share, permit))
    }

    /// The error for a call over the limit. It depends on whether the product still responds.
    fn refused(&self, now: Duration, calls: usize, message: String) -> Error {
        let silence = now.saturating_sub(self.responded_at.get());
        if silence < STALLED {
            return overloaded(message);
        }
        let seconds = silence.as_secs();
        Error::new(
            ErrorKind::ProductUnavailable,
            format!(
                "the product hasn't responded for {seconds} s, and {calls} calls are waiting for it; this one wasn't sent"
            ),
        )
        .with_retry_after(STALLED)
    }
}

/// Number of running calls of an application that has reached its share.
struct TooMany(usize);

impl TooMany {
    fn message(&self, whose: &str) -> String {
        let held = self.0;
        format!(
            "you have {held} running calls {whose}, and Stead keeps the remaining capacity for other applications"
        )
    }
}

/// Counts the call toward the caller's share. The operator, users and Stead itself have no share.
fn share(
    shares: &Shares,
    caller: &Caller,
    of: u128,
    free: usize,
) -> Result<Option<Share>, TooMany> {
    let holder = caller.holder().map(|holder| shares.of((holder, of)));
    let share = holder.map(|holder| holder.take(free)).transpose();
    share.map_err(TooMany)
}

/// Memory that one call holds. Dropping this frees it.
pub(crate) struct Held {
    budget: Arc<Semaphore>,
    taken: Mutex<TakenBytes>,
}

#[derive(Default)]
struct TakenBytes {
    bytes: u64,
    permit: Option<OwnedSemaphorePermit>,
}

/// Why a body couldn't be collected.
#[derive(Debug)]
pub(crate) enum Unread {
    Broken(TransportError),
    /// The memory budget is used up.
    Overloaded(Error),
}

impl From<TransportError> for Unread {
    fn from(error: TransportError) -> Self {
        Self::Broken(error)
    }
}

impl Held {
    /// Reserves more bytes.
    pub(crate) fn add(&self, bytes: u64) -> Result<()> {
        let mut taken = lock(&self.taken);
        let sum = taken.bytes.saturating_add(bytes);
        let pieces = sum.saturating_sub(FREE).div_ceil(PIECE);
        let permits = taken
            .permit
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        let more = pieces.saturating_sub(permits as u64);
        if more > 0 {
            let permit = Arc::clone(&self.budget)
                .try_acquire_many_owned(u32::try_from(more).unwrap_or(u32::MAX))
                .map_err(|_| {
                    overloaded(String::from(
                        "running calls use all the memory that this environment allows for them; try again shortly",
                    ))
                })?;
            match &mut taken.permit {
                None => taken.permit = Some(permit),
                Some(taken) => taken.merge(permit),
            }
        }
        taken.bytes = sum;
        Ok(())
    }

    /// Reserves the approximate size of an input in memory, and returns it.
    pub(crate) fn add_input(&self, input: &Value) -> Result<u64> {
        let size = size(input);
        self.add(size).map(|()| size)
    }

    /// Collects a body of at most `limit` bytes, counting each byte `copies` times.
    pub(crate) async fn collect(
        &self,
        body: Body,
        limit: u64,
        copies: u64,
    ) -> Result<Bytes, Unread> {
        let take = |more: u64| self.add(more.saturating_mul(copies));
        body.collect_within(limit, |more| take(more).map_err(Unread::Overloaded))
            .await
    }
}

/// Approximate size of a value in memory.
fn size(value: &Value) -> u64 {
    let own = size_of::<Value>() as u64;
    own + match value {
        Value::String(text) => text.len() as u64,
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| name.len() as u64 + size(value))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn semaphore(limit: usize) -> Semaphore {
    Semaphore::new(limit.clamp(1, Semaphore::MAX_PERMITS))
}

fn overloaded(message: String) -> Error {
    Error::new(ErrorKind::Overloaded, message).with_retry_after(Duration::from_secs(1))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
