//! The application confirms who came back.

use super::{activate::activate, end::end};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, account_view},
    domain::{
        Authorization,
        authorization::{End, Trigger, expired, not_verifying},
    },
    identifier::{AuthorizationId, Identifier},
    resource,
};

/// Confirms that the user who came back is the one whom the link was made for.
pub(crate) async fn verify(
    context: &Context,
    authorization_id: &str,
    identifier: &str,
) -> Result<resource::Account> {
    let id: AuthorizationId = authorization_id.parse().map_err(|_| not_verifying())?;
    let identifier = Identifier::new(identifier)?;
    context
        .detached(|context| async move {
            loop {
                let authorization = context.store.authorization(id).await?;
                let authorization = authorization.ok_or_else(not_verifying)?.row;
                authorization.on(Trigger::Confirmed, context.now())?;
                let ending = if authorization.expires_at <= context.now() {
                    Some((End::Expired, "verification_timeout", expired()))
                } else if authorization.identifier != identifier {
                    let mismatch = Error::new(
                        ErrorKind::IdentifierMismatch,
                        "the link was made for another identifier; the authorization is ended and its tokens are destroyed",
                    );
                    Some((End::Failed, "identifier_mismatch", mismatch))
                } else {
                    None
                };
                let Some((how, reason, error)) = ending else {
                    let connection = context.connection_by_id(authorization.connection_id).await?;
                    let account = activate(&context, id).await?;
                    return Ok(account_view(&connection.row, account));
                };
                if end(&context, id, Authorization::is_verifying, how, reason).await? {
                    return Err(error);
                }
            }
        })
        .await?
}
