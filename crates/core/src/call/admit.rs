//! Checks whether a tool can be called for an account, by its product and the scopes that the user granted.

use crate::{
    Error, ErrorKind, Result, catalogue::CatalogueTool, context::Snapshot,
    domain::scopes::authorization_request,
};

/// Rejects a connection of a different product than the tool's.
pub(super) fn same_product(tool: &CatalogueTool, snapshot: &Snapshot) -> Result<()> {
    let (expected, given) = (tool.product().name, snapshot.connection.product.as_str());
    if expected == given {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::WrongProduct,
        format!(
            "{} is a tool of {expected}, but the connection {} is for {given}",
            tool.entry().name(),
            snapshot.connection.name
        ),
    ))
}

/// Rejects a call without a granted scope, before anything is sent.
pub(super) fn scopes(tool: &CatalogueTool, snapshot: &Snapshot) -> Result<()> {
    let needed = tool.entry().scopes();
    if needed.covered_by(&snapshot.account.granted_scopes) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::ScopeMissing,
        format!(
            "{} needs a permission that the user hasn't granted; create a link that asks for it",
            tool.entry().name()
        ),
    )
    .with_required_scopes(needed.0.iter().copied())
    .with_context("connection_name", snapshot.connection.name.as_str())
    .with_context("identifier", snapshot.account.identifier.as_str()))
}

/// Adds the scopes to request from the user, if the call fails because the user needs to act.
pub(super) fn what_to_ask(error: Error, tool: &CatalogueTool, snapshot: &Snapshot) -> Error {
    let acts = [
        ErrorKind::AuthorizationRequired,
        ErrorKind::ScopeMissing,
        ErrorKind::ProductRejectedToken,
    ];
    if !acts.contains(&error.kind()) {
        return error;
    }
    // The product may require more scopes than the tool. For example, a granted scope may prevent a search.
    let required: Vec<&str> = error.required_scopes().iter().map(String::as_str).collect();
    let request = authorization_request(
        snapshot.endpoints.product,
        &snapshot.connection,
        &snapshot.account.identifier,
        &snapshot.account.granted_scopes,
        match required.is_empty() {
            true => tool.entry().scopes().0,
            false => &required,
        },
    );
    error.with_authorization_request(request)
}
