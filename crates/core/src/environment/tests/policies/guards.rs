//! Requests that a connection has to allow are refused at every entry point, and for tools.
use super::*;
use crate::resource::{
    ChangeConnection, ConnectionChange, NewConnection, PolicyTest, ReadConnection,
};

/// Sends a note to someone.
type Send<'a> = dyn Fn(&str) -> Result<(), Error> + 'a;

const JSON: &str = "application/json";

impl Stage {
    /// Allows these kinds of requests.
    pub(super) fn allow(&self, kinds: &[&str]) -> Result<Vec<String>, Error> {
        let change = ConnectionChange::default().allowed_requests(kinds.iter().copied());
        let change = ChangeConnection::new("demo", change);
        let changed = self.world.run(self.environment.send(change))?;
        Ok(changed.allowed_requests)
    }

    fn note(&self, method: Method, kind: &str, body: impl Into<Body>) -> Result<(), Error> {
        self.streamed(
            &self.environment,
            over_http(method, "/v1/notes", kind, body),
        )
    }
}

/// The kind that an error names.
fn kind(error: &Error) -> (ErrorKind, &str) {
    let kind = error.context().get("allowed_request");
    (
        error.kind(),
        kind.and_then(Value::as_str).unwrap_or_default(),
    )
}

#[test]
fn a_request_is_sent_only_if_the_connection_allows_its_kind() {
    let stage = Stage::new();
    let by = &stage.environment;
    let note = |to: &str| json!({ "to": [IN, to] });
    let dry = |to: &str, dry_run| {
        let mut request = ProxyRequest::new("demo", "ada", "POST", "/v1/notes");
        (request.body, request.dry_run) = (Some(note(to)), dry_run);
        stage.world.run(by.proxy(request)).map(drop)
    };
    let dry_tool = |to: &str| {
        let mut request = ExecuteRequest::new("demo", "ada", note(to));
        request.dry_run = true;
        stage.world.run(by.execute(SEND, request)).map(drop)
    };
    let all: [&Send<'_>; 7] = [
        &|to| dry(to, false),
        &|to| stage.note(Method::POST, JSON, note(to).to_string().into_bytes()),
        // This body is larger than the part that Stead always reads.
        &|to| stage.note(Method::POST, JSON, stream(to, 100_000)),
        &|to| stage.streamed(by, batch(to)),
        &|to| stage.send_note(by, &[IN, to]).map(drop),
        &|to| dry(to, true),
        &dry_tool,
    ];
    for (index, send) in all.into_iter().enumerate() {
        let writes = usize::from(index < 5);
        stage.allow(&[]).unwrap();
        send(IN).unwrap();
        assert_eq!(stage.writes(), writes, "{index}");
        let refused = send(EVERYONE).unwrap_err();
        assert_eq!(kind(&refused), (REFUSED, "tell_everyone"), "{index}");
        assert_eq!(refused.context()["connection_name"], "demo");
        assert_eq!(
            refused.message(),
            "this request sends a note to everyone, and the connection demo doesn't allow that; to allow it, add tell_everyone to its allowed_requests"
        );
        assert_eq!(stage.writes(), 0, "{index}");
        stage.allow(&["tell_everyone"]).unwrap();
        send(EVERYONE).unwrap();
        assert_eq!(stage.writes(), writes, "{index}");
    }
}

