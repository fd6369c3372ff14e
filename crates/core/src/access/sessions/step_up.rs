//! Takes the password again, before what cannot be undone.

use secrecy::SecretString;

use super::{authenticate::owned, compare, ended};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::{Member, Session},
    store::Versioned,
};

/// Notes that the member of a session has given the password again.
pub(crate) async fn step_up(
    context: &Context,
    id: &str,
    password: SecretString,
    source: &str,
) -> Result<()> {
    let (_, member) = owned(context, id).await?;
    context.count_attempt(&member.row.email, source)?;
    let hash = member.row.password;
    if !compare(context, hash.as_ref(), password).await? {
        let message = "the password is wrong";
        return Err(Error::new(ErrorKind::Unauthenticated, message));
    }
    context.attempt_succeeded(&member.row.email);
    let is_same = |member: &Member| match member.password == hash {
        true => Ok(()),
        false => Err(ended()),
    };
    note(context, id, is_same).await
}

/// Notes that the member of a session has proved again who it is, where `is_same` takes the member as it is by then.
pub(super) async fn note(
    context: &Context,
    id: &str,
    is_same: impl Fn(&Member) -> Result<()> + Send,
) -> Result<()> {
    let now = context.now();
    context
        .change(
            "session.step_up",
            async || owned(context, id).await,
            |(session, member): (Versioned<Session>, Versioned<Member>)| {
                is_same(&member.row)?;
                let after = session.row.stepped_up(now);
                Ok((Change::none().update(after, session.version), ()))
            },
        )
        .await
}
