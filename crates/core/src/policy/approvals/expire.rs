//! Expires approvals.

use crate::{
    Result,
    context::{Context, change::Change},
    domain::{Approval, approval::Trigger},
    state::ApprovalState,
    store::Versioned,
};

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
