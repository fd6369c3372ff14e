//! How much may be in flight at the same time, so that a product that stalls starves only itself, an application or
//! an account that floods leaves room for the others, and no burst takes all memory. What is beyond is refused at once.

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

/// A product that has responded to nothing for so long, while it was asked, stalls.
const STALLED: Duration = Duration::from_secs(5);
/// Bytes that every call may hold without asking; their sum is bounded by the number of calls.
const FREE: u64 = 64 * 1024;
/// The budget of bytes is counted in pieces of so many.
const PIECE: u64 = 1024;
/// The places of all calls, among those that are shared; those of products follow.
const OF_ALL: u128 = 0;

/// Most calls in flight, and most bytes that they hold. What is beyond is refused at once with
/// [`Overloaded`](ErrorKind::Overloaded), or with [`ProductUnavailable`](ErrorKind::ProductUnavailable) where the calls
/// of a product are in flight because it does not respond.
///
/// No application gets one more place once it has three times as many as are free, of all, of a product or of a connection;
/// and no account at its connection. So one that takes what it can has three quarters at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallLimits {
    /// Calls in flight in all, and responses that are being passed on; 4,096 unless told.
    pub calls: u32,
    /// Those of one product; 2,048 unless told.
    pub calls_per_product: u32,
    /// Those of one connection; 1,024 unless told.
    pub calls_per_connection: u32,
    /// Requests of one account that wait for its rate limit; 1,000 unless told.
    pub waiting_per_account: u32,
    /// Bytes that calls hold in memory besides the first 64 KiB of each; 512 MiB unless told. An input counts as what it is
    /// parsed into, a response twice, and one that is shaped four times more.
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

/// The places of all calls.
pub(crate) struct Bulkheads {
    limits: CallLimits,
    calls: Arc<Semaphore>,
    /// By applications, and of what.
    shares: Arc<Shares>,
    /// In pieces.
    bytes: Arc<Semaphore>,
    products: BTreeMap<&'static str, Arc<Bulkhead>>,
    connections: Mutex<HashMap<ConnectionId, Arc<Bulkhead>>>,
}

/// The places of one product or of one connection.
struct Bulkhead {
    limit: usize,
    free: Arc<Semaphore>,
    shares: Arc<Shares>,
    /// Tells these places from others.
    of: u128,
    /// When the product responded, or was asked first.
    responded_at: Moment,
}

/// The places of a connection and those of its product.
#[derive(Clone)]
pub(crate) struct Places {
    connection: Arc<Bulkhead>,
    product: Arc<Bulkhead>,
}

/// A place, and whose it is.
type Taken = (Option<Share>, OwnedSemaphorePermit);

/// A call among all of them; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Entered(#[expect(dead_code, reason = "held for its end")] Taken);

/// A call to a product.
#[derive(Debug)]
pub(crate) struct Place(#[expect(dead_code, reason = "held for its end")] (Share, [Taken; 2]));

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

    /// Lets a call in.
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

    /// The places of a connection. The limit of an unknown product is that of the connection.
    pub(crate) fn of(&self, product: &str, connection: ConnectionId) -> Places {
        let mut connections = lock(&self.connections);
        if !connections.contains_key(&connection) {
            // The places of a connection that no account's snapshot names any more.
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

    /// A budget of bytes for one call.
    pub(crate) fn bytes(&self) -> Arc<Held> {
        Arc::new(Held {
            budget: Arc::clone(&self.bytes),
            taken: Mutex::default(),
        })
    }

    /// Calls in flight, and bytes that they hold.
    pub(crate) fn in_flight(&self) -> (usize, u64) {
        let pieces = self.limits.bytes / PIECE - self.bytes.available_permits() as u64;
        let calls = self.limits.calls as usize - self.calls.available_permits();
        (calls, pieces * PIECE)
    }
}

impl Places {
    /// Lets a call of an account to the product begin.
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

    /// The product has responded to a request.
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

    /// Why no more calls are taken: that so many are in flight, or that the product does not respond.
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

/// How many an application has, which gets no more.
struct TooMany(usize);

impl TooMany {
    fn message(&self, whose: &str) -> String {
        let held = self.0;
        format!(
            "you have {held} running calls {whose}, and Stead keeps the remaining capacity for other applications"
        )
    }
}

/// The caller's share of some places. Whoever opened the environment shares with no one.
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

/// Bytes that one call holds; they are given back when this is dropped.
pub(crate) struct Held {
    budget: Arc<Semaphore>,
    taken: Mutex<TakenBytes>,
}

#[derive(Default)]
struct TakenBytes {
    bytes: u64,
    permit: Option<OwnedSemaphorePermit>,
}

/// A body that could not be collected.
#[derive(Debug)]
pub(crate) enum Unread {
    Broken(TransportError),
    /// There is no memory for it.
    Overloaded(Error),
}

impl From<TransportError> for Unread {
    fn from(error: TransportError) -> Self {
        Self::Broken(error)
    }
}

impl Held {
    /// Takes so many bytes more.
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

    /// Takes what an input needs, roughly, and says how much that is.
    pub(crate) fn add_input(&self, input: &Value) -> Result<u64> {
        let size = size(input);
        self.add(size).map(|()| size)
    }

    /// Collects a body of at most `limit` bytes, of which each is held so many times.
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

/// What a value holds in memory, roughly.
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
