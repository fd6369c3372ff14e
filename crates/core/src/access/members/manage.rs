//! Invites members, changes them and removes them.

use super::{check_name, existing, issued, last_owner, new_link, with_other_owner};
use crate::{
    Error, ErrorKind, Result,
    access::member::check_room,
    context::{Context, change::Change},
    domain::{
        Member,
        member::{MemberChanges, read_email},
    },
    identifier::MemberId,
    resource::{
        self, ChangeMember, DeleteMember, IssuedMemberLink, ListMembers, NewMember, Page,
        ReadMember, ResetMember,
    },
    store::Versioned,
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

/// Adds a member without a password, with a link to set one.
pub(crate) async fn create(context: &Context, new: NewMember) -> Result<IssuedMemberLink> {
    let email = read_email(&new.email)?;
    let name = new.name.unwrap_or_default();
    check_name(&name)?;
    check_room(context).await?;
    let (link, kept) = new_link(context);
    let id = MemberId::from_uuid(context.host.new_id());
    let member = Member {
        name,
        link: Some(kept),
        ..Member::new(id, &email, new.role, context.host.now())
    };
    let message = "a member with this email address already exists";
    let exists = Error::new(ErrorKind::AlreadyExists, message);
    let invited = Change::none()
        .event(member.event("member.invited"))
        .events(member.elevated(None))
        .audit(member.audit("member.invited"))
        .insert(member.clone());
    context.add("member.invite", invited, exists).await?;
    Ok(issued(context, member, link))
}

/// Changes a member, with immediate effect in all open sessions. The last active owner can't lose that role.
pub(crate) async fn change(
    context: &Context,
    ChangeMember { member_id, change }: ChangeMember,
) -> Result<resource::Member> {
    let id = member_id.as_str();
    if let Some(name) = &change.name {
        check_name(name)?;
    }
    let changes = MemberChanges {
        name: change.name,
        role: change.role,
        disabled: change.disabled,
    };
    let after = context
        .change(
            "member.change",
            || with_other_owner(context, id),
            |(member, other): (Versioned<Member>, Option<Versioned<Member>>)| {
                let Some((after, names)) = member.row.changed(&changes) else {
                    return Ok((Change::none(), member.row));
                };
                let mut change = Change::none();
                if member.row.is_active_owner() && !after.is_active_owner() {
                    let other = other.ok_or_else(last_owner)?;
                    change = change.guard(other.row.id, other.version);
                }
                for name in names {
                    change = change.event(after.event(name)).audit(after.audit(name));
                }
                change = change.events(after.elevated(Some(&member.row)));
                Ok((change.update(after.clone(), member.version), after))
            },
        )
        .await?;
    Ok(after.shown(context.host.now()))
}

/// Deletes a member and immediately ends their sessions. The last active owner can't be deleted.
pub(crate) async fn delete(context: &Context, delete: DeleteMember) -> Result<()> {
    let id = delete.member_id.as_str();
    context
        .change(
            "member.delete",
            || with_other_owner(context, id),
            |(member, other): (Versioned<Member>, Option<Versioned<Member>>)| {
                let Versioned { row, version, .. } = member;
                let mut change = Change::none();
                if row.is_active_owner() {
                    let other = other.ok_or_else(last_owner)?;
                    change = change.guard(other.row.id, other.version);
                }
                let change = change
                    .event(row.event("member.deleted"))
                    .audit(row.audit("member.deleted"))
                    .delete(row.id, version);
                Ok((change, ()))
            },
        )
        .await
}

/// Removes the password, ends the sessions, and creates a link. Also replaces the lost link of an invitation.
pub(crate) async fn reset(
    context: &Context,
    ResetMember { member_id, how }: ResetMember,
) -> Result<IssuedMemberLink> {
    let id = member_id.as_str();
    let (link, kept) = new_link(context);
    let after = context
        .change(
            "member.reset",
            || existing(context, id),
            |Versioned { row, version, .. }: Versioned<Member>| {
                let after = row.reset(kept.clone(), how.second_factor)?;
                let audit = after.audit("member.reset");
                let change = Change::none()
                    .event(after.event("member.reset"))
                    .audit(audit.fact("second_factor", how.second_factor))
                    .update(after.clone(), version);
                Ok((change, after))
            },
        )
        .await?;
    Ok(issued(context, after, link))
}
