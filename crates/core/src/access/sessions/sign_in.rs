//! Signs a member in by e-mail address and password.

use secrecy::{ExposeSecret as _, SecretString};

use super::{Opening, SignIn, StartedSession, device};
use crate::{
    Error, ErrorKind, Result,
    caller::Caller,
    context::{Attempt, Context, change::Change},
    domain::{Member, PasswordHash, Session, member::read_email},
    store::Versioned,
};

/// Opens a session. Unknown email addresses and members who can't sign in take the same steps and the same time as a
/// wrong password.
pub(crate) async fn sign_in(context: &Context, given: SignIn) -> Result<StartedSession> {
    context.host.tasks.open()?;
    context.check_passwords()?;
    let email = read_email(&given.email).unwrap_or_default();
    let device = device::known(context, &email, given.device.as_ref()).await;
    let attempt = Attempt::to_sign_in(&email, &given.source, device.as_ref());
    context.count_attempt(&attempt)?;
    let _place = match device {
        Some(_) => None,
        None => Some(context.place_of_stranger()?),
    };
    let found = context.store.member_by_email(&email).await?;
    let member = found.map(|found| found.row).filter(|row| !row.disabled);
    let password = member.as_ref().and_then(|member| member.password.clone());
    let is_right = compare(context, password.as_ref(), given.password).await?;
    let (Some(member), true) = (member, is_right) else {
        return Err(refused());
    };
    context.attempt_succeeded(&attempt);
    let opening = Opening::new(context);
    let acting = context.acting_as(Caller::member(member.id, member.role));
    acting
        .change(
            "session.open",
            async || context.store.member(member.id).await?.ok_or_else(refused),
            |found: Versioned<Member>| {
                // The password may have changed since it was compared.
                if found.row.password != password || found.row.disabled {
                    return Err(refused());
                }
                let change = Change::none();
                Ok(opening.change(change, &found.row, found.version, Session::new))
            },
        )
        .await
}

/// Whether a password is correct. If there is none, compares with a hash that no password has.
pub(in crate::access) async fn compare(
    context: &Context,
    hash: Option<&PasswordHash>,
    password: SecretString,
) -> Result<bool> {
    let exists = hash.is_some();
    let hash = hash.cloned().unwrap_or_else(PasswordHash::of_no_one);
    let work = move || hash.is_of(password.expose_secret());
    Ok(context.password_work(work).await? && exists)
}

fn refused() -> Error {
    Error::new(
        ErrorKind::Unauthenticated,
        "the email address or the password is wrong",
    )
}
