//! Labels that a request adds to messages and removes from them.

use serde_json::Value;

use super::{list::SYSTEM_LABELS, mailbox_mut, mailbox_owner, outgoing::reference};
use crate::google::{ApiError, Body, Call, State};

/// Members of `ModifyMessageRequest` (discovery, `schemas`).
pub(super) const MEMBERS: &[&str] = &[
    "addClassificationLabels",
    "addLabelIds",
    "removeClassificationLabelIds",
    "removeLabelIds",
];

/// Labels to add or to remove at most.
const MAX_LABELS: usize = 100;
/// Labels that only Gmail gives.
const OWN_LABELS: [&str; 3] = ["CHAT", "DRAFT", "SENT"];

/// Ids of labels.
#[derive(Debug)]
pub(super) struct LabelChanges {
    added: Vec<String>,
    removed: Vec<String>,
}

impl LabelChanges {
    /// These.
    pub(super) fn of(added: &[&str], removed: &[&str]) -> Self {
        let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        Self {
            added: owned(added),
            removed: owned(removed),
        }
    }

    /// Those that a body names.
    pub(super) fn read(body: &Body<'_>) -> Result<Self, ApiError> {
        body.unsupported(&["addClassificationLabels", "removeClassificationLabelIds"])?;
        let added = body.texts("addLabelIds")?.unwrap_or_default();
        let removed = body.texts("removeLabelIds")?.unwrap_or_default();
        if added.is_empty() && removed.is_empty() {
            return Err(ApiError::invalid("No label add or removes specified"));
        }
        if added.iter().any(|id| removed.contains(id)) {
            return Err(ApiError::invalid(
                "Cannot both add and remove the same label",
            ));
        }
        if added.len().max(removed.len()) > MAX_LABELS {
            return Err(ApiError::invalid(format!(
                "At most {MAX_LABELS} labels can be added or removed."
            )));
        }
        Ok(Self { added, removed })
    }

    /// Changes a message.
    pub(super) fn apply(
        &self,
        state: &mut State,
        call: &Call,
        id: &str,
    ) -> Result<Value, ApiError> {
        let mailbox = &mailbox_owner(state, call)?.mailbox;
        mailbox.message(id).ok_or_else(ApiError::not_found)?;
        for label in self.added.iter().chain(&self.removed) {
            let known = SYSTEM_LABELS.contains(&label.as_str())
                || mailbox.labels.iter().any(|own| own.id == label);
            if !known || OWN_LABELS.contains(&label.as_str()) {
                return Err(ApiError::invalid(format!("Invalid label: {label}")));
            }
        }
        let mailbox = mailbox_mut(state, call)?;
        let changed = mailbox.change_labels(id, &self.added, &self.removed);
        changed.map(reference).ok_or_else(ApiError::not_found)
    }
}
