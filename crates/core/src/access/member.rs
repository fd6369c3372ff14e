//! Rows of members and the check of their one-time codes, which members and sessions share.

use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{Member, one_time_code},
    identifier::MemberId,
    sealed::place,
    store::Record as _,
};

/// Members that there are at most.
pub(super) const MOST: u32 = 1000;

/// Rejects another member if the maximum is reached.
pub(super) async fn check_room(context: &Context) -> Result<()> {
    if context.store.members(None, MOST).await?.len() < MOST as usize {
        return Ok(());
    }
    let message =
        format!("this environment already has {MOST} members, the maximum; delete some first");
    Err(Error::new(ErrorKind::InvalidTransition, message))
}

/// Whether there is a member. A rejected row counts too. Otherwise, someone could become the first owner by tampering
/// with the rows of all others.
pub(super) async fn has_members(context: &Context) -> Result<bool> {
    let (rows, _) = context.store.rows(Member::TABLE, None, 1).await?;
    Ok(!rows.is_empty())
}

/// Adds a member without an invitation, unless another request was first with this email address.
pub(super) async fn create(context: &Context, member: Member) -> Result<MemberId> {
    let (id, email) = (member.id, member.email.clone());
    let created = Change::none()
        .event(member.event("member.created"))
        .events(member.elevated(None))
        .audit(member.audit("member.created"))
        .insert(member);
    let exists = || Error::new(ErrorKind::AlreadyExists, "this member already exists");
    match context.add("member.create", created, exists()).await {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let found = context.store.member_by_email(&email).await?;
            found.map(|found| found.row.id).ok_or_else(exists)
        }
        other => other.map(|()| id),
    }
}

/// The time step of a code, if it's valid for the member's second factor and wasn't used.
pub(super) async fn code_step(
    context: &Context,
    member: &Member,
    code: &str,
) -> Result<Option<i64>> {
    let Some(factor) = &member.second_factor else {
        return Ok(None);
    };
    let place = place::SecondFactor(member.id);
    let secret = context.store.vault.open(&place, &factor.sealed).await?;
    let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let (last, now) = (factor.last_step, context.host.now());
    Ok(one_time_code::step_of(&digits, &secret, last, now))
}
