//! Changes a member's name and role, and keeps members out.

use super::{check_name, last_owner, with_other_owner};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::{Member, member::MemberChanges},
    resource::{self, ChangeMember},
    store::Versioned,
};

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
