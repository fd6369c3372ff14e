//! Asks the environment's policy whether a call may go on: once per call, before anything is sent.

use crate::{
    Error, ErrorKind, Result,
    context::{Context, Snapshot},
    ports::{Decision, PolicyRequest},
    tool::Effect,
};

/// What a call is about to do.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action<'a> {
    /// Run a tool.
    Tool(&'a str),
    /// Send a raw request.
    Request {
        /// HTTP method.
        method: &'a str,
        /// The product's path.
        path: &'a str,
    },
}

/// Fails where the policy forbids the call or holds it.
pub(crate) fn admit(
    context: &Context,
    snapshot: &Snapshot,
    effect: Effect,
    action: Action<'_>,
) -> Result<()> {
    let (tool, target) = match action {
        Action::Tool(name) => (Some(name), None),
        Action::Request { method, path } => (None, Some((method, path))),
    };
    let decision = context.policy.admit(&PolicyRequest {
        caller: &context.caller,
        product: &snapshot.connection.product,
        connection_name: snapshot.connection.name.as_str(),
        identifier: snapshot.account.identifier.as_str(),
        tool,
        effect,
        target,
    });
    match decision {
        Decision::Allow => Ok(()),
        Decision::Deny(why) => Err(Error::new(ErrorKind::Forbidden, why)),
        Decision::Hold(why) => Err(Error::new(ErrorKind::ApprovalRequired, why)),
    }
}
