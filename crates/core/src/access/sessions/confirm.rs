//! Accepts the one-time code at sign-in.

use secrecy::SecretString;

use super::{Opening, StartedSession, authenticate::with_member, device, ended};
use crate::{
    Error, ErrorKind, Result,
    access::member::code_step,
    caller::Caller,
    context::{Attempt, Context, change::Change},
    domain::{Member, Session},
    store::{Records, Versioned},
};

/// Opens a session that needs its one-time code, under a new ID. Each code works once.
pub(crate) async fn confirm(
    context: &Context,
    id: &str,
    code: &str,
    source: &str,
    device: Option<SecretString>,
) -> Result<StartedSession> {
    let (session, member) = with_member(context, id).await?;
    if !session.row.awaits_code {
        return Err(ended());
    }
    let device = device::known(context, &member.row.email, device.as_ref()).await;
    // Codes have their own counter, which a correct password doesn't reset.
    let account = format!("code {}", member.row.email);
    let attempt = Attempt::to_sign_in(&account, source, device.as_ref());
    context.count_attempt(&attempt)?;
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
    context.attempt_succeeded(&attempt);
    Ok(started)
}

fn refused() -> Error {
    Error::new(
        ErrorKind::Unauthenticated,
        "the code is wrong or was already used",
    )
}
