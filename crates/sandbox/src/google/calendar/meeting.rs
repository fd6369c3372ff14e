//! Video meetings of events (`ConferenceData`).

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::google::{
    ApiError, Call,
    world::calendars::{Calendar, Event},
};

/// Readings that still find a new meeting in the making, the response to its request not counted.
const PENDING_READS: u8 = 1;

/// Makes the meeting that a body asks for. Without `conferenceDataVersion=1` whatever it says is ignored.
pub(super) fn create(
    call: &Call,
    calendar: &Calendar,
    asked: Option<&Value>,
    event: &mut Event,
) -> Result<(), ApiError> {
    let Some(asked) = asked.filter(|_| call.text("conferenceDataVersion") == Some("1")) else {
        return Ok(());
    };
    if asked.is_null() {
        event.fields.remove("conferenceData");
        event.fields.remove("hangoutLink");
        return Ok(());
    }
    let request = &asked["createRequest"];
    let id = request["requestId"].as_str().filter(|id| !id.is_empty());
    let id = id.ok_or_else(|| ApiError::of(400, "required", "Missing conference request id."))?;
    if !calendar.takes_meetings || request["conferenceSolutionKey"]["type"] != "hangoutsMeet" {
        return Err(ApiError::of(
            400,
            "invalid",
            "Invalid conference type value.",
        ));
    }
    // A request that is known is ignored (`CreateConferenceRequest.requestId`).
    let known = event.fields.get("conferenceData");
    if known.is_some_and(|known| known["createRequest"]["requestId"] == id) {
        return Ok(());
    }
    let code = code(id);
    let link = format!("https://meet.google.com/{code}");
    let data = json!({
        "createRequest": {
            "requestId": id,
            "conferenceSolutionKey": { "type": "hangoutsMeet" },
            "status": { "statusCode": "success" },
        },
        "conferenceId": code,
        "conferenceSolution": { "key": { "type": "hangoutsMeet" }, "name": "Google Meet" },
        "entryPoints": [{ "entryPointType": "video", "uri": link, "label": format!("meet.google.com/{code}") }],
    });
    event.fields.insert("conferenceData".to_owned(), data);
    event.fields.insert("hangoutLink".to_owned(), json!(link));
    event.meeting_pending_reads = PENDING_READS;
    Ok(())
}

/// Shows a meeting that is still in the making.
pub(super) fn show_as_pending(rendered: &mut Map<String, Value>) {
    rendered.remove("hangoutLink");
    if let Some(data) = rendered.get_mut("conferenceData") {
        let mut request = data["createRequest"].clone();
        request["status"]["statusCode"] = json!("pending");
        *data = json!({ "createRequest": request });
    }
}

/// Letters such as `abc-defg-hij`, which follow from the request.
fn code(id: &str) -> String {
    let digest = Sha256::digest(id.as_bytes());
    let letters: Vec<char> = digest
        .iter()
        .take(10)
        .map(|byte| char::from(b'a' + byte % 26))
        .collect();
    let part = |range: std::ops::Range<usize>| {
        letters
            .iter()
            .skip(range.start)
            .take(range.len())
            .collect::<String>()
    };
    format!("{}-{}-{}", part(0..3), part(3..7), part(7..10))
}
