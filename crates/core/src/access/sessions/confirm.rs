//! Takes the one-time code at sign-in.

use super::{Opening, StartedSession, authenticate::with_member, ended};
use crate::{
    Error, ErrorKind, Result,
    access::member::code_step,
    caller::Caller,
    context::{Context, change::Change},
    domain::{Member, Session},
    store::{Records, Versioned},
};

/// Opens the session for which the code is still to come, under another id. A code counts once.
pub(crate) async fn confirm(
    context: &Context,
    id: &str,
    code: &str,
    source: &str,
) -> Result<StartedSession> {
    let (session, member) = with_member(context, id).await?;
    if !session.row.awaits_code {
        return Err(ended());
    }
    context.count_attempt(&member.row.email, source)?;
    let opening = Opening::new(context);
    let acting = context.acting_as(Caller::member(member.row.id, member.row.role));
    let started = acting
        .change(
            "session.confirm",
            async || {
                let (session, member) = with_member(context, id).await?;
                let step = code_step(context, &member.row, code).await?;
                Ok((session, member, step))
            },
            |(session, member, step): (Versioned<Session>, Versioned<Member>, Option<i64>)| {
                let step = step.ok_or_else(refused)?;
                let after = member.row.used_code(step);
                let key = Records::session_key(&session.row.id);
                let change = Change::none().delete(key, session.version);
                let by_provider = session.row.by_provider;
                let confirmed = |id, member: &Member, now| Session {
                    by_provider,
                    ..Session::confirmed(id, member, now)
                };
                Ok(opening.change(change, &after, member.version, confirmed))
            },
        )
        .await?;
    context.attempt_succeeded(&member.row.email);
    Ok(started)
}

fn refused() -> Error {
    Error::new(
        ErrorKind::Unauthenticated,
        "the code is wrong, or was used already",
    )
}
