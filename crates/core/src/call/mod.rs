//! How a call runs, from the application's request to its recorded outcome.
//!
//! A tool ([`tool`]) and a raw request ([`raw`]) pass the same stages, in the order of [`Call::run`]. [`Request`] and
//! [`Work`] are what differs between them:
//!
//! 1. find and validate: [`find`], [`validate`] and `proxy`. A raw request is validated when its account is known,
//!    because the account determines the product.
//! 2. claim the idempotency key: [`once`]
//! 3. admit: the account, its capacity, scopes and policies ([`admit`](mod@admit), `policy`)
//! 4. approve: a person's approval, and the entry in the audit log for a member's call
//! 5. perform: for each request to the product rate limit, token, policies, send, read and retry ([`send`])
//! 6. shape the result ([`shape`], [`file`]) and record it ([`record`]). [`history`] reads the records.

mod account_token;
mod admit;
#[cfg(test)]
mod bulkheads_tests;
mod by_member;
#[cfg(test)]
mod deadline_tests;
mod dry_run;
pub(crate) mod explain;
mod file;
mod find;
pub(crate) mod history;
mod mcp_session;
mod once;
mod outcome;
#[cfg(test)]
mod promises_tests;
mod raw;
mod read;
mod read_result;
mod record;
mod retry;
mod send;
mod sending;
mod shape;
mod tool;
mod tool_io;
mod unsent;
mod validate;

pub(crate) use raw::{send_raw, stream_raw, stream_raw_at_proxy_host};
pub(crate) use read_result::read_result;
pub(crate) use tool::execute;

use std::{pin::pin, sync::Arc};

use uuid::Uuid;

use self::{
    once::{Keyed, Turn},
    outcome::Outcome,
    record::Record,
};
use crate::{
    Error, ErrorKind, Result,
    context::{
        Context, Panicked, Snapshot, TaskGuard,
        bulkheads::{Entered, Held, Place},
    },
    domain::AccountRef,
    policy::Admission,
};

/// A running call: the state that its stages share.
struct Call {
    context: Context,
    record: Record,
    /// The policies that apply to it, and its approval.
    admission: Admission,
    /// The memory that it holds.
    held: Arc<Held>,
    /// The idempotency key, bound to this caller and input. A dry run uses it only to derive IDs.
    keyed: Option<Keyed>,
    is_dry_run: bool,
}

/// A caller's request, after everything that needs no account was validated.
trait Request: Send {
    type Work: Work;

    /// The account to call. Fails if the caller isn't allowed to use it.
    fn account(&self, call: &Call) -> Result<AccountRef>;

    /// Checks the product, scopes and policies.
    fn admit(
        self,
        call: &mut Call,
        snapshot: &Snapshot,
    ) -> impl Future<Output = Result<Self::Work>> + Send;
}

/// The part of an admitted call that differs between a tool and a raw request.
trait Work: Send + Sized + 'static {
    /// The result for the caller.
    type Output: Send + 'static;

    /// Whether it can change something at the product.
    fn can_change(&self) -> bool;

    /// Asks for the approval that the call as a whole needs, and adds an audit entry for a member's call.
    fn approve(
        &mut self,
        call: &Call,
        snapshot: &Snapshot,
    ) -> impl Future<Output = Result<()>> + Send;

    /// An ID that two runs of the call need to share so that the product recognizes the second one. `None` if it
    /// wouldn't.
    fn repeat(&self, _: &Call, _: &Snapshot) -> Option<Uuid> {
        None
    }

    /// Sends its requests, or plans them if it's a dry run. `repeats_interrupted` says whether an earlier run was
    /// interrupted.
    fn perform(
        &mut self,
        call: &mut Call,
        snapshot: &Arc<Snapshot>,
        repeats_interrupted: bool,
    ) -> impl Future<Output = Result<Self::Output>> + Send;

    /// Records the result, and stores it for the next call with the same key.
    fn finish(
        self,
        call: Call,
        capacity: Capacity,
        result: Result<Self::Output>,
        turn: Option<Turn>,
    ) -> impl Future<Output = Result<Self::Output>> + Send;

    /// Fails if policies deny the call now. Doesn't ask for approval.
    fn may_replay(
        &mut self,
        call: &Call,
        snapshot: &Snapshot,
    ) -> impl Future<Output = Result<()>> + Send;

    /// The outcome of an earlier call with the same key.
    fn replayed(call: &mut Call, outcome: Outcome) -> Result<Self::Output>;
}

