//! A call with an idempotency key: it is made once, and whoever asks again reads what came of it.
//!
//! Calls of a key take turns in a process; among processes a row decides, which is inserted before the product is
//! called. A call of which only the beginning is known is made again only where the product would recognise it. Calls that
//! only read, and those without a key, cost nothing here.

use std::{pin::pin, sync::Arc, time::Duration};

use futures_util::future::{Either, select};
use http::StatusCode;
use serde::Serialize;
use uuid::Uuid;

use super::outcome::{Outcome, Response, mismatch};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change, keyed_calls},
    digest::Digest,
    domain::{KeyedCall, account_ref::connection_name},
    identifier::{AccountId, ExecutionId},
    ports::Body,
    resource::Execution,
    seal::place,
    store::Versioned,
};

/// How long a call waits for another with the same key.
const WAIT: Duration = Duration::from_secs(10);
/// How often it looks whether that of another process has ended.
const LOOK: Duration = Duration::from_millis(200);
/// When to ask again about one that is still under way.
const SOON: Duration = Duration::from_secs(2);
/// Bytes of an outcome that are kept.
const KEPT: usize = 64 * 1024;
/// What a key stands for.
#[derive(Clone)]
pub(super) struct Keyed {
    key: Digest,
    request: Digest,
}

impl Keyed {
    /// A key of the present caller for this route, and what is asked with it.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] if it is not 1 to 255 printable ASCII characters.
    pub(super) fn new(
        context: &Context,
        route: &str,
        key: &str,
        request: &impl Serialize,
    ) -> Result<Self> {
        let printable = key.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if !(1..=255).contains(&key.len()) || !printable {
            let rule = "an idempotency key has 1 to 255 printable ASCII characters";
            return Err(Error::invalid_at("/idempotency_key", rule));
        }
        // Members of an object are sorted in a value, so that their order makes no difference.
        let request = serde_json::to_value(request).map_err(unwritable)?;
        let caller = &context.caller;
        let (kind, id) = (caller.kind(), caller.id().unwrap_or_default());
        Ok(Self {
            key: Digest::of(&format!("{kind}\0{id}\0{route}\0{key}")),
            request: Digest::of(&request.to_string()),
        })
    }
}

impl Keyed {
    /// Stands for the key, the caller and the route.
    pub(super) fn key(&self) -> &str {
        self.key.as_str()
    }
}

/// The turn of a call: no other call with its key is under way in this process.
pub(super) struct Turn {
    context: Context,
    keyed: Keyed,
    /// Until when it waits for another.
    waits_until: Duration,
    /// The call that was begun.
    started: Option<ExecutionId>,
    /// An earlier one that was cut off, and which the product would recognise.
    cut_off: Option<KeyedCall>,
    /// Another process was first.
    lost: bool,
    _turn: keyed_calls::Turn,
}

impl Turn {
    /// Waits for it, for a while.
    pub(super) async fn wait(context: &Context, keyed: Keyed, connection: &str) -> Result<Self> {
        // What the caller may not know of has no outcomes either.
        context.check_seen(&connection_name(connection)?).await?;
        let waits_until = context.ends_at(WAIT);
        let turn = pin!(context.keyed_calls.enter(&keyed.key));
        match select(turn, context.runtime.sleep(context.at_most(WAIT))).await {
            Either::Left((turn, _)) => Ok(Self {
                context: context.clone(),
                keyed: keyed.clone(),
                waits_until,
                started: None,
                cut_off: None,
                lost: false,
                _turn: turn,
            }),
            Either::Right(_) => Err(under_way()),
        }
    }

    /// What an earlier call came to; nothing where this one is to be made.
    pub(super) async fn earlier(&mut self) -> Result<Option<Outcome>> {
        (self.lost, self.cut_off) = (false, None);
        loop {
            let found = pin!(self.context.store.keyed_call(&self.keyed.key));
            let found = self.context.in_time(found).await?;
            let Some(found) = found.filter(|found| !found.row.is_over(found.read_at)) else {
                return Ok(None);
            };
            if found.row.request != self.keyed.request {
                return Err(mismatch());
            }
            if found.row.ended {
                return self.open(&found.row).await.map(Some);
            }
            if self.was_cut_off(&found).await {
                if found.row.repeat.is_some() {
                    self.cut_off = Some(found.row);
                    return Ok(None);
                }
                return Err(cut_off(found.row.execution_id));
            }
            let left = (self.waits_until).saturating_sub(self.context.monotonic());
            if left.is_zero() {
                return Err(under_way());
            }
            self.context.runtime.sleep(LOOK.min(left)).await;
        }
    }

