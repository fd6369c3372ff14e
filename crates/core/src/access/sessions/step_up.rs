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
    let now = context.now();
    context
        .change(
            "session.step_up",
            async || owned(context, id).await,
            |(session, member): (Versioned<Session>, Versioned<Member>)| {
                if member.row.password != hash {
                    return Err(ended());
                }
                let after = session.row.stepped_up(now);
                Ok((Change::none().update(after, session.version), ()))
            },
        )
        .await
}
