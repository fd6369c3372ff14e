//! The environment's policies, cached for as long as snapshots of accounts. They aren't part of snapshots, so one read
//! serves every account.

use std::{collections::BTreeMap, sync::Arc};

use futures_util::FutureExt as _;

use super::Context;
use crate::{Error, ErrorKind, Result, caller::Caller, domain, resource::Policy};

/// Maximum number of policies.
pub(crate) const MOST: u32 = 200;

/// All policies, as they were read.
#[derive(Debug, Default)]
pub(crate) struct Policies {
    /// By name. A policy that this version doesn't understand has no rules here.
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

    /// Policies that apply to a caller, and those with these names. Allocates nothing if there are none.
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

    /// The policy with this name. If it can't be read, nothing is allowed.
    fn named(&self, name: &str) -> Result<&Arc<Policy>> {
        let message = match self.all.get(name) {
            Some(Some(policy)) => return Ok(policy),
            Some(None) => "has a rule that this version of Stead doesn't know",
            None => "applies but doesn't exist",
        };
        Err(Error::new(
            ErrorKind::Forbidden,
            format!("the policy {name} {message}, so Stead allows nothing"),
        )
        .with_context("policy", name))
    }
}

impl Context {
    /// The policies, from memory while they are fresh or the store is unavailable.
    pub(crate) async fn policies(&self) -> Result<Arc<Policies>> {
        self.remembered(
            |shared| &shared.memory.policies,
            |context| {
                async move {
                    let rows = context.store.policies(MOST).await?;
                    Ok(Policies::of(rows.into_iter().map(|found| found.row)))
                }
                .boxed()
            },
        )
        .await
    }
}
