//! Members of the dashboard: who can sign in, how, and with which role.

mod accept;
mod change;
mod delete;
mod invite;
mod list;
mod reset;
mod second_factor;
mod set_password;
mod set_up;
#[cfg(test)]
mod tests;

pub(crate) use accept::{accept, of_link};
pub(crate) use change::change;
pub(crate) use delete::delete;
pub(crate) use invite::create;
pub(crate) use list::{list, read};
pub(crate) use reset::reset;
pub(crate) use second_factor::{confirm, enrol, remove};
pub(crate) use set_password::set_password;
pub(crate) use set_up::{begin_setup, is_setup, set_up};

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
