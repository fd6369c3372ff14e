//! Creates the first owner, for a person with the link that the operator was shown.

use secrecy::{ExposeSecret as _, SecretString};

use super::{check_name, hashed};
use crate::{
    Error, ErrorKind, Result,
    access::{
        member::has_members,
        sessions::{Opening, StartedSession},
    },
    caller::Caller,
    context::{Context, change::Change},
    digest::Digest,
    domain::{Member, Session, member::read_email},
    error::ActBy,
    identifier::MemberId,
    state::Role,
    store::Versioned,
};

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
