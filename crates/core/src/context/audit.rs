//! Entries of the audit log, written in the transaction of the change.

use super::{Context, change::Retries};
use crate::{
    Result,
    domain::{AuditEntry, AuditHead, NewAudit},
    store::{Batch, Commit},
};

/// Audited changes of a process are serialized, because each entry needs the hash of the previous one.
#[derive(Debug, Default)]
pub(crate) struct AuditTurn(tokio::sync::Mutex<()>);

impl Context {
    /// Offers a batch together with its audit entries. If another process has used their numbers, they get the next
    /// ones. A conflict that is returned is always one of the batch itself.
    pub(super) async fn offer_audited<F, W>(
        &self,
        batch: Batch,
        audits: Vec<NewAudit>,
        retries: &mut Retries<F>,
    ) -> Result<Commit>
    where
        F: FnMut(u32) -> W,
        W: Future<Output = bool>,
    {
        if audits.is_empty() {
            return self.offer(batch, retries).await;
        }
        let _turn = self.store.audit_turn.0.lock().await;
        loop {
            let head = match self.store.audit_head().await {
                Ok(head) => head,
                Err(error) => {
                    retries.after(error).await?;
                    continue;
                }
            };
            let entries = self.audit_entries(&head, &audits);
            let audited = entries.iter().cloned().fold(batch.clone(), Batch::insert);
            match self.offer(audited, retries).await? {
                Commit::Committed => {
                    for entry in &entries {
                        // If someone keeps these logs elsewhere, they can detect that the end of the chain was removed.
                        tracing::info!(
                            number = entry.number,
                            hash = entry.hash.as_str(),
                            action = entry.action,
                            target = entry.target.id,
                            actor = entry.actor.id.as_deref().unwrap_or(&entry.actor.kind),
                            "audit"
                        );
                    }
                    return Ok(Commit::Committed);
                }
                Commit::Conflict if self.store.audit_head().await? == head => {
                    return Ok(Commit::Conflict);
                }
                Commit::Conflict => {}
            }
        }
    }

    fn audit_entries(&self, head: &AuditHead, audits: &[NewAudit]) -> Vec<AuditEntry> {
        let mut head = head.clone();
        let next = audits.iter().map(|new| {
            let request = self.request_id.as_deref().map(str::to_owned);
            let entry = head.next(new.clone(), self.host.now(), self.caller.actor(), request);
            head = entry.head();
            entry
        });
        next.collect()
    }
}
