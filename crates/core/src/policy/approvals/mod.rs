//! Approvals of calls. An approval is valid for one call with its exact arguments, by its caller, once, and until it
//! expires.

mod decide;
mod read;
mod request;

pub(crate) use decide::consume;
pub(crate) use decide::expire;
pub(crate) use decide::{approve, deny};
pub(crate) use read::{list, read};
pub(crate) use request::{Call, Subject, ToSend, request};

use crate::{
    Error, ErrorKind, Result, caller::Caller, context::Context, domain, identifier::ApprovalId,
    store::Versioned,
};

fn missing() -> Error {
    Error::new(ErrorKind::NotFound, "no approval has this id")
}

/// The approval with this ID, if the caller can see its connection.
async fn row(context: &Context, approval_id: &str) -> Result<Versioned<domain::Approval>> {
    may_see(&context.caller)?;
    let id: ApprovalId = approval_id.parse().map_err(|_| missing())?;
    let found = context.store.approval(id).await?;
    let seen = |found: &Versioned<domain::Approval>| {
        context.caller.sees(found.row.connection_name.as_str())
    };
    found.filter(seen).ok_or_else(missing)
}

/// Rejects callers that act for a user, because others decide on their requests.
fn may_see(caller: &Caller) -> Result<()> {
    match caller {
        Caller::AccountToken(_) | Caller::McpSession(_) | Caller::User => Err(Error::new(
            ErrorKind::InsufficientScope,
            "only operators, and applications with the scope for approvals, can use approvals",
        )),
        _ => Ok(()),
    }
}
