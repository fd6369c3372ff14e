//! Reads approvals.

use super::{may_see, row};
use crate::{
    Error, ErrorKind, Result,
    context::Context,
    resource::{Approval, ListApprovals, Page, ReadApproval},
    sealed::place,
};

/// Approvals, newest first, without their arguments. A page can have fewer than `page_size` items even if more follow.
pub(crate) async fn list(context: &Context, list: ListApprovals) -> Result<Page<Approval>> {
    let filter = &list.filter;
    may_see(&context.caller)?;
    let (after, limit) = (list.page.after()?, list.page.limit());
    let rows = context.store.approvals(filter.state, after, limit).await?;
    let next = list.page.next(&rows, |row| row.id);
    let now = context.host.now();
    let items = rows
        .into_iter()
        .filter(|found| context.caller.sees(found.row.connection_name.as_str()))
        .map(|found| found.row.shown(now))
        // Filter by the shown state, because an expired approval may not be stored as expired yet.
        .filter(|one| filter.state.is_none_or(|state| one.state == state));
    Ok(Page::new(items.collect(), next))
}

/// An approval with the exact arguments of its call.
pub(crate) async fn read(context: &Context, read: ReadApproval) -> Result<Approval> {
    let approval_id = read.approval_id.as_str();
    let found = row(context, approval_id).await?.row;
    let place = place::Arguments(found.id);
    let opened = context.store.vault.open(&place, &found.arguments).await?;
    let arguments = serde_json::from_slice(&opened).map_err(|error| {
        Error::new(ErrorKind::Internal, "the arguments can't be read").with_source(error)
    })?;
    Ok(Approval {
        arguments: Some(arguments),
        ..found.shown(context.host.now())
    })
}
