use crate::{
    Error, ErrorKind, Result,
    catalogue::CatalogueTool,
    context::Context,
    context::Snapshot,
    ports::{Decision, Policy, PolicyRequest},
    tool::Effect,
};

/// Refuses a connection of another product than the tool's.
pub(super) fn same_product(tool: &CatalogueTool, snapshot: &Snapshot) -> Result<()> {
    let (wanted, given) = (tool.product().name, snapshot.connection.product.as_str());
    if wanted == given {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::WrongProduct,
        format!(
            "{} is a tool of {wanted}; the connection {} is of {given}",
            tool.entry().name(),
            snapshot.connection.name
        ),
    ))
}

/// Refuses a call for which no scope was granted, before anything is sent.
pub(super) fn scopes(tool: &CatalogueTool, snapshot: &Snapshot) -> Result<()> {
    let needed = tool.entry().scopes();
    if needed.covered_by(&snapshot.account.granted_scopes) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::ScopeMissing,
        format!(
            "{} needs a permission that the user did not grant; create a link that asks for it",
            tool.entry().name()
        ),
    )
    .with_required_scopes(needed.0.iter().copied())
    .with_context("connection_name", snapshot.connection.name.as_str())
    .with_context("identifier", snapshot.account.identifier.as_str()))
}

/// Asks the context's policy.
pub(super) fn policy(context: &Context, tool: &CatalogueTool, snapshot: &Snapshot) -> Result<()> {
    judge(
        context.policy.as_ref(),
        &PolicyRequest {
            product: &snapshot.connection.product,
            connection_name: snapshot.connection.name.as_str(),
            identifier: snapshot.account.identifier.as_str(),
            tool: Some(tool.entry().name()),
            effect: tool.entry().effect(),
            target: None,
        },
    )
}

/// Asks the policy about a raw request.
pub(crate) fn admit_proxy(
    context: &Context,
    snapshot: &Snapshot,
    effect: Effect,
    method: &str,
    path: &str,
) -> Result<()> {
    judge(
        context.policy.as_ref(),
        &PolicyRequest {
            product: &snapshot.connection.product,
            connection_name: snapshot.connection.name.as_str(),
            identifier: snapshot.account.identifier.as_str(),
            tool: None,
            effect,
            target: Some((method, path)),
        },
    )
}

fn judge(policy: &dyn Policy, intent: &PolicyRequest<'_>) -> Result<()> {
    match policy.admit(intent) {
        Decision::Allow => Ok(()),
        Decision::Deny(why) => Err(Error::new(ErrorKind::Forbidden, why)),
        Decision::Hold(why) => Err(Error::new(ErrorKind::ApprovalRequired, why)),
    }
}