/// Capacity that a call holds until its response is complete.
struct Capacity {
    #[expect(dead_code, reason = "released on drop")]
    places: (Arc<Held>, Entered, Option<Place>),
}

/// A call that can run.
struct Admitted<W> {
    work: W,
    snapshot: Arc<Snapshot>,
    capacity: Capacity,
    _task: TaskGuard,
}

/// The turn of a call's idempotency key, and the outcome of an earlier call with it.
struct Claim {
    turn: Turn,
    earlier: Option<Result<Outcome>>,
}

impl Call {
    /// Begins the record of a call of a tool or of [`record::PROXY`]. Errors before this aren't recorded.
    async fn begin(
        context: &Context,
        name: &str,
        (connection_name, identifier): (&str, &str),
        keyed: Result<Option<Keyed>>,
        is_dry_run: bool,
    ) -> Result<Self> {
        let record = Record::begin(context, name, connection_name, identifier);
        let keyed = match keyed {
            Ok(keyed) => keyed,
            Err(error) => return record.end(Err(error)),
        };
        let admission = match Admission::of(context, is_dry_run).await {
            Ok(admission) => admission,
            Err(error) => return record.end(Err(error)),
        };
        Ok(Self {
            context: context.clone(),
            record,
            admission,
            held: context.limits.bulkheads.bytes(),
            keyed,
            is_dry_run,
        })
    }

    /// Runs the stages in order, and records how the call ended.
    async fn run<R: Request>(mut self, request: R) -> Result<<R::Work as Work>::Output> {
        let (admitted, claim) = match self.admit(request).await {
            Ok(admitted) => admitted,
            Err(error) => return self.record.end(Err(error)),
        };
        if self.is_dry_run || !admitted.work.can_change() {
            return self.run_or_replay(admitted, claim).await;
        }
        // If the caller disconnects, a call that changes something continues.
        let context = self.context.clone();
        let detached = context.detached_call(|_| self.run_or_replay(admitted, claim));
        Box::pin(detached).await.map_err(unknown_after_panic)?
    }

    /// Everything that can refuse the call before it has an effect.
    async fn admit<R: Request>(
        &mut self,
        request: R,
    ) -> Result<(Admitted<R::Work>, Option<Claim>)> {
        let of = request.account(self)?;
        // A dry run claims nothing, but plans the same IDs as the call with its key.
        let claim = match self.keyed.take().filter(|_| !self.is_dry_run) {
            Some(keyed) => Some(Box::pin(self.claim(keyed, &of)).await),
            None => None,
        };
        // A call whose key decides its outcome sends nothing, so it needs no place at the product.
        let is_decided = match &claim {
            Some(Ok(claim)) => claim.earlier.is_some(),
            Some(Err(_)) => true,
            None => false,
        };
        match (self.enter(request, &of, is_decided).await, claim) {
            // Only the account's product knows whether a `POST` reads. A call that reads runs each time.
            (Ok(admitted), _) if !admitted.work.can_change() => Ok((admitted, None)),
            (Ok(admitted), claim) => Ok((admitted, claim.transpose()?)),
            (Err(error), Some(Ok(claim))) => Err(claim.turn.error(error)),
            (Err(error), _) => Err(error),
        }
    }

