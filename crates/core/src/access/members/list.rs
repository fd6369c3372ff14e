//! Reads members: one by ID, or a page of them.

use super::existing;
use crate::{
    Result,
    context::Context,
    resource::{self, ListMembers, Page, ReadMember},
};

/// A member.
pub(crate) async fn read(context: &Context, read: ReadMember) -> Result<resource::Member> {
    let id = read.member_id.as_str();
    let found = existing(context, id).await?;
    Ok(found.row.shown(context.host.now()))
}

/// Members in the order of their creation.
pub(crate) async fn list(context: &Context, list: ListMembers) -> Result<Page<resource::Member>> {
    let rows = context.store.members(list.page.after()?, list.page.limit());
    let rows = rows.await?;
    let next = list.page.next(&rows, |row| row.id);
    let now = context.host.now();
    let items = rows.into_iter().map(|found| found.row.shown(now));
    Ok(Page::new(items.collect(), next))
}
