//! Invites a member.

use super::{check_name, issued, new_link};
use crate::{
    Error, ErrorKind, Result,
    access::member::check_room,
    context::{Context, change::Change},
    domain::{Member, member::read_email},
    identifier::MemberId,
    resource::{IssuedMemberLink, NewMember},
};

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
