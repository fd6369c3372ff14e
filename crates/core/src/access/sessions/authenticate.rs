//! Identifies the member of a session.

use jiff::Timestamp;

use super::{ENDED, SignedInMember, ended};
use crate::{
    Result,
    access::token::{Token, look_up},
    caller::Caller,
    context::{Context, change::Change},
    digest::Digest,
    domain::{AppCredential, Member, Session},
    store::{Records, Versioned},
};

/// The member who is signed in with this session. Both rows are read every time, so a change to a member's rights takes
/// effect immediately.
pub(crate) async fn authenticate(context: &Context, id: &str) -> Result<SignedInMember> {
    context.host.tasks.open()?;
    let (session, member) = owned(context, id).await?;
    let now = context.host.now();
    if session.row.used(now).is_some() {
        note_use(context, &session.row.id).await;
    }
    Ok(SignedInMember {
        csrf_token: csrf_token(id),
        stepped_up: session.row.is_stepped_up(now),
        awaits_code: session.row.is_proved_at_provider(now),
        caller: Caller::member(member.row.id, member.row.role),
        member: member.row.shown(now),
    })
}

/// Rejects an expired session. This doesn't count as a use.
pub(crate) async fn check(context: &Context, id: &str) -> Result<()> {
    context.host.tasks.open()?;
    owned(context, id).await.map(drop)
}

/// A session that needs no code any more, with its member.
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

/// A session that hasn't expired, with its member.
pub(super) async fn with_member(
    context: &Context,
    id: &str,
) -> Result<(Versioned<Session>, Versioned<Member>)> {
    let (opened, _) = look_up::<Session>(context, &Digest::of(id)).await?;
    Ok(opened)
}

impl Token for Session {
    type Opened = (Versioned<Self>, Versioned<Member>);

    const REFUSED: &'static str = ENDED;

    async fn find(store: &Records, digest: &Digest) -> Result<Option<Versioned<Self>>> {
        store.session(digest).await
    }

    fn expires_at(&self) -> Timestamp {
        self.expires_at
    }

    async fn open(
        session: Versioned<Self>,
        context: &Context,
        _: Option<AppCredential>,
    ) -> Result<Option<(Self::Opened, Option<Timestamp>)>> {
        let row = &session.row;
        let member = context.store.member(row.member_id).await?;
        let is_refused = row.is_by_password() && !context.takes_passwords();
        let is_of = |member: &Versioned<Member>| !is_refused && row.is_of(&member.row);
        let member = member.filter(is_of);
        Ok(member.map(|member| ((session, member), None)))
    }
}

/// Derived from the session's ID, which can't be derived from it.
fn csrf_token(id: &str) -> String {
    Digest::of(&format!("csrf {id}")).as_str().to_owned()
}

/// Extends a session that is used. If that can't be stored, the session expires earlier.
async fn note_use(context: &Context, id: &Digest) {
    let now = context.host.now();
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
