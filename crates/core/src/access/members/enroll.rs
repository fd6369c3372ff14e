//! A member sets up: by an invitation, with a password and a second factor.

use secrecy::{ExposeSecret as _, SecretString};

use super::{check_name, hashed};
use crate::{
    Error, ErrorKind, Result,
    access::{
        member::has_members,
        sessions::{Opening, StartedSession, compare, owned},
    },
    caller::Caller,
    context::{Attempt, Context, change::Change},
    digest::Digest,
    domain::{Member, Session, member::read_email},
    error::ActBy,
    identifier::MemberId,
    resource,
    state::Role,
    store::Versioned,
};

/// The member of a link, for the link's page.
pub(crate) async fn of_link(context: &Context, token: &str) -> Result<resource::Member> {
    let found = opened_by(context, &Digest::of(token)).await?;
    Ok(found.row.shown(context.host.now()))
}

/// Sets the password, uses up the link, and starts a session. With a second factor, the session still needs a code.
pub(crate) async fn accept(
    context: &Context,
    token: &str,
    name: Option<String>,
    password: SecretString,
) -> Result<StartedSession> {
    context.check_passwords()?;
    let name = name.unwrap_or_default();
    check_name(&name)?;
    let token = Digest::of(token);
    let member = opened_by(context, &token).await?.row;
    let password = hashed(context, password).await?;
    let opening = Opening::new(context);
    let acting = context.acting_as(Caller::member(member.id, member.role));
    let now = context.host.now();
    acting
        .change(
            "member.accept",
            async || opened_by(context, &token).await,
            |Versioned { row, version, .. }: Versioned<Member>| {
                let what = match row.joined_at {
                    None => "member.joined",
                    Some(_) => "member.password_changed",
                };
                let mut after = row.with_password(password.clone(), now);
                if !name.is_empty() {
                    after.name.clone_from(&name);
                }
                let change = Change::none()
                    .event(after.event(what))
                    .audit(after.audit(what));
                Ok(opening.change(change, &after, version, Session::new))
            },
        )
        .await
}

async fn opened_by(context: &Context, token: &Digest) -> Result<Versioned<Member>> {
    let found = context.store.member_by_link(token).await?;
    let now = context.host.now();
    let open = found.filter(|found| found.row.opens_with(token, now));
    open.ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            "the link was used, has expired or was replaced; ask an owner for a new one",
        )
    })
}

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

/// The one-time link to create the first owner, if there is no member yet and passwords are allowed. It works for 15
/// minutes, in this process only, and until the next one is created.
pub(crate) async fn begin_setup(context: &Context) -> Result<Option<SecretString>> {
    if !context.takes_passwords() || has_members(context).await? {
        return Ok(None);
    }
    let token = context.host.new_secret("stead_setup_");
    context.note_setup(Digest::of(token.expose_secret()));
    let link = context.site.at("/dashboard/setup?token=");
    let link = format!("{link}{}", token.expose_secret());
    Ok(Some(SecretString::from(link)))
}

/// Whether a link for the first owner is valid.
pub(crate) async fn is_setup(context: &Context, token: &str) -> Result<bool> {
    Ok(context.is_setup(&Digest::of(token)) && !has_members(context).await?)
}

/// Creates the first owner, uses up the link, and starts a session.
pub(crate) async fn set_up(
    context: &Context,
    token: &str,
    (email, name): (&str, &str),
    password: SecretString,
) -> Result<StartedSession> {
    context.check_passwords()?;
    if !is_setup(context, token).await? {
        return Err(used_up());
    }
    let email = read_email(email)?;
    check_name(name)?;
    let password = hashed(context, password).await?;
    if !context.take_setup(&Digest::of(token)) {
        return Err(used_up());
    }
    let now = context.host.now();
    let id = MemberId::from_uuid(context.host.new_id());
    let member = Member {
        name: name.to_owned(),
        ..Member::new(id, &email, Role::Owner, now).with_password(password, now)
    };
    let created = Change::none()
        .event(member.event("member.created"))
        .events(member.elevated(None))
        .audit(member.audit("member.created"))
        .insert(member);
    let exists = Error::new(ErrorKind::AlreadyExists, "this member already exists");
    let acting = context.acting_as(Caller::member(id, Role::Owner));
    acting.add("member.create", created, exists).await?;
    let opening = Opening::new(context);
    acting
        .change(
            "session.open",
            async || context.store.member(id).await?.ok_or_else(used_up),
            |found: Versioned<Member>| {
                let change = Change::none();
                Ok(opening.change(change, &found.row, found.version, Session::new))
            },
        )
        .await
}

fn used_up() -> Error {
    Error::new(
        ErrorKind::NotFound,
        "the link was used, has expired or was replaced at a later start; restart the service to get a new one, or run `stead members invite EMAIL --role owner`",
    )
    // Only the person who starts the process gets another link.
    .with_act_by(ActBy::Operator)
}