    /// In this process no other call has the turn: one of its own that has no outcome has ended without one.
    async fn was_cut_off(&self, found: &Versioned<KeyedCall>) -> bool {
        found.row.process == self.context.process
            || found.row.is_cut_off(found.read_at)
            || self.context.has_ended(found.row.process).await
    }

    async fn open(&self, row: &KeyedCall) -> Result<Outcome> {
        let Some(sealed) = &row.outcome else {
            return Err(not_kept(row.execution_id));
        };
        let place = place::outcome(row.execution_id);
        let outcome = self.context.vault.open_sealed(place, sealed).await?;
        serde_json::from_slice(&outcome).map_err(|_| {
            let message = "the outcome of an earlier call with this key can't be read";
            Error::new(ErrorKind::IntegrityViolated, message)
        })
    }

    /// Writes down that the call begins. From here on it is made again only where its end says that it may be, or where it
    /// is cut off and another one agrees with it in `repeat`.
    ///
    /// # Errors
    /// [`ErrorKind::IdempotencyConflict`] if another process was first: then the turn [is lost](Self::is_lost);
    /// [`ErrorKind::OutcomeUnknown`] if one was cut off that the product would not take for this one.
    pub(super) async fn start(
        &mut self,
        id: ExecutionId,
        account: AccountId,
        repeat: Option<Uuid>,
    ) -> Result<()> {
        let (context, cut_off) = (&self.context, &self.cut_off);
        // From here on the caller waits for the store: a commit that is cut off would leave the key as good as used.
        context.check_time()?;
        if let Some(first) = cut_off.as_ref().filter(|first| first.repeat != repeat) {
            return Err(self::cut_off(first.execution_id));
        }
        let Keyed { key, request } = self.keyed.clone();
        let (ids, now) = ((id, account), context.now());
        let row = KeyedCall::started(key, request, context.process, ids, repeat, now);
        let is_cut_off = |found: &KeyedCall| cut_off.as_ref().is_some_and(|first| found == first);
        let first = context
            .change(
                "idempotency.start",
                || context.store.keyed_call(&self.keyed.key),
                |found| {
                    let change = Change::none();
                    Ok(match found {
                        None => (change.insert(row.clone()), true),
                        Some(found)
                            if found.row.is_over(found.read_at) || is_cut_off(&found.row) =>
                        {
                            (change.update(row.clone(), found.version), true)
                        }
                        Some(_) => (change, false),
                    })
                },
            )
            .await?;
        self.lost = !first;
        if !first {
            return Err(under_way());
        }
        self.started = Some(id);
        Ok(())
    }

    /// Whether another process has begun the call in the meantime.
    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Whether it is made again, after one that was cut off.
    pub(super) fn is_again(&self) -> bool {
        self.cut_off.is_some()
    }

    /// The result of a call that was made. Where it is made again and fails, that tells nothing about the one that was cut
    /// off.
    pub(super) fn result(&self, result: Result<Execution>) -> Result<Execution> {
        match result {
            Err(error) if self.is_again() && !error.is_replayed() => Err(unsettled(error)),
            result => result,
        }
    }

    /// Writes down what a tool's call came to, where it was begun.
    pub(super) async fn end(mut self, result: &Result<Execution>, requests: u32) {
        let end = match (result, self.cut_off.take()) {
            (Ok(execution), _) => End::of(&Outcome::Execution(execution.clone())),
            (Err(_), Some(first)) => End::AsBefore(Box::new(first)),
            (Err(error), None) => End::of_error(error, requests),
        };
        self.write(end).await;
    }

    /// The same for a raw request. A short response is read whole.
    pub(super) async fn end_raw(
        self,
        result: Result<http::Response<Body>>,
        requests: u32,
    ) -> Result<http::Response<Body>> {
        let response = match result {
            Ok(response) => response,
            Err(error) => {
                self.write(End::of_error(&error, requests)).await;
                return Err(error);
            }
        };
        let (head, body) = response.into_parts();
        let (seen, body) = match body.peek(KEPT + 1).await {
            Ok(read) => read,
            Err(error) => {
                // The product has carried it out, and its response is lost.
                self.write(End::NotKept).await;
                let message = format!("the product's response was interrupted: {error}");
                return Err(Error::new(ErrorKind::OutcomeUnknown, message).with_source(error));
            }
        };
        let end = match head.status {
            StatusCode::TOO_MANY_REQUESTS => End::Free,
            _ if seen.len() > KEPT => End::NotKept,
            status => End::of(&Outcome::Response(Response::of(
                status,
                &head.headers,
                &seen,
            ))),
        };
        self.write(end).await;
        Ok(http::Response::from_parts(head, body))
    }

