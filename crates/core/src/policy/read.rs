//! Reads policies.

use super::missing;
use crate::{
    Error, ErrorKind, Result,
    context::{Context, policies::MOST},
    domain,
    resource::{ListPolicies, Page, Policy, ReadPolicy},
};

/// All policies by name: there are 200 at most.
pub(crate) async fn list(context: &Context, _: ListPolicies) -> Result<Page<Policy>> {
    let rows = context.store.policies(MOST).await?;
    let items = rows.into_iter().map(|found| view(found.row));
    Ok(Page::new(items.collect::<Result<_>>()?, None))
}

/// A policy.
pub(crate) async fn read(context: &Context, read: ReadPolicy) -> Result<Policy> {
    let name = read.policy_name.as_str();
    let found = context.store.policy(name).await?;
    view(found.ok_or_else(|| missing(name))?.row)
}

/// The policy as the API shows it.
pub(super) fn view(row: domain::Policy) -> Result<Policy> {
    let name = row.name;
    let read: Policy = serde_json::from_value(row.document).map_err(|error| {
        let message = format!(
            "the policy {name} has a rule that this version of Stead doesn't know; upgrade Stead"
        );
        Error::new(ErrorKind::Internal, message).with_source(error)
    })?;
    Ok(Policy {
        updated_at: Some(row.updated_at),
        ..read
    })
}
