//! Calls with an idempotency key: each runs once, and a repeated call gets the outcome of the first one.
//!
//! Calls with the same key run one after another in a process. To decide between processes, Stead inserts a row before
//! it calls the product. If a call was interrupted, Stead repeats it only if the product would recognize it. Read-only
//! calls and calls without a key run without these steps.

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
    domain::KeyedCall,
    identifier::{AccountId, ConnectionName, ExecutionId},
    ports::Body,
    resource::Execution,
    sealed::place,
    store::Versioned,
};

/// How long a call waits for another with the same key.
const WAIT: Duration = Duration::from_secs(10);
/// How often a process checks whether another process's call has ended.
const LOOK: Duration = Duration::from_millis(200);
/// When to retry while another call is still running.
const SOON: Duration = Duration::from_secs(2);
/// Maximum size of a stored outcome in bytes.
const KEPT: usize = 64 * 1024;
/// An idempotency key with its request.
#[derive(Clone)]
pub(super) struct Keyed {
    key: Digest,
    request: Digest,
}

impl Keyed {
    /// A key of the current caller for this route, with its request.
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
        // Members of a JSON value are sorted, so their order makes no difference.
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
    /// Digest of the key, the caller and the route.
    pub(super) fn key(&self) -> &str {
        self.key.as_str()
    }
}

/// A call's turn: no other call with its key is running in this process.
pub(super) struct Turn {
    context: Context,
    keyed: Keyed,
    /// Until when it waits for another call with the key.
    waits_until: Duration,
    /// The call whose start was recorded.
    started: Option<ExecutionId>,
    /// An interrupted earlier call, which the product would recognize.
    cut_off: Option<KeyedCall>,
    /// Whether another process was first.
    lost: bool,
    _turn: keyed_calls::Turn,
}

impl Turn {
    /// Waits for the turn, up to a limit.
    pub(super) async fn wait(
        context: &Context,
        keyed: Keyed,
        connection: &ConnectionName,
    ) -> Result<Self> {
        // Outcomes of connections that the caller can't see count as missing too.
        context.check_seen(connection).await?;
        let waits_until = context.ends_at(WAIT);
        let turn = pin!(context.limits.keyed_calls.enter(&keyed.key));
        match select(turn, context.host.runtime.sleep(context.at_most(WAIT))).await {
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

    /// The outcome of an earlier call, which can be an error. `None` if this call needs to run.
    pub(super) async fn earlier(&mut self) -> Result<Option<Result<Outcome>>> {
        match self.found().await {
            Ok(outcome) => Ok(outcome.map(Ok)),
            Err(error) if error.is_replayed() => Ok(Some(Err(error))),
            Err(error) => Err(error),
        }
    }

    async fn found(&mut self) -> Result<Option<Outcome>> {
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
            let left = (self.waits_until).saturating_sub(self.context.host.monotonic());
            if left.is_zero() {
                return Err(under_way());
            }
            self.context.host.runtime.sleep(LOOK.min(left)).await;
        }
    }

    /// Whether the recorded call was interrupted. Since no other call with the key is running in this process, a call
    /// of this process without an outcome was.
    async fn was_cut_off(&self, found: &Versioned<KeyedCall>) -> bool {
        found.row.process == self.context.host.process
            || found.row.is_cut_off(found.read_at)
            || self.context.has_ended(found.row.process).await
    }

    async fn open(&self, row: &KeyedCall) -> Result<Outcome> {
        let Some(sealed) = &row.outcome else {
            return Err(not_kept(row.execution_id));
        };
        let place = place::Outcome(row.execution_id);
        let outcome = self.context.store.vault.open(&place, sealed).await?;
        serde_json::from_slice(&outcome).map_err(|_| {
            let message = "the outcome of an earlier call with this key can't be read";
            Error::new(ErrorKind::IntegrityViolated, message)
        })
    }

    /// Records the start of the call. From now on, a repeated call runs only if the recorded outcome allows it. If this
    /// call is interrupted, the repeated one also needs to match it in `repeat`.
    ///
    /// # Errors
    /// [`ErrorKind::IdempotencyConflict`] if another process was first; the turn [is lost](Self::is_lost) then.
    /// [`ErrorKind::OutcomeUnknown`] if an interrupted call wouldn't be recognized by the product.
    pub(super) async fn start(
        &mut self,
        id: ExecutionId,
        account: AccountId,
        repeat: Option<Uuid>,
    ) -> Result<()> {
        let (context, cut_off) = (&self.context, &self.cut_off);
        // From here on, the caller waits for the store, because an interrupted commit would use up the key.
        context.check_time()?;
        if let Some(first) = cut_off.as_ref().filter(|first| first.repeat != repeat) {
            return Err(self::cut_off(first.execution_id));
        }
        let Keyed { key, request } = self.keyed.clone();
        let (ids, now) = ((id, account), context.host.now());
        let row = KeyedCall::started(key, request, context.host.process, ids, repeat, now);
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

    /// Whether another process has started the call in the meantime.
    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Whether this call repeats an interrupted one.
    pub(super) fn repeats_interrupted(&self) -> bool {
        self.cut_off.is_some()
    }

    /// The error to return. If this call repeats an interrupted one, it becomes `outcome_unknown`.
    pub(super) fn error(&self, error: Error) -> Error {
        match self.repeats_interrupted() && !error.is_replayed() {
            true => unsettled(error),
            false => error,
        }
    }

    /// Records the outcome of a tool's call, if its start was recorded.
    pub(super) async fn end(mut self, result: &Result<Execution>, requests: u32) {
        let end = match (result, self.cut_off.take()) {
            (Ok(execution), _) => End::of(&Outcome::Execution(execution.clone())),
            (Err(_), Some(first)) => End::AsBefore(Box::new(first)),
            (Err(error), None) => End::of_error(error, requests),
        };
        self.write(end).await;
    }

    /// The same for a raw request. A short response is read completely.
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
                // The product has carried out the request, but its response is lost.
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

    /// If the store doesn't accept it immediately, it's written later. The caller doesn't wait for that, but other
    /// calls with the key do.
    async fn write(self, end: End) {
        let Some(id) = self.started else {
            return;
        };
        if self.offer(id, &end, false).await.is_ok() {
            return;
        }
        let guard = self.context.host.tasks.begin();
        let runtime = Arc::clone(&self.context.host.runtime);
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
                End::Kept(outcome) => Some(context.store.vault.seal(&place::Outcome(id), outcome)?),
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

/// The result to record for a key.
enum End {
    /// The outcome.
    Kept(Vec<u8>),
    /// The outcome is too large to store.
    NotKept,
    /// Nothing was carried out, so the same call can run again.
    Free,
    /// A repetition failed. The key stays interrupted, and the call can be repeated.
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

/// Whether an error means that nothing was carried out and that the same call may succeed later.
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
    // The call can be repeated with its key.
    let retryable = error.retryable() || error.is_outcome_unknown();
    let source = error.clone();
    error
        .reclassify(ErrorKind::OutcomeUnknown, message)
        .with_retryable(retryable)
        .with_source(source)
}

#[cfg(test)]
mod tests;
