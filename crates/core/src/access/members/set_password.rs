//! Lets a signed-in member set a new password.

use secrecy::SecretString;

use super::hashed;
use crate::{
    Error, Result,
    access::sessions::{Opening, StartedSession, compare, owned},
    caller::Caller,
    context::{Attempt, Context, change::Change},
    domain::{Member, Session},
    store::Versioned,
};

/// Sets a new password if the current one is correct. All sessions end, and the new one that replaces them is returned.
pub(crate) async fn set_password(
    context: &Context,
    session_id: &str,
    present: SecretString,
    new: SecretString,
) -> Result<StartedSession> {
    let wrong = || Error::invalid_at("/present", "the current password is wrong");
    context.check_passwords()?;
    let (session, member) = owned(context, session_id).await?;
    let member = member.row;
    let attempt = Attempt::in_session(&session.row.id);
    context.count_attempt(&attempt)?;
    if !compare(context, member.password.as_ref(), present).await? {
        return Err(wrong());
    }
    context.attempt_succeeded(&attempt);
    let password = hashed(context, new).await?;
    let opening = Opening::new(context);
    let now = context.host.now();
    let acting = context.acting_as(Caller::member(member.id, member.role));
    acting
        .change(
            "member.set_password",
            async || Ok(owned(context, session_id).await?.1),
            |found: Versioned<Member>| {
                if found.row.password != member.password {
                    return Err(wrong());
                }
                let after = found.row.with_password(password.clone(), now);
                let what = "member.password_changed";
                let change = Change::none()
                    .event(after.event(what))
                    .audit(after.audit(what));
                Ok(opening.change(change, &after, found.version, Session::confirmed))
            },
        )
        .await
}
