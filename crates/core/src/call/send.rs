//! Sends every request to the product, for tools and raw requests: rate limit, token, send, read, retry.

use std::{
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use super::{
    read::Reading,
    retry::{self, Failure},
    sending, unsent,
};
use crate::{
    Error, ErrorKind, Result,
    context::{
        Context, Endpoints, Snapshot, USER_AGENT, bulkheads::Held, rate_limit::Cost, time_is_over,
    },
    error::Upstream,
    oauth::{self, RefreshReason},
    policy::{Admission, Passing, Sending},
    ports::{
        Body, BoxFuture, Limits, OnNewConnection, Purpose, TransportError, TransportErrorKind,
    },
    product::Product,
    tool::Effect,
};

/// Maximum number of requests of one call. A tool that needs more has a bug.
const REQUESTS: u32 = 500;

/// A request to send: the differences between tools and raw requests.
pub(super) trait Outgoing: Send {
    /// The result for the caller.
    type Response;

    /// Its effect.
    fn effect(&self) -> Effect;
    /// Name of the product's origin that it's sent to.
    fn origin(&self) -> &'static str;
    /// Passes each of its requests to policies in its final form: itself, or the requests of a batch.
    fn each(
        &self,
        product: &'static Product,
        origin: &str,
        request: &http::Request<Body>,
        see: &mut dyn FnMut(&Sending<'_>) -> Result<()>,
    ) -> Result<()> {
        sending::shown(product, origin, request, self.effect(), false, see)
    }
    /// The URL for this attempt.
    fn target(&self, endpoints: &Endpoints, attempt: u8) -> Result<Uri>;
    /// Whether its response is forwarded as it arrives. The caller's time limit then applies only to the response's
    /// head.
    fn is_passed_on(&self) -> bool {
        false
    }
    /// Its time limits, and the maximum size of its response.
    fn limits(&self, product: &Product) -> Limits {
        product.limits
    }
    /// Its cost in units of the product's quota.
    fn cost(&self, product: &Product, target: &Uri) -> Cost;
    /// The request to send, without credentials and the product's own headers.
    fn build(&mut self, target: Uri) -> Result<http::Request<Body>>;
    /// Whether it can be built again.
    fn is_repeatable(&self) -> bool;
    /// Reads the response. The memory for it comes from the call's budget.
    fn read(
        &mut self,
        context: &Context,
        snapshot: &Snapshot,
        attempt: u8,
        response: http::Response<Body>,
        held: &Arc<Held>,
    ) -> impl Future<Output = Reading<Self::Response>> + Send;
    /// Pause before the next attempt. `None` if there isn't one.
    fn pause(
        &self,
        context: &Context,
        failure: &Failure,
        attempt: u8,
        left: Duration,
    ) -> Option<Duration>;
}

/// Sends the requests of one call.
pub(super) struct Sender<'c> {
    context: &'c Context,
    /// The account when the call started.
    snapshot: Arc<Snapshot>,
    ends_at: Duration,
    /// Requests that were sent.
    requests: &'c AtomicU32,
    /// Bytes in memory.
    held: &'c Arc<Held>,
    /// The decisions of policies on the call and its requests.
    pub(super) admission: &'c Admission,
}

impl<'c> Sender<'c> {
    pub(super) fn new(
        context: &'c Context,
        snapshot: Arc<Snapshot>,
        deadline: Duration,
        requests: &'c AtomicU32,
        held: &'c Arc<Held>,
        admission: &'c Admission,
    ) -> Self {
        Self {
            context,
            snapshot,
            ends_at: context.ends_at(deadline),
            requests,
            held,
            admission,
        }
    }

    pub(super) fn product(&self) -> &'static Product {
        self.snapshot.endpoints.product
    }

    /// Maximum number of concurrent requests of the account.
    pub(super) fn at_once(&self) -> usize {
        self.snapshot.rate_limiter.at_once(self.product())
    }

    pub(super) fn left(&self) -> Duration {
        self.ends_at.saturating_sub(self.context.host.monotonic())
    }

    /// The remaining time. Fails if there is none.
    fn check_time(&self) -> Result<Duration> {
        let left = self.left();
        match left.is_zero() {
            true => Err(time_is_over()),
            false => Ok(left),
        }
    }

    /// Waits, if the call's deadline allows it.
    pub(super) async fn pause(&self, duration: Duration) -> Result<()> {
        if duration >= self.left() {
            return Err(Error::new(
                ErrorKind::ProductTimeout,
                "the call's deadline would pass before the product allows the next request; nothing more was sent",
            ));
        }
        self.context.host.runtime.sleep(duration).await;
        Ok(())
    }

    /// Sends one request, with retries, until there is a response or a final error.
    pub(super) async fn send<O: Outgoing>(&self, outgoing: &mut O) -> Result<O::Response> {
        let mut may_be_done = false;
        let sent = self.attempts(outgoing, &mut may_be_done).await;
        sent.map_err(|error| match may_be_done && error.retryable() {
            true => retry::unknown(error),
            false => error,
        })
    }

    /// `may_be_done` says whether an earlier attempt may have been carried out.
    async fn attempts<O: Outgoing>(
        &self,
        outgoing: &mut O,
        may_be_done: &mut bool,
    ) -> Result<O::Response> {
        let (context, product) = (self.context, self.product());
        let effect = outgoing.effect();
        let mut attempt = 1;
        let (mut refreshed, mut on_new_connection) = (false, false);
        loop {
            // A request that isn't sent any more shouldn't use the quota.
            self.check_time()?;
            let target = outgoing.target(&self.snapshot.endpoints, attempt)?;
            let cost = outgoing.cost(product, &target);
            let limiter = &self.snapshot.rate_limiter;
            let shared = context.share_quota(self.snapshot.account.id, limiter, cost);
            self.in_time(pin!(shared.map(Ok))).await?;
            let permit = limiter
                .acquire(context.host.runtime.as_ref(), cost, self.left())
                .await?;
            let snapshot = self.live(permit.waited).await?;
            // A token is only sent to the endpoints of its own snapshot.
            let target = match Arc::ptr_eq(&snapshot, &self.snapshot) {
                true => target,
                false => outgoing.target(&snapshot.endpoints, attempt)?,
            };
            let mut request = outgoing.build(target)?;
            let passing = self.decide(outgoing, &snapshot, &request)?;
            self.in_time(pin!(self.admission.pass(context, passing)))
                .await?;
            let limits = outgoing.limits(product);
            self.finish(&mut request, limits, outgoing.is_passed_on(), &snapshot)?;
            if on_new_connection {
                request.extensions_mut().insert(OnNewConnection);
            }
            if self.requests.fetch_add(1, Ordering::Relaxed) >= REQUESTS {
                return Err(Error::new(
                    ErrorKind::Internal,
                    format!("a call can send at most {REQUESTS} requests"),
                ));
            }
            tracing::debug!(product = product.name, method = %request.method(), "request to the product");
            let began = context.host.monotonic();
            let sent = context.products.send(request);
            let sent = match limits.steady {
                0 => sent.await,
                _ => self.in_callers_time(sent).await,
            };
            drop(permit);
            let status = sent.as_ref().ok().map(http::Response::status);
            let reading = match sent {
                Ok(response) => {
                    snapshot.places.responded(context.host.monotonic());
                    outgoing
                        .read(context, &snapshot, attempt, response, self.held)
                        .await
                }
                Err(error) => {
                    let origin = outgoing.origin();
                    Reading::Failure(unsent::failure(context, &snapshot, origin, error, effect))
                }
            };
            let took = context.host.monotonic().saturating_sub(began);
            context.host.metrics.request(product.name, status, took);
            match reading {
                Reading::Response(response) => return Ok(response),
                Reading::Unauthorized if refreshed => {
                    return Err(rejected_token(REJECTED_AGAIN));
                }
                Reading::Unauthorized => {
                    refreshed = true;
                    // Even if this request can't be built again, the next call gets a new token.
                    let renewed = oauth::refresh_now(context, &snapshot, RefreshReason::Refused);
                    self.in_time(pin!(renewed)).await?;
                    if !outgoing.is_repeatable() {
                        return Err(rejected_token(NOT_REPEATABLE));
                    }
                }
                Reading::Failure(mut failure) => {
                    failure.error = failure.error.without_secrets(&snapshot.secrets());
                    on_new_connection = failure.on_new_connection;
                    let is_unknown = effect != Effect::Read && failure.may_be_done();
                    match outgoing.pause(context, &failure, attempt, self.left()) {
                        None => return Err(retry::classify(effect, failure)),
                        Some(Duration::ZERO) => {}
                        Some(pause) => context.host.runtime.sleep(pause).await,
                    }
                    *may_be_done |= is_unknown;
                    attempt += 1;
                }
            }
        }
    }

    /// Decides on a request, and on each part of a batch.
    fn decide<O: Outgoing>(
        &self,
        outgoing: &O,
        snapshot: &Snapshot,
        request: &http::Request<Body>,
    ) -> Result<Passing> {
        let mut passing = Passing::default();
        let product = self.product();
        if !self.admission.can_refuse(product, request.method()) {
            return Ok(passing);
        }
        let (origin, _) = snapshot.endpoints.origin_or_fail(outgoing.origin())?;
        outgoing.each(product, origin, request, &mut |sending| {
            let one = self.admission.request(sending)?;
            passing = std::mem::take(&mut passing).and(one);
            Ok(())
        })?;
        Ok(passing)
    }

    /// The account with a working token. It may have been disconnected or refreshed since the call started, except for
    /// the call's first request if that didn't wait.
    async fn live(&self, waited: bool) -> Result<Arc<Snapshot>> {
        let live = async {
            let snapshot = if waited || self.requests.load(Ordering::Relaxed) > 0 {
                self.context.snapshot(&self.snapshot.of).await?
            } else {
                Arc::clone(&self.snapshot)
            };
            oauth::live(self.context, snapshot).await
        };
        let live = self.in_time(pin!(live)).await?;
        // Everything that the call has read and sent so far belongs to one account, client and host.
        if live.account.id != self.snapshot.account.id
            || live.connection.client_epoch != self.snapshot.connection.client_epoch
        {
            return Err(Error::new(
                ErrorKind::ConnectionNotReady,
                "the connection's client changed during the call, so this request wasn't sent; check what the call has done, then call again",
            ));
        }
        Ok(live)
    }

    /// The result of a wait, unless the call's deadline passes first.
    async fn in_time<T>(&self, work: Pin<&mut impl Future<Output = Result<T>>>) -> Result<T> {
        self.context.until(self.ends_at, work).await
    }

    /// The head of a response. A request body that keeps arriving extends the time limit of the exchange, but not the
    /// caller's deadline.
    async fn in_callers_time(
        &self,
        sent: BoxFuture<'_, Result<http::Response<Body>, TransportError>>,
    ) -> Result<http::Response<Body>, TransportError> {
        let sent = pin!(sent.map(Ok));
        let sent = self.context.in_time(sent).await;
        sent.unwrap_or_else(|_| {
            let message = "the call's deadline passed before the product responded";
            Err(TransportError::new(TransportErrorKind::TimedOut, message))
        })
    }

    /// Adds everything that a request to a product needs: headers, the user's token, and the remaining time.
    fn finish(
        &self,
        request: &mut http::Request<Body>,
        limits: Limits,
        passes_on: bool,
        snapshot: &Snapshot,
    ) -> Result<()> {
        let (product, left) = (self.product(), self.check_time()?);
        let headers = request.headers_mut();
        set_product_headers(headers, product);
        headers.insert(header::AUTHORIZATION, snapshot.usable()?.bearer()?.clone());
        request.extensions_mut().insert(Purpose::Call);
        request.extensions_mut().insert(Limits {
            total: if passes_on {
                limits.total
            } else {
                limits.total.min(left)
            },
            first_byte: limits.first_byte.min(left),
            ..limits
        });
        Ok(())
    }
}

/// Adds the headers that every request to a product has, without replacing those of the request. If the product has a
/// user agent, it replaces Stead's.
pub(super) fn set_product_headers(headers: &mut HeaderMap, product: &Product) {
    for (name, value) in product.headers {
        headers
            .entry(HeaderName::from_static(name))
            .or_insert(HeaderValue::from_static(value));
    }
    headers.entry(header::USER_AGENT).or_insert(USER_AGENT);
}

const REJECTED_AGAIN: &str = "the product refuses a token that it has just issued; if this continues, the user needs to authorize again";
const NOT_REPEATABLE: &str = "the product refused the token, and a streamed body can't be sent twice; Stead has refreshed the token, so send the request again";

fn rejected_token(message: &str) -> Error {
    Error::new(ErrorKind::ProductRejectedToken, message).with_upstream(Upstream::new(401))
}
