//! Checks calls against policies: once before anything is sent, and again for each request.
//!
//! Requests are checked as they are sent, so a rule means the same for a tool and for a raw request. If a tool
//! can write but only reads so far, a read-only policy allows it. If it then writes, the policy refuses that request.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use futures_util::lock::Mutex;
use http::Method;
use serde_json::Value;

use super::{
    approvals::{self, Call, Subject, ToSend},
    decide::{self, Because, Decided, Sending},
    guard::guard,
};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, Snapshot},
    domain::Connection,
    identifier::ApprovalId,
    ports::{Decision, PolicyRequest},
    product::Product,
    resource::Policy,
    tool::{DerivedIds, Effect},
};

/// A call that is about to run.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action<'a> {
    /// Run a tool.
    Tool(&'a str),
    /// Send a raw request.
    Request {
        /// HTTP method.
        method: &'a str,
        /// The product's path.
        path: &'a str,
    },
}

/// Fails if the embedding application's own policy denies the call or holds it.
pub(crate) fn admit(
    context: &Context,
    snapshot: &Snapshot,
    effect: Effect,
    action: Action<'_>,
) -> Result<()> {
    let (tool, target) = match action {
        Action::Tool(name) => (Some(name), None),
        Action::Request { method, path } => (None, Some((method, path))),
    };
    let decision = context.limits.policy.admit(&PolicyRequest {
        caller: &context.caller,
        product: &snapshot.connection.product,
        connection_name: snapshot.connection.name.as_str(),
        identifier: snapshot.account.identifier.as_str(),
        tool,
        effect,
        target,
    });
    match decision {
        Decision::Allow => Ok(()),
        Decision::Deny(why) => Err(Error::new(ErrorKind::Forbidden, why)),
        Decision::Hold(why) => Err(Error::new(ErrorKind::ApprovalRequired, why)),
    }
}

/// The policies that apply to one call, and the approval that it needs.
pub(crate) struct Admission {
    policies: Vec<Arc<Policy>>,
    is_dry_run: bool,
    /// The connection of the account, which allows some kinds of requests.
    connection: OnceLock<Arc<Connection>>,
    /// Whether a request that was sent may have changed something.
    has_written: AtomicBool,
    /// Whether a dry run has found that an approval is needed.
    would_wait: AtomicBool,
    /// The call to approve, if policies can require an approval.
    call: OnceLock<Call>,
    /// Why a tool needs an approval as soon as it changes something. A person then sees the request that it sends.
    wanted: OnceLock<Because>,
    /// The IDs that a tool derives for this run. They don't make its request another one.
    derived: OnceLock<DerivedIds>,
    approval: Mutex<Held>,
}

/// The state of a call's approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// No approval was needed yet.
    No,
    /// A person has approved a read-only call. Its first request uses the approval.
    Approved(ApprovalId),
    /// The approval is used, so the rest of the call can continue.
    Used,
}

impl Admission {
    /// The policies that apply to the caller. Reads nothing if they are in memory.
    pub(crate) async fn of(context: &Context, is_dry_run: bool) -> Result<Self> {
        let policies = context.policies().await?;
        Ok(Self {
            policies: policies.applying_to(&context.caller, &[])?,
            is_dry_run,
            connection: OnceLock::new(),
            has_written: AtomicBool::new(false),
            would_wait: AtomicBool::new(false),
            call: OnceLock::new(),
            wanted: OnceLock::new(),
            derived: OnceLock::new(),
            approval: Mutex::new(Held::No),
        })
    }

    /// Sets the connection of the account.
    pub(crate) fn through(&self, connection: &Arc<Connection>) {
        self.connection.get_or_init(|| Arc::clone(connection));
    }

    /// Whether there are no policies, so nothing more is decided.
    fn is_without_policies(&self) -> bool {
        self.policies.is_empty()
    }

    /// Whether anything can refuse a request to the product with this method.
    pub(crate) fn can_refuse(&self, product: &Product, method: &Method) -> bool {
        let reads = matches!(*method, Method::GET | Method::HEAD);
        !self.is_without_policies() || !(reads || product.guards.is_empty())
    }

    /// Whether a policy can require an approval. The call's exact arguments are then kept.
    pub(crate) fn may_ask(&self) -> bool {
        self.policies
            .iter()
            .any(|one| one.requires_approval.is_some())
    }

    /// Whether the decision on a request to the product depends on its body.
    pub(crate) fn reads_body(&self, product: &str) -> bool {
        self.policies.iter().any(|one| {
            let mut facts = one.facts.iter();
            one.read_only
                || one.requires_approval.is_some()
                || facts.any(|rule| rule.product == product)
        })
    }

    /// Whether a dry run has found that the call needs an approval.
    pub(crate) fn would_wait(&self) -> bool {
        self.would_wait.load(Ordering::Relaxed)
    }

    /// Sets the call and its arguments.
    pub(crate) fn concerning(
        &self,
        context: &Context,
        snapshot: &Snapshot,
        what: impl FnOnce() -> (Subject, Value),
    ) {
        if self.may_ask() {
            self.call.get_or_init(|| {
                let (subject, arguments) = what();
                Call::new(context, snapshot, subject, arguments)
            });
        }
    }

