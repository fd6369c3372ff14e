//! Says whose session it is.

use super::{SignedInMember, ended};
use crate::{
    Result,
    access::member::view,
    caller::Caller,
    context::{Context, change::Change},
    digest::Digest,
    domain::{Member, Session},
    store::Versioned,
};

/// Who is signed in with this session. Both rows are read every time: what takes a member's rights away acts at once.
pub(crate) async fn authenticate(context: &Context, id: &str) -> Result<SignedInMember> {
    context.tasks.open()?;
    let (session, member) = owned(context, id).await?;
    let now = context.now();
    if session.row.used(now).is_some() {
        note_use(context, &session.row.id).await;
    }
    Ok(SignedInMember {
        csrf_token: csrf_token(id),
        stepped_up: session.row.is_stepped_up(now),
        awaits_code: session.row.is_proved_at_provider(now),
        caller: Caller::member(member.row.id, member.row.role),
        member: view(&member.row, now),
    })
}

/// Refuses a session that has ended. It does not count as a use of it.
pub(crate) async fn check(context: &Context, id: &str) -> Result<()> {
    context.tasks.open()?;
    owned(context, id).await.map(drop)
}

/// A session that opens something, with its member.
pub(in crate::access) async fn owned(
    context: &Context,
    id: &str,
) -> Result<(Versioned<Session>, Versioned<Member>)> {
    let (session, member) = with_member(context, id).await?;
    if session.row.awaits_code {
        return Err(ended());
    }
    Ok((session, member))
}

/// A session that has not ended, with its member.
pub(super) async fn with_member(
    context: &Context,
    id: &str,
) -> Result<(Versioned<Session>, Versioned<Member>)> {
    let session = context.store.session(&Digest::of(id)).await?;
    let session = session.ok_or_else(ended)?;
    let member = context.store.member(session.row.member_id).await?;
    let member = member.ok_or_else(ended)?;
    let is_refused = session.row.is_by_password() && !context.takes_passwords();
    if is_refused || !session.row.is_of(&member.row, context.now()) {
        return Err(ended());
    }
    Ok((session, member))
}

/// Follows from the session's id, which does not follow from it.
fn csrf_token(id: &str) -> String {
    Digest::of(&format!("csrf {id}")).as_str().to_owned()
}

/// A session that is used stays; where that cannot be written down, it ends earlier.
async fn note_use(context: &Context, id: &Digest) {
    let now = context.now();
    let noted = context.change(
        "session.use",
        async || context.store.session(id).await?.ok_or_else(ended),
        |found: Versioned<Session>| {
            let change = match found.row.used(now) {
                Some(used) => Change::none().update(used, found.version),
                None => Change::none(),
            };
            Ok((change, ()))
        },
    );
    if let Err(error) = noted.await {
        tracing::debug!(%error, "couldn't record when a session was last used");
    }
}
