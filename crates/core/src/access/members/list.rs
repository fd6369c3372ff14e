//! Reads members: one by ID, or a page of them.

use super::existing;
use crate::{
    Result,
    access::member::view,
    context::Context,
    identifier::MemberId,
    resource::{self, ListMembers, Page, ReadMember},
};

/// A member.
pub(crate) async fn read(context: &Context, read: ReadMember) -> Result<resource::Member> {
    let id = read.member_id.as_str();
    let found = existing(context, id).await?;
    Ok(view(&found.row, context.now()))
}

/// Members in the order of their creation.
pub(crate) async fn list(context: &Context, list: ListMembers) -> Result<Page<resource::Member>> {
    let (page_token, page_size) = (list.page.token.as_deref(), list.page.size);
    let after = page_token.map(str::parse::<MemberId>).transpose()?;
    let limit = page_size.clamp(1, 100);
    let rows = context.store.members(after, limit).await?;
    let next = rows
        .last()
        .filter(|_| rows.len() == limit as usize)
        .map(|last| last.row.id.to_string());
    let now = context.now();
    let items = rows.iter().map(|found| view(&found.row, now)).collect();
    Ok(Page::new(items, next))
}
