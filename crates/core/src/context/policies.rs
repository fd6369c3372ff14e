//! The policies of the environment, kept in memory for as long as snapshots of accounts are.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt as _;

use super::{
    Context,
    single_flight::SingleFlight,
    snapshots::{FRESH, OUTAGE},
};
use crate::{Error, ErrorKind, Result, caller::Caller, domain, resource::Policy};

/// Most policies of an environment.
pub(crate) const MOST: u32 = 200;

/// All policies, as they were when they were read.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    /// By name; one that this version does not understand has no rules here.
    all: BTreeMap<String, Option<Arc<Policy>>>,
    /// Names of those that apply to every call.
    of_environment: Vec<String>,
}

impl Policies {
    fn of(rows: impl IntoIterator<Item = domain::Policy>) -> Self {
        let mut policies = Self::default();
        for row in rows {
            let read = serde_json::from_value(row.document).ok().map(Arc::new);
            if row.environment {
                policies.of_environment.push(row.name.clone());
            }
            policies.all.insert(row.name, read);
        }
        policies
    }

    /// Those that apply to a caller, and those with these names besides; nothing is allocated where there are none.
    pub(crate) fn applying_to(
        &self,
        caller: &Caller,
        besides: &[String],
    ) -> Result<Vec<Arc<Policy>>> {
        let mut applying = Vec::new();
        let own = caller.policies().into_iter().flatten();
        let names = self.of_environment.iter().map(String::as_str);
        let besides = besides.iter().map(String::as_str);
        for name in names.chain(own).chain(besides) {
            let policy = self.named(name)?;
            if !applying.iter().any(|one| Arc::ptr_eq(one, policy)) {
                applying.push(Arc::clone(policy));
            }
        }
        Ok(applying)
    }

    /// A policy that is named. Where it cannot be read, nothing is allowed.
    fn named(&self, name: &str) -> Result<&Arc<Policy>> {
        let message = match self.all.get(name) {
            Some(Some(policy)) => return Ok(policy),
            Some(None) => "has a rule that this version of Stead does not know",
            None => "applies and does not exist",
        };
        Err(Error::new(
            ErrorKind::Forbidden,
            format!("the policy {name} {message}; nothing is allowed"),
        )
        .with_context("policy", name))
    }
}

/// What was read last, and the readings that run.
#[derive(Default)]
pub(crate) struct PolicyCache {
    last: Mutex<Option<(Duration, Arc<Policies>)>>,
    readings: SingleFlight<u64, Result<Arc<Policies>>>,
    /// Raised by every change of this process: what was read before one does not serve after it.
    epoch: AtomicU64,
}

impl fmt::Debug for PolicyCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyCache").finish_non_exhaustive()
    }
}

impl PolicyCache {
    /// Reads again at the next call.
    pub(crate) fn forget(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
        *self.last() = None;
    }

    fn keep(&self, epoch: u64, read_at: Duration, policies: &Arc<Policies>) {
        let mut last = self.last();
        if self.epoch.load(Ordering::Acquire) == epoch {
            *last = Some((read_at, Arc::clone(policies)));
        }
    }

    fn last(&self) -> MutexGuard<'_, Option<(Duration, Arc<Policies>)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Context {
    /// The policies: from memory while they are fresh, and while the store is away.
    pub(crate) async fn policies(&self) -> Result<Arc<Policies>> {
        let now = self.monotonic();
        let age = |read_at: Duration| now.saturating_sub(read_at);
        let last = match &*self.policy_cache.last() {
            Some((read_at, policies)) if age(*read_at) < FRESH => return Ok(Arc::clone(policies)),
            Some((read_at, policies)) if age(*read_at) < OUTAGE => Some(Arc::clone(policies)),
            _ => None,
        };
        self.last_or_read(last, || self.read_policies()).await
    }

    fn read_policies(
        &self,
    ) -> impl Future<Output = Result<Arc<Policies>>> + Unpin + Send + 'static {
        let (context, epoch) = (
            self.clone(),
            self.policy_cache.epoch.load(Ordering::Acquire),
        );
        let runtime = self.runtime.as_ref();
        self.policy_cache.readings.join(runtime, epoch, |guard| {
            async move {
                let read_at = context.monotonic();
                let read = context.store.policies(MOST).await;
                context.store_answered(&read);
                let rows = read?.into_iter().map(|found| found.row);
                let policies = Arc::new(Policies::of(rows));
                context.policy_cache.keep(epoch, read_at, &policies);
                drop(guard);
                Ok(policies)
            }
            .boxed()
        })
    }
}
