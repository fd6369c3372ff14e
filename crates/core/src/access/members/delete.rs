//! Deletes a member.

use super::{last_owner, with_other_owner};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::Member,
    resource::DeleteMember,
    store::Versioned,
};

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
