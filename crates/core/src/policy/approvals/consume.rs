//! Uses an approval, right before the request is sent that it is for. A call that fails later needs another approval: if
//! the approval were used after the request, the request could be sent twice.

use crate::{
    Error, ErrorKind, Result,
    context::{Context, change::Change},
    domain::approval::Trigger,
    identifier::ApprovalId,
};

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