    /// Sets the IDs that the tool derives.
    pub(crate) fn deriving(&self, derived: DerivedIds) {
        self.derived.get_or_init(|| derived);
    }

    /// Fails if a tool can't be called at all. Doesn't ask for approval.
    pub(crate) fn refuse_tool(&self, name: &str) -> Result<()> {
        refused(decide::tool(&self.policies, name))
    }

    /// The same for a request.
    pub(crate) fn refuse_request(&self, sending: &Sending<'_>) -> Result<()> {
        self.guard(sending)?;
        let classified = (sending.product.classify)(&sending.sent);
        refused(decide::request(
            &self.policies,
            sending,
            classified.as_ref(),
        ))
    }

    /// Decides on a tool before anything is sent.
    pub(crate) async fn tool(&self, context: &Context, name: &str, effect: Effect) -> Result<()> {
        if self.is_without_policies() {
            return Ok(());
        }
        match decide::tool(&self.policies, name) {
            Decided::Allowed => Ok(()),
            Decided::Refused(because) => Err(because.refused()),
            Decided::NeedsApproval(_) if self.is_dry_run => {
                self.would_wait.store(true, Ordering::Relaxed);
                Ok(())
            }
            Decided::NeedsApproval(because) => {
                if effect != Effect::Read {
                    self.wanted.get_or_init(|| because);
                    return Ok(());
                }
                let id = Box::pin(self.approved(context, &because, None)).await?;
                *self.approval.lock().await = Held::Approved(id);
                Ok(())
            }
        }
    }

    fn guard(&self, sending: &Sending<'_>) -> Result<()> {
        guard(self.connection.get().map(Arc::as_ref), sending)
    }

    /// Decides on a request before it's sent. Pure; [`Self::pass`] does the rest.
    pub(crate) fn request(&self, sending: &Sending<'_>) -> Result<Passing> {
        self.guard(sending)?;
        if self.is_without_policies() {
            return Ok(Passing::default());
        }
        let classified = (sending.product.classify)(&sending.sent);
        let writes = decide::effect(sending, classified.as_ref()) != Effect::Read;
        match decide::request(&self.policies, sending, classified.as_ref()) {
            Decided::Refused(because) => Err(because.refused()),
            decided => {
                // A tool that can write needs the approval even if this request only reads, such as a SELECT.
                let acts = writes || sending.effect != Effect::Read;
                let needs = match decided {
                    Decided::NeedsApproval(because) => Some(because),
                    _ => self.wanted.get().filter(|_| acts).cloned(),
                };
                let is_shown = needs.is_some() && !sending.is_raw;
                let shown = is_shown.then(|| ToSend::new(&sending.sent, self.derived.get()));
                Ok(Passing {
                    writes,
                    needs,
                    shown,
                })
            }
        }
    }

    /// The same for a request that a dry run doesn't send.
    pub(crate) fn plan(&self, sending: &Sending<'_>) -> Result<()> {
        if self.request(sending)?.needs.is_some() {
            self.would_wait.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Lets an allowed request pass. If it needs an approval, uses it.
    pub(crate) async fn pass(&self, context: &Context, passing: Passing) -> Result<()> {
        if self.is_without_policies() {
            return Ok(());
        }
        Box::pin(self.use_approval(context, passing)).await
    }

    async fn use_approval(&self, context: &Context, passing: Passing) -> Result<()> {
        let mut held = self.approval.lock().await;
        match (*held, passing.needs) {
            (Held::Used, _) => {}
            (Held::Approved(id), _) => {
                approvals::consume(context, id).await?;
                *held = Held::Used;
            }
            (Held::No, None) => {}
            (Held::No, Some(because)) => {
                let id = self.approved(context, &because, passing.shown).await?;
                approvals::consume(context, id).await?;
                *held = Held::Used;
            }
        }
        drop(held);
        if passing.writes {
            self.has_written.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The approval of the call with the request that it's about to send, if a person has given it.
    async fn approved(
        &self,
        context: &Context,
        because: &Because,
        shown: Option<ToSend>,
    ) -> Result<ApprovalId> {
        // A dry run doesn't send such a request, and asks no one.
        let Some(call) = self.call.get().filter(|_| !self.is_dry_run) else {
            return Err(because.error(
                ErrorKind::Forbidden,
                format!("{}, but this kind of call can't be approved", because.why),
            ));
        };
        let may_ask = !self.has_written.load(Ordering::Relaxed);
        approvals::request(context, call, shown, because, may_ask).await
    }
}

fn refused(decided: Decided) -> Result<()> {
    match decided {
        Decided::Refused(because) => Err(because.refused()),
        Decided::Allowed | Decided::NeedsApproval(_) => Ok(()),
    }
}

/// A request that can be sent after [`Admission::pass`].
#[derive(Debug, Default)]
pub(crate) struct Passing {
    writes: bool,
    needs: Option<Because>,
    /// The request of a tool, if it needs an approval.
    shown: Option<ToSend>,
}

impl Passing {
    /// Combines both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            writes: self.writes || other.writes,
            needs: self.needs.or(other.needs),
            shown: self.shown.or(other.shown),
        }
    }
}
