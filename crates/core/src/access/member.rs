//! A member as it is shown, and the check of its one-time codes: what members and their sessions share.

use jiff::Timestamp;

use crate::{
    Result,
    context::Context,
    domain::{Member, one_time_code},
    resource,
    seal::place,
};

/// A member as it is shown: nothing in it opens anything.
pub(super) fn view(row: &Member, now: Timestamp) -> resource::Member {
    let link = row.link.as_ref().map(|link| link.expires_at);
    resource::Member {
        member_id: row.id,
        email: row.email.clone(),
        name: row.name.clone(),
        role: row.role,
        status: row.state(),
        second_factor: row.has_second_factor(),
        created_at: row.created_at,
        last_sign_in_at: row.last_sign_in_at,
        link_expires_at: link.filter(|end| now < *end),
    }
}

/// The step whose code this is, where it is one of the member's second factor and was not used.
pub(super) async fn code_step(
    context: &Context,
    member: &Member,
    code: &str,
) -> Result<Option<i64>> {
    let Some(factor) = &member.second_factor else {
        return Ok(None);
    };
    let place = place::second_factor(member.id);
    let secret = context.vault.open_sealed(place, &factor.sealed).await?;
    let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let (last, now) = (factor.last_step, context.now());
    Ok(one_time_code::step_of(&digits, &secret, last, now))
}
