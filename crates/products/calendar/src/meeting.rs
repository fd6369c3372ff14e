//! The video meeting of an event (Calendar API, `ConferenceData`).

use std::time::Duration;

use serde_json::{Value, json};
use stead_core::{
    Error, Result,
    tool::{Call, Io, Output, Response},
};

use crate::{errors::is_status, event};

/// How long to wait for the product to make a meeting, reading the event again after each time.
const WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// Asks for a meeting. The id comes from the call, so that a repeat asks for the same one: the product ignores an id
/// that it knows.
pub(crate) fn request(call: &Call) -> Value {
    json!({
        "createRequest": {
            "requestId": call.derive_id("meeting").to_string(),
            "conferenceSolutionKey": { "type": "hangoutsMeet" },
        }
    })
}

/// Whether the event has a meeting, or one is being made.
pub(crate) fn exists(event: &Value) -> bool {
    matches!(state(event), State::Made | State::Pending)
}

/// Whether the product refused the request because the calendar takes no such meetings.
pub(crate) fn is_refused(error: &Error) -> bool {
    let said = error
        .upstream()
        .and_then(|upstream| upstream.message.as_deref());
    is_status(error, 400) && said.is_some_and(|said| said.contains("Invalid conference type value"))
}

/// Code and sentence of the warning in that case.
pub(crate) const REFUSED: (&str, &str) = (
    "meeting_refused",
    "the calendar takes no video meetings; the event was saved without one",
);

/// What [`awaited`] sends, for a dry run.
pub(crate) const THEN: &str =
    "reads the event again until its meeting is made, for up to seven seconds";

/// The event as the product has it once its meeting is made, or after some waiting. The event exists whatever becomes
/// of its meeting, so that is a warning at most.
pub(crate) async fn awaited(io: Io<'_>, calendar: &str, mut response: Response) -> Result<Output> {
    let mut event: Value = response.json()?;
    let id = event["id"].as_str().unwrap_or_default().to_owned();
    for wait in WAITS {
        if state(&event) != State::Pending || io.pause(wait).await.is_err() {
            break;
        }
        let Ok(read) = io.send(event::read(calendar, &id)).await else {
            break;
        };
        event = read.json()?;
        response = read;
    }
    let output = Output::from(response);
    Ok(match state(&event) {
        State::Made => output,
        State::Pending => output.warn(
            "meeting_pending",
            "the product is still making the meeting; read the event again for its link",
        ),
        State::Failed => output.warn(
            "meeting_failed",
            "the product could not make the meeting; the event was saved without one",
        ),
        State::None => output.warn(
            "meeting_missing",
            "the product saved the event and made no meeting",
        ),
    })
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    None,
    Pending,
    Made,
    Failed,
}

fn state(event: &Value) -> State {
    let conference = &event["conferenceData"];
    let has_entry = conference["entryPoints"]
        .as_array()
        .is_some_and(|entries| !entries.is_empty());
    if has_entry || event["hangoutLink"].is_string() {
        return State::Made;
    }
    match conference["createRequest"]["status"]["statusCode"].as_str() {
        Some("pending") => State::Pending,
        Some("failure") => State::Failed,
        Some("success") => State::Made,
        _ => State::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_read() {
        let status = |code: &str| json!({"conferenceData": {"createRequest": {"status": {"statusCode": code}}}});
        for (event, expected) in [
            (json!({}), State::None),
            (json!({"conferenceData": {}}), State::None),
            (status("pending"), State::Pending),
            (status("failure"), State::Failed),
            (status("success"), State::Made),
            (status("odd"), State::None),
            (
                json!({"hangoutLink": "https://meet.google.com/x"}),
                State::Made,
            ),
            (
                json!({"conferenceData": {"entryPoints": [{"uri": "https://meet.google.com/x"}]}}),
                State::Made,
            ),
            (json!({"conferenceData": {"entryPoints": []}}), State::None),
        ] {
            assert_eq!(state(&event), expected, "{event}");
        }
    }
}
