//! Whatever fault a product has, Stead writes at most once, no call hangs, and the error never blames Stead.

use std::time::Duration;

use http::{HeaderValue, Method};
use serde_json::{Value, json};
use stead::transport::{ReqwestTransport, TransportOptions};
use stead_core::ports::{Body, Transport as _};
use stead_sandbox::Fault;

use crate::{
    http_client::request,
    products::connect,
    stage::{ADA, Stage},
};

/// More than the number of requests of any call.
const TIMES: u32 = 20;
/// A call that takes longer hangs, because every caller waits for less time.
const HANGS: Duration = Duration::from_secs(15);
const EVENTS: &str = "/calendar/v3/calendars/primary/events";
const SUMMARY: &str = "Tea with the auditors";

fn faults() -> Vec<Fault> {
    let (host, path_contains, times) = (None::<String>, None::<String>, TIMES);
    let errors = [
        (400, "badRequest", None),
        (403, "insufficientPermissions", None),
        (403, "rateLimitExceeded", None),
        (404, "notFound", None),
        (409, "conflict", None),
        (429, "rateLimitExceeded", Some("0")),
        (500, "backendError", None),
        (502, "backendError", None),
        (503, "backendError", Some("0")),
        (503, "backendError", Some("4000")),
    ];
    let errors = errors.map(|(status, reason, retry_after)| Fault::Error {
        host: None,
        path_contains: None,
        status,
        reason: reason.to_owned(),
        message: None,
        retry_after: retry_after.map(str::to_owned),
        times,
    });
    let (of, part) = (|| host.clone(), || path_contains.clone());
    let others = [
        Fault::Unauthorized { times: 1 },
        Fault::Unauthorized { times },
        Fault::Stall {
            host: of(),
            path_contains: part(),
            times,
        },
        Fault::Cut {
            host: of(),
            path_contains: part(),
            times,
        },
        Fault::CutBeforeResponse {
            host: of(),
            path_contains: part(),
            times,
        },
        Fault::CutBeforeResponse {
            host: of(),
            path_contains: part(),
            times: 1,
        },
        Fault::NotJson {
            host: of(),
            path_contains: part(),
            times,
        },
        Fault::Redirect {
            host: of(),
            path_contains: part(),
            location: String::from("https://evil.test/"),
            times,
        },
        Fault::HugeBody {
            host: of(),
            path_contains: part(),
            bytes: 60 * 1024 * 1024,
            times,
        },
    ];
    errors.into_iter().chain(others).collect()
}

/// Path and body of five calls: reads and writes by a tool, and as raw requests.
fn calls() -> [(&'static str, &'static str, Value); 5] {
    let of = |more: Value| {
        let mut call = json!({ "connection_name": "calendar", "identifier": "user-1" });
        call.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        call
    };
    let at = |hour: &str| json!({ "dateTime": format!("2026-12-01T{hour}:00:00Z") });
    let event = json!({ "summary": SUMMARY, "start": at("10"), "end": at("11") });
    let input = json!({ "summary": SUMMARY, "start_datetime": "2026-12-01T10:00:00Z", "event_duration_hour": 1 });
    [
        (
            "a tool reads",
            "/v1/tools/calendar_list_events/execute",
            of(json!({ "input": {} })),
        ),
        (
            "a tool writes",
            "/v1/tools/calendar_create_event/execute",
            of(json!({ "input": input })),
        ),
        (
            "a raw request reads",
            "/v1/proxy",
            of(json!({ "method": "GET", "path": EVENTS })),
        ),
        (
            "a raw request writes",
            "/v1/proxy",
            of(json!({ "method": "POST", "path": EVENTS, "body": event })),
        ),
        (
            "a streamed request writes",
            "/proxy/calendar/user-1/calendar/v3/calendars/primary/events",
            event,
        ),
    ]
}

/// The outcome for the caller: the kind of a Stead error, the status of a product's own error, or otherwise `whole` or
/// `cut` for the response.
async fn outcome(
    network: &ReqwestTransport,
    stage: &Stage,
    (path, body): (&str, &Value),
    waits: &'static str,
) -> String {
    let url = format!("{}{path}", stage.url);
    let bytes = body.to_string().into_bytes();
    let mut request = request(Method::POST, &url, &stage.bearer, Body::from(bytes));
    let headers = request.headers_mut();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    headers.insert("stead-timeout", HeaderValue::from_static(waits));
    let called = async {
        let Ok(response) = network.send(request).await else {
            return String::from("cut");
        };
        let (head, body) = response.into_parts();
        let whole = body.collect(u64::MAX).await;
        match head.headers.get("stead-error") {
            Some(kind) => kind.to_str().unwrap().to_owned(),
            None if !head.status.is_success() => head.status.as_str().to_owned(),
            None => String::from(if whole.is_ok() { "whole" } else { "cut" }),
        }
    };
    let called = tokio::time::timeout(HANGS, called).await;
    called.unwrap_or_else(|_| String::from("hangs"))
}

/// The number of this story's events in Ada's calendar.
fn done(stage: &Stage) -> usize {
    let sections = stage.sandbox.sandbox.sections(ADA);
    let records = sections.iter().flat_map(|section| &section.records);
    let ours = records.filter(|record| record.cells.iter().any(|cell| cell == SUMMARY));
    ours.count()
}

#[tokio::test]
async fn faults_of_a_product_never_hang_a_call_repeat_a_write_or_blame_stead() {
    let stage = Stage::new().await;
    connect(&stage, "calendar").await;
    let network = ReqwestTransport::new(TransportOptions::default()).unwrap();
    let sandbox = &stage.sandbox.sandbox;
    for fault in faults() {
        for (call, path, body) in calls() {
            let case = format!("{call} at {fault:?}");
            stage.fault(fault.clone());
            let outcome = outcome(&network, &stage, (path, &body), "0.5").await;
            let done = done(&stage);
            let tokens = sandbox.save();
            sandbox.reset();
            sandbox.restore(&tokens).unwrap();
            assert!(
                !["hangs", "internal"].contains(&outcome.as_str()),
                "{case}: {outcome}"
            );
            assert!(done <= 1, "{case}: done {done} times");
            // After these outcomes, the caller can't be sure. After any other error, nothing was written.
            if !["whole", "cut", "outcome_unknown", "write_unconfirmed"].contains(&outcome.as_str())
            {
                assert_eq!(done, 0, "{case}: {outcome}");
            }
            if call == "a tool writes" && outcome == "whole" {
                assert_eq!(done, 1, "{case}");
            }
        }
        let (_, path, body) = calls()[2].clone();
        let after = outcome(&network, &stage, (path, &body), "10").await;
        assert_eq!(after, "whole", "after {fault:?}");
    }
}
