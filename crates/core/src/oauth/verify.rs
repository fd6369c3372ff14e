//! The application confirms which user came back.

use super::{activate::activate, end::end};
use crate::{
    Error, ErrorKind, Result,
    context::{Context, account_view},
    domain::{
        Authorization,
        authorization::{End, Trigger, expired, not_verifying},
    },
    identifier::{AuthorizationId, Identifier},
    resource::{self, VerifyAuthorization},
};

/// Confirms that the user who came back is the one that the link was created for. Confirming again returns the account
/// again, because an application's page that is loaded twice confirms twice.
pub(crate) async fn verify(
    context: &Context,
    verify: VerifyAuthorization,
) -> Result<resource::Account> {
    let authorization_id = verify.authorization_id.as_str();
    let identifier = verify.user.identifier.as_str();
    let id: AuthorizationId = authorization_id.parse().map_err(|_| not_verifying())?;
    let identifier = Identifier::new(identifier)?;
    let made_for = context.store.authorization(id).await?;
    let made_for = made_for.ok_or_else(not_verifying)?.row.connection_id;
    if !context.sees(made_for).await {
        return Err(not_verifying());
    }
    context
        .detached(|context| async move {
            loop {
                let authorization = context.store.authorization(id).await?;
                let authorization = authorization.ok_or_else(not_verifying)?.row;
                authorization.on(Trigger::Confirmed, context.host.now())?;
                if authorization.is_completed() {
                    return confirmed(&context, &authorization, &identifier).await;
                }
                let ending = if authorization.expires_at <= context.host.now() {
                    Some((End::Expired, "verification_timeout", expired()))
                } else if authorization.identifier != identifier {
                    let mismatch = Error::new(
                        ErrorKind::IdentifierMismatch,
                        "the link was made for a different identifier; Stead cancelled the authorization and destroyed its tokens",
                    );
                    Some((End::Failed, "identifier_mismatch", mismatch))
                } else {
                    None
                };
                let Some((how, reason, error)) = ending else {
                    let connection = context.connection_by_id(authorization.connection_id).await?;
                    match activate(&context, id).await {
                        Ok(account) => return Ok(account_view(&connection.row, account)),
                        // Another confirmation may have been faster.
                        Err(error) if error.kind() == ErrorKind::AuthorizationConsumed => {
                            let now = context.authorization_row(id).await?.row;
                            if !now.is_completed() {
                                return Err(error);
                            }
                            continue;
                        }
                        Err(error) => return Err(error),
                    }
                };
                if end(&context, id, Authorization::is_verifying, how, reason).await? {
                    return Err(error);
                }
            }
        })
        .await?
}

/// Returns the account of an authorization that is already confirmed.
async fn confirmed(
    context: &Context,
    authorization: &Authorization,
    identifier: &Identifier,
) -> Result<resource::Account> {
    if authorization.identifier != *identifier {
        return Err(Error::new(
            ErrorKind::IdentifierMismatch,
            "the link was made for a different identifier, which is already confirmed",
        ));
    }
    let connection = context
        .connection_by_id(authorization.connection_id)
        .await?;
    let account = context.existing_account(authorization.account_id).await?;
    Ok(account_view(&connection.row, account.row))
}
