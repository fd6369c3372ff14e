//! Reads an authorization: its progress, and why it ended.

use crate::{
    Error, ErrorKind, Result,
    context::Context,
    identifier::AuthorizationId,
    resource::{Authorization, ReadAuthorization},
};

/// Returns an authorization. If its connection is hidden from the caller, it's treated as missing.
pub(crate) async fn read(context: &Context, read: ReadAuthorization) -> Result<Authorization> {
    let authorization_id = read.authorization_id.as_str();
    let unknown = || {
        Error::new(
            ErrorKind::AuthorizationNotFound,
            "no authorization has this id",
        )
    };
    let id: AuthorizationId = authorization_id.parse().map_err(|_| unknown())?;
    let row = context.authorization_row(id).await?.row;
    if !context.sees(row.connection_id).await {
        return Err(unknown());
    }
    let connection = context.connection_by_id(row.connection_id).await?.row;
    Ok(row.shown(connection.name))
}
