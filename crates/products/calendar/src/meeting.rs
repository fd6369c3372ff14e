//! The video meeting of an event (Calendar API, `ConferenceData`).

use std::time::Duration;

use serde_json::{Value, json};
use stead_core::{
    Error, Result,
    tool::{Call, Io, Output, Response},
};

use crate::{errors::is_status, event};

/// Delays between reads of the event while the product creates the meeting.
const WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// The request for a meeting. Its id comes from the call, so a repeat doesn't create a second meeting: the product ignores
/// an id that it knows.
pub(crate) fn request(call: &Call) -> Value {
    json!({
        "createRequest": {
            "requestId": call.derive_id("meeting").to_string(),
            "conferenceSolutionKey": { "type": "hangoutsMeet" },
        }
    })
}

/// Whether the event has a meeting, or the product is creating one.
pub(crate) fn exists(event: &Value) -> bool {
    matches!(state(event), State::Made | State::Pending)
}

/// Whether the product refused the request because the calendar doesn't allow video meetings.
pub(crate) fn is_refused(error: &Error) -> bool {
    let said = error
        .upstream()
        .and_then(|upstream| upstream.message.as_deref());
    is_status(error, 400) && said.is_some_and(|said| said.contains("Invalid conference type value"))
}

/// Code and message of the warning for this refusal.
pub(crate) const REFUSED: (&str, &str) = (
    "meeting_refused",
    "the calendar doesn't allow video meetings; the event was saved without one",
);

/// The description of [`awaited`] in a dry run.
pub(crate) const THEN: &str = "reads the event until its meeting exists, for up to seven seconds";

/// Reads the event until its meeting exists or the time is over. The event itself is saved, so a missing meeting is only a
/// warning.
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
            "the product is still creating the meeting; read the event again later to get its link",
        ),
        State::Failed => output.warn(
            "meeting_failed",
            "the product couldn't create the meeting; the event was saved without one",
        ),
        State::None => output.warn(
            "meeting_missing",
            "the product saved the event without a meeting",
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
