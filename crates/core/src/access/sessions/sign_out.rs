//! Ends a session.

use super::authenticate::with_member;
use crate::{
    ErrorKind, Result,
    caller::Caller,
    context::{Context, change::Change},
    domain::{Member, Session},
    store::{Records, Versioned},
};

/// Ends a session immediately, in all processes. A session that has already ended stays ended.
pub(crate) async fn sign_out(context: &Context, id: &str) -> Result<()> {
    let (_, member) = match with_member(context, id).await {
        Err(error) if error.kind() == ErrorKind::Unauthenticated => return Ok(()),
        other => other?,
    };
    let acting = context.acting_as(Caller::member(member.row.id, member.row.role));
    let ended = acting.change(
        "session.close",
        async || with_member(context, id).await,
        |(session, member): (Versioned<Session>, Versioned<Member>)| {
            let change = Change::none()
                .event(member.row.event("member.signed_out"))
                .audit(member.row.audit("member.signed_out"))
                .delete(Records::session_key(&session.row.id), session.version);
            Ok((change, ()))
        },
    );
    match ended.await {
        Err(error) if error.kind() == ErrorKind::Unauthenticated => Ok(()),
        other => other,
    }
}
