//! Lets a member confirm who they are, before actions that grant rights or can't be undone.

use super::{StepUp, authenticate::owned, compare, ended};
use crate::{
    Error, ErrorKind, Result,
    access::member::code_step,
    context::{Attempt, Context, change::Change},
    domain::{Member, Session},
    store::Versioned,
};

type Owned = (Versioned<Session>, Versioned<Member>);

/// Records that a session's member has entered the password again, and a one-time code if there is a second factor.
pub(crate) async fn step_up(context: &Context, id: &str, given: StepUp) -> Result<()> {
    let (session, member) = owned(context, id).await?;
    let attempt = Attempt::in_session(&session.row.id);
    context.count_attempt(&attempt)?;
    let now = context.host.now();
    let hash = member.row.password;
    if !session.row.is_proved_at_provider(now) {
        context.check_passwords()?;
        if !compare(context, hash.as_ref(), given.password).await? {
            return Err(wrong("the password is wrong"));
        }
    }
    context
        .change(
            "session.step_up",
            async || {
                let owned = owned(context, id).await?;
                let step = code_step(context, &owned.1.row, &given.code).await?;
                Ok((owned, step))
            },
            |((session, member), step): (Owned, Option<i64>)| {
                if member.row.password != hash {
                    return Err(ended());
                }
                let after = session.row.stepped_up(now);
                let change = Change::none().update(after, session.version);
                if !member.row.has_second_factor() {
                    return Ok((change, ()));
                }
                let step = step.ok_or_else(|| wrong("the code is wrong or was already used"))?;
                let used = member.row.used_code(step);
                Ok((change.update(used, member.version), ()))
            },
        )
        .await?;
    context.attempt_succeeded(&attempt);
    Ok(())
}

/// Records that a session's member has signed in at the provider again, if `is_same` accepts the current member.
/// Returns whether the one-time code is still missing.
pub(super) async fn at_provider(
    context: &Context,
    id: &str,
    is_same: impl Fn(&Member) -> Result<()> + Send,
) -> Result<bool> {
    let now = context.host.now();
    context
        .change(
            "session.step_up",
            async || owned(context, id).await,
            |(session, member): Owned| {
                is_same(&member.row)?;
                let awaits_code = member.row.has_second_factor();
                let after = match awaits_code {
                    true => session.row.proved_at_provider(now),
                    false => session.row.stepped_up(now),
                };
                Ok((Change::none().update(after, session.version), awaits_code))
            },
        )
        .await
}

fn wrong(why: &str) -> Error {
    Error::new(ErrorKind::Unauthenticated, why)
}
