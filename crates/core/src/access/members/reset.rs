//! Removes a member's password, and creates a link to set a new one.

use super::{existing, issued, new_link};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::Member,
    resource::{IssuedMemberLink, ResetMember},
    store::Versioned,
};

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
