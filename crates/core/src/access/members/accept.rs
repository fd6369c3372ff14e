//! Sets the password of a member with the link of an invitation or a reset.

use secrecy::SecretString;

use super::{check_name, hashed};
use crate::{
    Error, ErrorKind, Result,
    access::sessions::{Opening, StartedSession},
    caller::Caller,
    context::{Context, change::Change},
    digest::Digest,
    domain::{Member, Session},
    resource,
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
