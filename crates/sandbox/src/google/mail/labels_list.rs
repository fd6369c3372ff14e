//! `users.labels.list`: all labels of the mailbox, without counts.

use axum::http::Method;
use serde_json::{Value, json};

use super::{list::SYSTEM_LABELS, mailbox_owner, scope};
use crate::google::{ApiError, ApiMethod, Call, State, world::Mailbox};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.labels.list",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/labels",
    parameters: &[],
    scopes: &[
        scope::ALL,
        scope::LABELS,
        scope::METADATA,
        scope::MODIFY,
        scope::READONLY,
    ],
    schema: "ListLabelsResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    Ok(json!({"labels": labels(&mailbox_owner(state, call)?.mailbox)}))
}

/// Labels without counts.
pub(super) fn labels(mailbox: &Mailbox) -> Vec<Value> {
    let system = SYSTEM_LABELS
        .iter()
        .map(|id| json!({"id": id, "name": id, "type": "system"}));
    let own = mailbox
        .labels
        .iter()
        .map(|label| json!({"id": label.id, "name": label.name, "type": "user"}));
    system.chain(own).collect()
}
