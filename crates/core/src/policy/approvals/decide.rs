//! A person decides about a call, and the call uses the decision.

use super::row;
use crate::{
    Error, ErrorKind, Result,
    caller::{Actor, Caller},
    context::{Context, change::Change},
    domain::{Approval, approval::Trigger},
    identifier::ApprovalId,
    resource::{self, ApprovalDecision, ApproveCall, DenyCall},
    state::ApprovalState,
    store::Versioned,
};

/// Maximum length of a reason in characters.
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

/// Marks an approval as used. Of several calls that find it at the same time, one does.
pub(crate) async fn consume(context: &Context, id: ApprovalId) -> Result<()> {
    let load = || async {
        let found = context.store.approval(id).await?;
        found.ok_or_else(super::missing)
    };
    context
        .change("approval.use", load, |found| {
            let used = found.row.on(Trigger::Used, context.host.now());
            let (row, event) = used.map_err(|error| {
                Error::new(
                    ErrorKind::ApprovalRequired,
                    format!(
                        "{}, and it works only once; this request wasn't sent, so call again to request a new approval",
                        error.message()
                    ),
                )
                .with_context("approval_id", id.to_string())
            })?;
            let change = Change::none().event(row.event(event));
            Ok((change.update(row, found.version), ()))
        })
        .await
}

/// Number of approvals to read together.
const ROUND: u32 = 100;

/// Expires approvals that weren't used in time.
pub(crate) async fn expire(context: &Context) -> Result<()> {
    for state in [ApprovalState::Pending, ApprovalState::Approved] {
        let mut after = None;
        loop {
            let rows = context.store.approvals(Some(state), after, ROUND).await?;
            let last = rows.last().map(|found| found.row.id);
            let is_last = rows.len() < ROUND as usize;
            let now = context.host.now();
            for found in rows.iter().filter(|found| found.row.is_over(now)) {
                expire_one(context, found).await?;
            }
            if is_last {
                break;
            }
            after = last;
        }
    }
    Ok(())
}

async fn expire_one(context: &Context, found: &Versioned<Approval>) -> Result<()> {
    context
        .change(
            "approval.expire",
            || context.store.approval(found.row.id),
            |found| {
                // It was used or denied in the meantime.
                let Some(found) = found.filter(|found| found.row.is_live()) else {
                    return Ok((Change::none(), ()));
                };
                let (row, event) = found.row.on(Trigger::Expired, context.host.now())?;
                let change = Change::none().event(row.event(event));
                Ok((change.update(row, found.version), ()))
            },
        )
        .await
}
