//! Members of the dashboard: who can sign in, how, and with which role.

mod enroll;
mod manage;
mod second_factor;
#[cfg(test)]
mod tests;

pub(crate) use enroll::set_password;
pub(crate) use enroll::{accept, of_link};
pub(crate) use enroll::{begin_setup, is_setup, set_up};
pub(crate) use manage::change;
pub(crate) use manage::create;
pub(crate) use manage::delete;
pub(crate) use manage::reset;
pub(crate) use manage::{list, read};
pub(crate) use second_factor::{confirm, enrol, remove};

use secrecy::{ExposeSecret as _, SecretString};

use crate::{
    Error, ErrorKind, Result,
    access::member::MOST,
    context::Context,
    digest::Digest,
    domain::{Member, MemberLink, PasswordHash, password},
    identifier::MemberId,
    resource::IssuedMemberLink,
    store::Versioned,
};

/// The member with the ID from a path.
async fn existing(context: &Context, id: &str) -> Result<Versioned<Member>> {
    let unknown = || Error::new(ErrorKind::NotFound, "no member has this id");
    let id: MemberId = id.parse().map_err(|_| unknown())?;
    context.store.member(id).await?.ok_or_else(unknown)
}

/// The member with this ID, and another active owner. A change to an owner depends on that.
async fn with_other_owner(
    context: &Context,
    id: &str,
) -> Result<(Versioned<Member>, Option<Versioned<Member>>)> {
    let member = existing(context, id).await?;
    let members = context.store.members(None, MOST).await?;
    let is_other =
        |found: &Versioned<Member>| found.row.id != member.row.id && found.row.is_active_owner();
    let other = members.into_iter().find(is_other);
    Ok((member, other))
}

fn last_owner() -> Error {
    Error::new(
        ErrorKind::InvalidTransition,
        "this is the only active owner; make another member an owner first",
    )
}

fn check_name(name: &str) -> Result<()> {
    if name.chars().count() > 100 || name.chars().any(char::is_control) {
        return Err(Error::invalid_at(
            "/name",
            "a name has at most 100 characters and no control characters",
        ));
    }
    Ok(())
}

/// The hash of a new password.
async fn hashed(context: &Context, given: SecretString) -> Result<PasswordHash> {
    password::check(given.expose_secret())?;
    let mut salt = [0; 16];
    context.host.entropy.fill(&mut salt);
    let work = move || PasswordHash::of(given.expose_secret(), &salt);
    context.password_work(work).await?
}

/// A new one-time link, and its stored form.
fn new_link(context: &Context) -> (SecretString, MemberLink) {
    let token = context.host.new_secret("stead_invitation_");
    let kept = MemberLink::new(Digest::of(token.expose_secret()), context.host.now());
    let link = context.site.at("/dashboard/invitation?token=");
    (
        SecretString::from(format!("{link}{}", token.expose_secret())),
        kept,
    )
}

fn issued(context: &Context, row: Member, link: SecretString) -> IssuedMemberLink {
    IssuedMemberLink::new(row.shown(context.host.now()), link)
}
