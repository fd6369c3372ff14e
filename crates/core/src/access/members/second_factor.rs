//! Adds one-time codes of an authenticator app to a member's password, or removes them.

use data_encoding::BASE32_NOPAD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::SecretString;

use crate::{
    Error, ErrorKind, Result,
    access::{member::code_step, sessions::owned},
    caller::Caller,
    context::{Attempt, Context, change::Change},
    domain::{Member, Session},
    resource::NewSecondFactor,
    sealed::place,
    store::Versioned,
};

/// A member, with the session that acts.
type Owned = (Versioned<Session>, Versioned<Member>);

/// Generates a secret for the member's app. It counts once a code has proved that the app has it.
pub(crate) async fn enrol(context: &Context, session_id: &str) -> Result<NewSecondFactor> {
    let mut secret = zeroize::Zeroizing::new([0; 20]);
    context.host.entropy.fill(secret.as_mut_slice());
    let email = context
        .change(
            "member.enrol",
            async || {
                let owned = owned(context, session_id).await?;
                let place = place::SecondFactor(owned.1.row.id);
                Ok((owned, context.store.vault.seal(&place, secret.as_slice())?))
            },
            |((session, member), sealed)| {
                check_stepped_up(context, &session)?;
                let after = member.row.enrolling(sealed)?;
                let email = after.email.clone();
                Ok((Change::none().update(after, member.version), email))
            },
        )
        .await?;
    let text = zeroize::Zeroizing::new(BASE32_NOPAD.encode(secret.as_slice()));
    let label = utf8_percent_encode(&email, NON_ALPHANUMERIC);
    let uri = format!(
        "otpauth://totp/Stead:{label}?secret={}&issuer=Stead",
        &*text
    );
    Ok(NewSecondFactor::new(
        SecretString::from(text.as_str()),
        SecretString::from(uri),
    ))
}

/// Confirms the latest secret with a code. From now on, sign-in requires a code.
pub(crate) async fn confirm(context: &Context, session_id: &str, code: &str) -> Result<()> {
    let (session, member) = owned(context, session_id).await?;
    let attempt = Attempt::in_session(&session.row.id);
    context.count_attempt(&attempt)?;
    changing(context, &member.row)
        .change(
            "member.confirm_second_factor",
            async || {
                let (_, member) = owned(context, session_id).await?;
                let step = code_step(context, &member.row, code).await?;
                Ok((member, step))
            },
            |(member, step): (Versioned<Member>, Option<i64>)| {
                if member.row.has_second_factor() {
                    let message = "the second factor is already confirmed";
                    return Err(Error::new(ErrorKind::InvalidTransition, message));
                }
                let step = step.ok_or_else(|| Error::invalid_at("/code", "the code is wrong"))?;
                let what = "member.second_factor_added";
                Ok((changed(&member, member.row.used_code(step), what), ()))
            },
        )
        .await?;
    context.attempt_succeeded(&attempt);
    Ok(())
}

/// Removes the second factor of a session's member.
pub(crate) async fn remove(context: &Context, session_id: &str) -> Result<()> {
    let (_, member) = owned(context, session_id).await?;
    changing(context, &member.row)
        .change(
            "member.remove_second_factor",
            || owned(context, session_id),
            |(session, member): Owned| {
                check_stepped_up(context, &session)?;
                if member.row.second_factor.is_none() {
                    return Ok((Change::none(), ()));
                }
                let mut after = member.row.clone();
                after.second_factor = None;
                Ok((changed(&member, after, "member.second_factor_removed"), ()))
            },
        )
        .await
}

fn changing(context: &Context, member: &Member) -> Context {
    context.acting_as(Caller::member(member.id, member.role))
}

fn changed(before: &Versioned<Member>, after: Member, what: &'static str) -> Change {
    Change::none()
        .event(after.event(what))
        .audit(after.audit(what))
        .update(after, before.version)
}

fn check_stepped_up(context: &Context, session: &Versioned<Session>) -> Result<()> {
    if session.row.is_stepped_up(context.host.now()) {
        return Ok(());
    }
    let message = "enter your password again to do this";
    Err(Error::new(ErrorKind::Unauthenticated, message))
}
