//! Signs in a member at the operator's provider.

use secrecy::{ExposeSecret as _, SecretString};

use super::{FinishedAtProvider, Opening, ReturnFromProvider, StartedSession, authenticate::owned};
use crate::{
    Error, ErrorKind, Result,
    access::member::{check_room, create, has_members},
    caller::Caller,
    context::{Attempt, Context, change::Change},
    digest::Digest,
    domain::{Member, ProviderSubject, Session},
    identifier::MemberId,
    oauth::{
        StartedAtProvider,
        sign_in::{self, Person},
    },
    state::Role,
    store::Versioned,
};

/// Sends a browser to the provider. With a session, its member signs in again.
pub(crate) async fn begin(
    context: &Context,
    next: &str,
    session: Option<&str>,
) -> Result<StartedAtProvider> {
    context.host.tasks.open()?;
    if let Some(id) = session {
        owned(context, id).await?;
    }
    let again = session.map(Digest::of);
    sign_in::begin(context, next.to_owned(), again).await
}

/// Handles the browser's return: opens a session, or records that a session's member has signed in again.
pub(crate) async fn finish(
    context: &Context,
    given: ReturnFromProvider,
) -> Result<FinishedAtProvider> {
    context.host.tasks.open()?;
    let cookie = given.cookie.as_ref().map(|cookie| cookie.expose_secret());
    let attempt = sign_in::open_attempt(context, cookie, &given.callback).await?;
    // Attempts by strangers from the same address don't block a signed-in member.
    let counted = match &attempt.again {
        Some(session) => Attempt::in_session(session),
        None => Attempt::from(&given.source),
    };
    context.count_attempt(&counted)?;
    let person = sign_in::finish(context, &attempt, given.callback).await?;
    let (session, awaits_code) = match &attempt.again {
        None => (Some(open(context, &person).await?), false),
        Some(session) => (
            None,
            step_up(context, session, given.session, &person).await?,
        ),
    };
    context.attempt_succeeded(&counted);
    Ok(FinishedAtProvider {
        next: attempt.next,
        session,
        awaits_code,
    })
}

/// Opens a session of the member with this email address. Creates the member if needed. Invitations name an address.
/// From the first sign-in on, the provider's `sub` identifies the member, because an address can be given to another
/// person.
async fn open(context: &Context, person: &Person) -> Result<StartedSession> {
    let (id, role) = match context.store.member_by_email(&person.email).await? {
        Some(found) => (found.row.id, found.row.role),
        None => make(context, person).await?,
    };
    let opening = Opening::new(context);
    let acting = context.acting_as(Caller::member(id, role));
    acting
        .change(
            "session.open",
            async || context.store.member(id).await?.ok_or_else(deleted),
            |found: Versioned<Member>| {
                let after = known(&found.row, person)?;
                let change = Change::none();
                Ok(opening.change(change, &after, found.version, Session::by_provider))
            },
        )
        .await
}

async fn make(context: &Context, person: &Person) -> Result<(MemberId, Role)> {
    let role = context.issuers.sign_in.as_ref();
    let role = role.map_or(Role::Viewer, |provider| provider.options.role);
    // While there is no member, only the link for the first owner can create one.
    if role != Role::Owner && !has_members(context).await? {
        return Err(Error::new(
            ErrorKind::SignInRefused,
            "this environment has no owner yet; the operator creates one with `stead members invite EMAIL --role owner`",
        ));
    }
    check_room(context).await?;
    let id = MemberId::from_uuid(context.host.new_id());
    let member = Member {
        name: person.name.clone(),
        ..Member::new(id, &person.email, role, context.host.now())
    };
    let acting = context.acting_as(Caller::member(id, role));
    Ok((create(&acting, member).await?, role))
}

/// Records that the session's own member has signed in again in that session's browser. Returns whether the one-time
/// code is still missing.
async fn step_up(
    context: &Context,
    session: &Digest,
    id: Option<SecretString>,
    person: &Person,
) -> Result<bool> {
    let id = id.filter(|id| session.is_of(id.expose_secret()));
    let id = id.ok_or_else(|| {
        not_completed("this browser's session changed during the sign-in; start again")
    })?;
    let is_same = |member: &Member| match member.email == person.email {
        true => known(member, person).map(drop),
        false => Err(not_completed(
            "a different person signed in at the provider than the member of this session",
        )),
    };
    super::step_up::at_provider(context, id.expose_secret(), is_same).await
}

/// The member as this person. Fails for a different person or a disabled member.
fn known(member: &Member, person: &Person) -> Result<Member> {
    let refused = |why| Error::new(ErrorKind::SignInRefused, why);
    if member.disabled {
        return Err(refused(
            "your membership is disabled; an owner can enable it again",
        ));
    }
    let who = ProviderSubject {
        issuer: person.issuer.clone(),
        subject: person.subject.clone(),
    };
    member.known_at(&who).ok_or_else(|| {
        refused("your email address belonged to another person at the provider; ask an owner to reset or delete that member")
    })
}

fn not_completed(why: &str) -> Error {
    Error::new(ErrorKind::SignInFailed, why)
}

fn deleted() -> Error {
    not_completed("the member was deleted")
}
