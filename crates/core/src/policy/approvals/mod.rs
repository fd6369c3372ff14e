//! Approvals of calls. An approval is valid for one call with its exact arguments, by its caller, once, and until it
//! expires.

mod consume;
mod decide;
mod expire;
mod read;
mod request;

pub(crate) use consume::consume;
pub(crate) use decide::{approve, deny};
pub(crate) use expire::expire;
pub(crate) use read::{list, read};
pub(crate) use request::{Call, Subject, request};

use crate::{
    Error, ErrorKind, Result, caller::Caller, context::Context, domain, identifier::ApprovalId,
    resource, store::Versioned,
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

/// An approval for applications, without its arguments. An approval past its time is shown as expired, even before that
/// is stored.
fn view(row: domain::Approval, now: jiff::Timestamp) -> resource::Approval {
    let state = match row.is_live() && row.is_over(now) {
        true => crate::state::ApprovalState::Expired,
        false => row.state,
    };
    let (tool, tool_version) = row.tool.unzip();
    let (method, path) = row.request.unzip();
    resource::Approval {
        approval_id: row.id,
        state,
        asked_by: row.asked_by,
        connection_name: row.connection_name,
        product: row.product,
        identifier: row.identifier,
        tool,
        tool_version,
        method,
        path,
        arguments: None,
        policy: row.policy,
        rule: row.rule,
        created_at: row.created_at,
        expires_at: row.expires_at,
        decided_by: row.decided_by,
        decided_at: row.decided_at,
        reason: row.reason,
    }
}
