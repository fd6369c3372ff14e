//! Requests that are sent a second time.

use http::HeaderMap;
use serde_json::{Value, json};
use stead_calendar::{DeleteEvent, PRODUCT, RespondToEvent};
use stead_core::tool::{Call, Response, Retry, ToolEntry};
use stead_testkit::{Canned, drive, fixture::CallSetup};

/// A call, as in fixtures.
fn call() -> Call {
    CallSetup::default().to_call(&PRODUCT)
}

fn delete(attempt: u8) -> (Value, usize) {
    let body = json!({"error": {"code": 410, "message": "Resource has been deleted", "errors": [{"reason": "deleted"}]}});
    let gone = Response::new(410, HeaderMap::new(), body.to_string()).with_attempt(attempt);
    let guests = Response::new(200, HeaderMap::new(), "{}");
    let canned = Canned::new(&PRODUCT, [guests, gone]);
    let tool = ToolEntry::of::<DeleteEvent>()
        .parse(json!({"event_id": "e1"}))
        .expect("an input");
    let output = drive(&*tool, &call(), &canned).expect("an output");
    assert_eq!(canned.requests()[1].retry, Retry::Always);
    let (data, warnings) = output.into_json().expect("JSON");
    (
        serde_json::from_str(data.get()).expect("JSON"),
        warnings.len(),
    )
}

#[test]
fn a_repeated_deletion_of_a_missing_event_succeeds() {
    let (data, warnings) = delete(2);
    assert_eq!((&data["deleted"], warnings), (&json!(true), 0));
    let (data, warnings) = delete(1);
    assert_eq!((&data["deleted"], warnings), (&json!(true), 1));
}

#[test]
fn a_response_is_repeated_only_if_it_sends_no_mail() {
    for (send_updates, retry) in [
        (json!(null), Retry::Always),
        (json!(false), Retry::Always),
        (json!(true), Retry::Unprocessed),
    ] {
        let event = json!({"id": "e1", "attendees": [{"email": "ada@example.com", "self": true}]});
        let input = json!({"event_id": "e1", "response": "declined", "send_updates": send_updates});
        let (result, canned) = crate::run::<RespondToEvent>(input, &[event.clone(), event]);
        assert!(result.is_ok());
        assert_eq!(canned.requests()[1].retry, retry, "{send_updates}");
    }
}
