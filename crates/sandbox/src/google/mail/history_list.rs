//! `users.history.list`: what has happened in the mailbox since a moment.

use axum::http::Method;
use serde_json::{Value, json};

use super::{mailbox_owner, scope};
use crate::google::{
    ApiError, ApiMethod, Call, Kind, Parameter, State, paging,
    world::mailbox::{Change, Record},
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "gmail.users.history.list",
    verb: Method::GET,
    path: "gmail/v1/users/{userId}/history",
    parameters: &[
        Parameter::many(
            "historyTypes",
            Kind::OneOf(&[
                "messageAdded",
                "messageDeleted",
                "labelAdded",
                "labelRemoved",
            ]),
        ),
        Parameter::one("labelId", Kind::Text),
        Parameter::one("maxResults", Kind::Uint32),
        Parameter::one("pageToken", Kind::Text),
        Parameter::one("startHistoryId", Kind::Text),
    ],
    scopes: &[scope::ALL, scope::METADATA, scope::MODIFY, scope::READONLY],
    schema: "ListHistoryResponse",
    run,
};

/// Records of a page when nothing is said.
const DEFAULT_RECORDS: i64 = 100;
/// Records of a page at most.
const MAX_RECORDS: i64 = 500;

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let mailbox = &mailbox_owner(state, call)?.mailbox;
    let start = call.text("startHistoryId").unwrap_or_default();
    let start: u64 = start.parse().map_err(|_| {
        ApiError::unbound(
            "start_history_id",
            format!("Invalid value at 'start_history_id' (TYPE_UINT64), \"{start}\""),
        )
    })?;
    // What lies further back than the mailbox remembers is gone.
    if mailbox
        .history
        .first()
        .is_some_and(|first| start < first.id)
    {
        return Err(ApiError::not_found());
    }
    let types: Vec<&str> = call.query.all("historyTypes").collect();
    let label = call.text("labelId");
    let found = mailbox.history.iter().filter(|record| {
        record.id > start
            && (types.is_empty() || types.contains(&record.kind()))
            && label.is_none_or(|label| record.labels.iter().any(|one| one == label))
    });
    let size = call.number("maxResults").unwrap_or(DEFAULT_RECORDS);
    if !(1..=MAX_RECORDS).contains(&size) {
        return Err(ApiError::invalid(format!(
            "Invalid value for maxResults: {size}. It must be between 1 and {MAX_RECORDS}."
        )));
    }
    let size = usize::try_from(size).unwrap_or_default();
    let page = paging::page(call, METHOD.id, found.collect(), size, &["maxResults"])?;
    let mut response = json!({"historyId": mailbox.history_id().to_string()});
    if !page.items.is_empty() {
        response["history"] = page.items.into_iter().map(Record::shown).collect();
    }
    if let Some(next) = page.next {
        response["nextPageToken"] = json!(next);
    }
    Ok(response)
}

impl Record {
    fn kind(&self) -> &'static str {
        match self.change {
            Change::Added => "messageAdded",
            Change::Deleted => "messageDeleted",
            Change::LabelsAdded(_) => "labelAdded",
            Change::LabelsRemoved(_) => "labelRemoved",
        }
    }

    /// `History`.
    fn shown(&self) -> Value {
        let message = json!({"id": self.message_id, "threadId": self.thread_id});
        let mut whole = message.clone();
        whole["labelIds"] = json!(self.labels);
        let mut shown = json!({"id": self.id.to_string(), "messages": [message]});
        let (name, entry) = match &self.change {
            Change::Added => ("messagesAdded", json!({"message": whole})),
            Change::Deleted => ("messagesDeleted", json!({"message": whole})),
            Change::LabelsAdded(ids) => ("labelsAdded", json!({"message": whole, "labelIds": ids})),
            Change::LabelsRemoved(ids) => {
                ("labelsRemoved", json!({"message": whole, "labelIds": ids}))
            }
        };
        shown[name] = json!([entry]);
        shown
    }
}