#[test]
fn a_body_that_cannot_be_read_is_refused() {
    let stage = Stage::new();
    let unread: [(&str, &[u8]); 5] = [
        (JSON, br#"{"to":[],"to":["everyone@example.com"]}"#),
        (JSON, br#"{"TO":[]}"#),
        (JSON, b"[]"),
        ("application/json; charset=utf-16", br#"{"to":[]}"#),
        ("application/x-www-form-urlencoded", b"to=a"),
    ];
    for (media_type, body) in unread {
        let refused = stage.note(Method::POST, media_type, body.to_vec());
        let refused = refused.unwrap_err();
        assert_eq!(kind(&refused), (REFUSED, "tell_everyone"));
        assert!(refused.message().contains("can't read"), "{refused}");
    }
    // A body that looks like JSON could be something else after decompression.
    let mut request = over_http(Method::POST, "/v1/notes", JSON, br#"{"to":[]}"#.to_vec());
    let deflate = "deflate".parse().unwrap();
    request.headers_mut().insert("content-encoding", deflate);
    let refused = stage.streamed(&stage.environment, request).unwrap_err();
    assert_eq!(kind(&refused), (REFUSED, "tell_everyone"));
    let large = stage.note(Method::POST, JSON, stream(IN, 11 << 20));
    assert_eq!(large.unwrap_err().kind(), ErrorKind::RequestTooLarge);
    assert_eq!(stage.writes(), 0);
    stage.allow(&["tell_everyone"]).unwrap();
    stage
        .note(Method::POST, JSON, stream(IN, 11 << 20))
        .unwrap();
}

#[test]
fn a_policy_can_deny_what_the_connection_allows() {
    let stage = Stage::new();
    stage.allow(&["replace_notes"]).unwrap();
    let put = || stage.raw(&stage.environment, "PUT", "/v1/notes", Some(json!({})));
    put().unwrap();
    stage.set(json!({ "read_only": true }));
    assert_eq!(rule(&put().unwrap_err()), (REFUSED, "/read_only"));
}

#[test]
fn a_stored_response_is_not_returned_after_the_connection_forbids_its_request() {
    let stage = Stage::new();
    let put = || {
        let mut request = ProxyRequest::new("demo", "ada", "PUT", "/v1/notes");
        request.idempotency_key = Some(String::from("key"));
        stage.world.run(stage.environment.proxy(request)).map(drop)
    };
    stage.allow(&["replace_notes"]).unwrap();
    put().unwrap();
    put().unwrap();
    assert_eq!(stage.writes(), 1, "the second was made before");
    stage.allow(&[]).unwrap();
    assert_eq!(kind(&put().unwrap_err()), (REFUSED, "replace_notes"));
}

#[test]
fn a_connection_allows_kinds_of_its_product() {
    let stage = Stage::new();
    let send = |new: NewConnection| stage.world.run(stage.environment.send(new));
    let new = NewConnection::new("other", "demo");
    assert!(send(new).unwrap().allowed_requests.is_empty());
    let wrong = NewConnection::new("third", "demo");
    let wrong = send(wrong.allowed_requests(["tell_everyone", "all"])).unwrap_err();
    let violation = &wrong.violation_list()[0];
    assert_eq!(violation.path, "/allowed_requests/1");
    assert_eq!(
        violation.message,
        "demo has no such kind of requests; use tell_everyone, replace_notes"
    );
    let wrong = stage.allow(&["tell_everybody"]).unwrap_err();
    assert_eq!(wrong.violation_list()[0].path, "/allowed_requests/0");
    // Stead removes duplicates, and always lists the kinds in the same order.
    let given = ["replace_notes", "tell_everyone", "replace_notes"];
    let allowed = stage.allow(&given).unwrap();
    assert_eq!(allowed, ["tell_everyone", "replace_notes"]);
    // Other changes keep them.
    let change = ConnectionChange::default().disabled(true);
    let change = ChangeConnection::new("demo", change);
    stage.send(change);
    let read = stage.environment.send(ReadConnection::new("demo"));
    assert_eq!(stage.world.ok(read).allowed_requests, allowed);
}

#[test]
fn a_test_explains_what_the_connection_has_to_allow() {
    let stage = Stage::new();
    let decide = |test: Value| {
        let test: PolicyTest = serde_json::from_value(test).unwrap();
        stage.world.run(stage.environment.send(test))
    };
    let put = |connection: Option<&str>| {
        decide(json!({
            "product": "demo", "method": "PUT", "path": "/v1/notes", "connection_name": connection,
        }))
    };
    let without = put(None).unwrap();
    assert_eq!(without.outcome, PolicyOutcome::Allowed);
    assert_eq!(
        without.message,
        "no rule forbids it, but the connection has to allow replace_notes"
    );
    let kind = without.requests[0].allowed_request.as_deref();
    assert_eq!(kind, Some("replace_notes"));
    let refused = put(Some("demo")).unwrap();
    assert_eq!(
        (refused.outcome, refused.rule),
        (PolicyOutcome::Refused, None)
    );
    assert!(refused.message.contains("replaces all notes"));
    stage.allow(&["replace_notes"]).unwrap();
    let allowed = put(Some("demo")).unwrap();
    assert_eq!(allowed.outcome, PolicyOutcome::Allowed);
    assert_eq!(allowed.message, "no rule forbids it");
    let unknown = put(Some("nothing")).unwrap_err();
    assert_eq!(unknown.violation_list()[0].path, "/connection_name");
    assert_eq!(stage.sent.load(Ordering::SeqCst), 0);
}
