//! Rows of approvals.

use super::{Found, Listed, Records, integer, optional, text};
use crate::{
    Result,
    digest::Digest,
    domain::{Approval, Extra},
    identifier::{ApprovalId, Identifier},
    state::ApprovalState,
    store::{Index, List, Record, Rewritten, Table, Value},
};

/// `live` is the call's digest while the approval is pending or approved. A call can have only one such approval.
pub(super) static APPROVAL: Table = Table {
    name: "approval",
    columns: &[
        text("id"),
        optional("live"),
        text("state"),
        text("identifier"),
        integer("expires_at"),
    ],
    key: Index::unique(&["id"]),
    indexes: &[
        LIVE_APPROVAL,
        APPROVALS_BY_STATE,
        APPROVALS_OF_USER,
        APPROVALS_BY_END,
    ],
    sealed: true,
};
const LIVE_APPROVAL: Index = Index::unique(&["live"]);
const APPROVALS_BY_STATE: Index = Index::of(&["state", "id"]);
const APPROVALS_OF_USER: Index = Index::of(&["identifier", "id"]);
pub(super) const APPROVALS_BY_END: Index = Index::of(&["expires_at"]);

impl Rewritten for Approval {}
impl Record for Approval {
    const TABLE: &'static Table = &APPROVAL;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        let live = self.is_live().then_some(self.call.as_str());
        vec![
            Value::text(self.id),
            Value::optional(live),
            Value::text(self.state.name()),
            Value::text(self.identifier.as_str()),
            Value::moment(self.expires_at),
        ]
    }
}

impl Records {
    /// An approval by ID.
    pub(crate) async fn approval(&self, id: ApprovalId) -> Found<Approval> {
        self.get(id).await
    }
    /// The approval of a call, if it's pending or approved.
    pub(crate) async fn live_approval(&self, call: &Digest) -> Found<Approval> {
        self.find(LIVE_APPROVAL, &[Value::text(call.as_str())])
            .await
    }
    /// Approvals in this state or in any, newest first, after `after`.
    pub(crate) async fn approvals(
        &self,
        state: Option<ApprovalState>,
        after: Option<ApprovalId>,
        limit: u32,
    ) -> Listed<Approval> {
        let list = match state {
            None => List::new(&APPROVAL, APPROVAL.key),
            Some(state) => {
                List::new(&APPROVAL, APPROVALS_BY_STATE).prefix([Value::text(state.name())])
            }
        };
        let after = after.map(|id| vec![Value::text(id)]);
        self.list(list.descending().after(after).limit(limit)).await
    }
    /// Deletes some approvals of a user. Returns how many.
    pub(crate) async fn remove_approvals_of(&self, of: &Identifier, limit: u32) -> Result<u64> {
        let list = List::new(&APPROVAL, APPROVALS_OF_USER);
        let of_user = list.prefix([Value::text(of.as_str())]).limit(limit);
        self.0.prune(&of_user).await
    }
}
