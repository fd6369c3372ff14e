//! A person approves or denies a call.

use super::row;
use crate::{
    Error, ErrorKind, Result,
    caller::{Actor, Caller},
    context::{Context, change::Change},
    domain::{Approval, approval::Trigger},
    resource::{self, ApprovalDecision, ApproveCall, DenyCall},
};

/// Longest reason, in characters.
const REASON: usize = 500;

/// Allows the call once, until the approval expires.
pub(crate) async fn approve(
    context: &Context,
    ApproveCall {
        approval_id,
        decision,
    }: ApproveCall,
) -> Result<resource::Approval> {
    let approval_id = approval_id.as_str();
    decide(context, approval_id, decision, Trigger::Approved).await
}

/// Denies the call. This also works if it was approved but hasn't run yet.
pub(crate) async fn deny(
    context: &Context,
    DenyCall {
        approval_id,
        decision,
    }: DenyCall,
) -> Result<resource::Approval> {
    let approval_id = approval_id.as_str();
    decide(context, approval_id, decision, Trigger::Denied).await
}

async fn decide(
    context: &Context,
    approval_id: &str,
    decision: ApprovalDecision,
    trigger: fn(Actor, Option<String>) -> Trigger,
) -> Result<resource::Approval> {
    let reason = decision.reason.filter(|reason| !reason.is_empty());
    let is_long = |reason: &String| reason.chars().count() > REASON;
    if reason.as_ref().is_some_and(is_long) {
        let message = format!("a reason has at most {REASON} characters");
        return Err(Error::invalid_at("/reason", message));
    }
    let now = context.host.now();
    let decided = context
        .change(
            "approval.decide",
            || row(context, approval_id),
            |found| {
                check_other(&context.caller, &found.row)?;
                let trigger = trigger(context.caller.actor(), reason.clone());
                let (row, event) = found.row.on(trigger, now)?;
                let change = Change::none()
                    .event(row.event(event))
                    .audit(row.audit(event))
                    .update(row.clone(), found.version);
                Ok((change, row))
            },
        )
        .await?;
    Ok(decided.shown(now))
}

/// Rejects the requester, including tokens and sessions that they created. The operator of the process can always
/// decide.
fn check_other(caller: &Caller, row: &Approval) -> Result<()> {
    let asked = &row.asked_by;
    let own_id = caller
        .id()
        .is_some_and(|id| asked.id.as_deref() == Some(id));
    let made = caller.client_id();
    let own_client = made.is_some_and(|client| asked.client_id.as_deref() == Some(client));
    if own_id || own_client {
        return Err(Error::new(
            ErrorKind::Forbidden,
            "you can't approve or deny a call that you or your application made",
        ));
    }
    Ok(())
}