    /// Waits until no other call with the key is running, and looks for the outcome of an earlier one.
    async fn claim(&self, keyed: Keyed, of: &AccountRef) -> Result<Claim> {
        let mut turn = Turn::wait(&self.context, keyed, &of.connection).await?;
        let earlier = turn.earlier().await?;
        Ok(Claim { turn, earlier })
    }

    /// Takes the capacity, reads the account, and lets the request check it.
    async fn enter<R: Request>(
        &mut self,
        request: R,
        of: &AccountRef,
        is_decided: bool,
    ) -> Result<Admitted<R::Work>> {
        let task = self.context.host.tasks.enter()?;
        let entered = self.context.limits.bulkheads.enter(&self.context.caller)?;
        let snapshot = self.context.snapshot(of).await?;
        self.record.account(snapshot.account.id);
        self.admission.through(&snapshot.connection);
        let work = request.admit(self, &snapshot).await?;
        let place = match is_decided && work.can_change() {
            true => None,
            false => Some(snapshot.enter(&self.context)?),
        };
        let capacity = Capacity {
            places: (Arc::clone(&self.held), entered, place),
        };
        Ok(Admitted {
            work,
            snapshot,
            capacity,
            _task: task,
        })
    }

    /// Performs the call and records its result. With a key, it runs only if there is no earlier outcome.
    async fn run_or_replay<W: Work>(
        mut self,
        mut admitted: Admitted<W>,
        claim: Option<Claim>,
    ) -> Result<W::Output> {
        let Some(mut claim) = claim else {
            let result = self.attempt(&mut admitted, None).await;
            let Admitted { work, capacity, .. } = admitted;
            return work.finish(self, capacity, result, None).await;
        };
        loop {
            if let Some(outcome) = claim.earlier.take() {
                return Box::pin(self.replay(admitted, outcome)).await;
            }
            let result = self.attempt(&mut admitted, Some(&mut claim.turn)).await;
            if !claim.turn.is_lost() {
                let Admitted { work, capacity, .. } = admitted;
                return work.finish(self, capacity, result, Some(claim.turn)).await;
            }
            claim.earlier = match Box::pin(claim.turn.earlier()).await {
                Ok(earlier) => earlier,
                Err(error) => return self.record.end(Err(error)),
            };
        }
    }

    /// Approves and performs the call once. With a key, it records the start in between.
    async fn attempt<W: Work>(
        &mut self,
        admitted: &mut Admitted<W>,
        turn: Option<&mut Turn>,
    ) -> Result<W::Output> {
        let (work, snapshot) = (&mut admitted.work, &admitted.snapshot);
        work.approve(self, snapshot).await?;
        let mut repeats_interrupted = false;
        if let Some(turn) = turn {
            let repeat = work.repeat(self, snapshot);
            Box::pin(turn.start(self.record.id(), snapshot.account.id, repeat)).await?;
            repeats_interrupted = turn.repeats_interrupted();
        }
        if !self.is_dry_run && work.can_change() {
            self.record.changes();
        }
        work.perform(self, snapshot, repeats_interrupted).await
    }

    /// Returns the outcome of an earlier call. Only a caller that can make the call now can read it.
    async fn replay<W: Work>(
        mut self,
        mut admitted: Admitted<W>,
        outcome: Result<Outcome>,
    ) -> Result<W::Output> {
        match admitted.work.may_replay(&self, &admitted.snapshot).await {
            Ok(()) => {
                let result = outcome.and_then(|outcome| W::replayed(&mut self, outcome));
                self.record.end_replayed(result)
            }
            Err(error) => self.record.end(Err(error)),
        }
    }

    /// The result of a wait, unless the caller stops waiting first.
    async fn in_time<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        self.context.in_time(pin!(work)).await
    }
}

/// The write may have been carried out even if its task ended without a result.
fn unknown_after_panic(panicked: Panicked) -> Error {
    Error::new(
        ErrorKind::OutcomeUnknown,
        "an error in Stead interrupted the call, so it may or may not have succeeded; check at the product before you retry",
    )
    .with_source(Error::from(panicked))
}