    /// A store that does not take it at once gets it later: the caller does not wait for that, others with the key do.
    async fn write(self, end: End) {
        let Some(id) = self.started else {
            return;
        };
        if self.offer(id, &end, false).await.is_ok() {
            return;
        }
        let guard = self.context.tasks.begin();
        let runtime = Arc::clone(&self.context.runtime);
        runtime.spawn(Box::pin(async move {
            if let Err(error) = self.offer(id, &end, true).await {
                tracing::error!(execution = %id, %error, "couldn't store the outcome of a call with an idempotency key; a retry gets outcome_unknown");
            }
            drop(guard);
        }));
    }

    async fn offer(&self, id: ExecutionId, end: &End, patiently: bool) -> Result<()> {
        let context = &self.context;
        let load = || async {
            let found = context.store.keyed_call(&self.keyed.key).await?;
            let outcome = match end {
                End::Kept(outcome) => Some(context.vault.seal(place::outcome(id), outcome)?),
                End::NotKept | End::Free | End::AsBefore(_) => None,
            };
            Ok((found, outcome))
        };
        let decide = |(found, outcome): (Option<Versioned<KeyedCall>>, _)| {
            let change = Change::none();
            let found = found.filter(|found| found.row.execution_id == id && !found.row.ended);
            Ok(match (found, end) {
                (None, _) => (change, ()),
                (Some(found), End::Free) => (change.delete(found.row.row_key(), found.version), ()),
                (Some(found), End::AsBefore(first)) => {
                    (change.update(first.as_ref().clone(), found.version), ())
                }
                (Some(found), _) => (
                    change.update(found.row.with_outcome(outcome), found.version),
                    (),
                ),
            })
        };
        let name = "idempotency.end";
        match patiently {
            true => context.change_patiently(name, load, decide).await,
            false => context.change(name, load, decide).await,
        }
    }
}

/// What becomes of a key.
enum End {
    /// The outcome is kept.
    Kept(Vec<u8>),
    /// It is too large for that.
    NotKept,
    /// Nothing was carried out: the same call may be made again.
    Free,
    /// It was made again and failed: it stays cut off, and may be made again.
    AsBefore(Box<KeyedCall>),
}

impl End {
    fn of(outcome: &Outcome) -> Self {
        match serde_json::to_vec(outcome) {
            Ok(bytes) if bytes.len() <= 2 * KEPT => Self::Kept(bytes),
            _ => Self::NotKept,
        }
    }

    fn of_error(error: &Error, requests: u32) -> Self {
        if is_free(error, requests) {
            return Self::Free;
        }
        Self::of(&Outcome::Problem(Box::new(error.to_problem())))
    }
}

/// Whether an error says that nothing was carried out, and that the same call may succeed later.
fn is_free(error: &Error, requests: u32) -> bool {
    use ErrorKind::{
        ApprovalRequired, AuthorizationRequired, Overloaded, ProductQuotaExhausted,
        ProductRateLimited, ProductRejectedToken, ProductUnavailable, RateLimited,
        RefreshInProgress, RefreshUnavailable, ScopeMissing,
    };
    let refused = matches!(
        error.kind(),
        ApprovalRequired
            | AuthorizationRequired
            | Overloaded
            | ProductQuotaExhausted
            | ProductRateLimited
            | ProductRejectedToken
            | ProductUnavailable
            | RateLimited
            | RefreshInProgress
            | RefreshUnavailable
            | ScopeMissing
    );
    !error.is_outcome_unknown() && error.partial().is_none() && (refused || requests == 0)
}

fn unwritable(error: serde_json::Error) -> Error {
    let message = "the request can't be written as JSON";
    Error::new(ErrorKind::InvalidRequest, message).with_source(error)
}

fn under_way() -> Error {
    Error::new(
        ErrorKind::IdempotencyConflict,
        "a call with this idempotency key is still running; send the request again to get its outcome",
    )
    .with_retryable(true)
    .with_retry_after(SOON)
}

fn not_kept(id: ExecutionId) -> Error {
    Error::new(
        ErrorKind::IdempotencyConflict,
        "the call with this idempotency key already ran, but its response was too large to store; Stead doesn't make it again",
    )
    .with_execution_id(id.to_string())
    .with_replayed(true)
}

fn cut_off(id: ExecutionId) -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        "the call with this idempotency key was interrupted, so it may or may not have succeeded; Stead doesn't make it again",
    )
    .with_execution_id(id.to_string())
    .with_replayed(true)
}

fn unsettled(error: Error) -> Error {
    let message = format!(
        "the call with this idempotency key was interrupted and may have succeeded; the retry failed: {}",
        error.message()
    );
    // With its key it may be asked for once more.
    let retryable = error.retryable() || error.is_outcome_unknown();
    let source = error.clone();
    error
        .reclassify(ErrorKind::OutcomeUnknown, message)
        .with_retryable(retryable)
        .with_source(source)
}

#[cfg(test)]
#[path = "once_tests.rs"]
mod tests;
