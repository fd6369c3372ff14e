//! Tests the checker with planted faults: each request or response has one fault.

mod described;
mod requests;
mod responses;
mod versions;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    check::{
        request::Request,
        response::{Response, ResponseBody},
    },
    description::Description,
    exceptions::{Exception, Instead},
    products::{Product, Source},
    schema::Reading,
    validate::{CheckedRequest, Validator},
};
use described::{READ, WRITE, discovery, openapi};

static BOXES: Product = Product {
    name: "boxes",
    sources: &[Source {
        origin: None,
        version: None,
        file: "boxes",
    }],
    adds: &[],
    version_header: None,
    journey: "[]",
};

static NOTES: Product = Product {
    name: "notes",
    sources: &[
        Source {
            origin: None,
            version: Some("1"),
            file: "notes1",
        },
        Source {
            origin: None,
            version: Some("2"),
            file: "notes2",
        },
    ],
    adds: &[("notes-version", Some("1"))],
    version_header: Some("notes-version"),
    journey: "[]",
};

static EXCEPTIONS: &[Exception] = &[
    Exception::new("notes1", &["body/language"], "Notes, \"Languages\"")
        .of("POST", "/notes")
        .instead(Instead::Description("notes2")),
    Exception::new("notes1", &["method"], "Notes, \"Read a note\"")
        .of("GET", "/notes/{id}")
        .instead(Instead::Description("notes2")),
    Exception {
        case: Some("broken on purpose"),
        ..Exception::new(
            "boxes",
            &["response/size"],
            "the case shows a broken response",
        )
    },
    Exception::new("boxes", &["query/never"], "nothing"),
];

fn validator() -> Validator {
    let documents = [
        ("boxes", discovery()),
        ("notes1", openapi("1", &["de"])),
        ("notes2", openapi("2", &["de", "en"])),
    ];
    let descriptions: BTreeMap<_, _> = documents
        .into_iter()
        .map(|(file, document)| (file, Description::of(document).unwrap()))
        .collect();
    Validator::new(descriptions, EXCEPTIONS)
}

fn request(verb: &str, target: &str, body: Option<Value>) -> Request {
    Request {
        verb: verb.to_owned(),
        target: target.to_owned(),
        headers: Vec::new(),
        body,
    }
}

fn checked<'a>(product: &'a Product, request: &'a Request) -> CheckedRequest<'a> {
    CheckedRequest {
        product,
        origin: None,
        case: "",
        request,
        scopes: None,
        changes: false,
    }
}

/// The findings of a request to the boxes API.
fn found(verb: &str, target: &str, body: Option<Value>) -> Vec<String> {
    let request = request(verb, target, body);
    findings(&validator(), &checked(&BOXES, &request))
}

fn findings(validator: &Validator, checked: &CheckedRequest<'_>) -> Vec<String> {
    let validation = validator.request(checked).unwrap();
    validation
        .outcome
        .findings
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// The findings of a response from the boxes API.
fn found_in_response(verb: &str, target: &str, status: u16, body: ResponseBody<'_>) -> Vec<String> {
    let validator = validator();
    let request = request(verb, target, None);
    let checked = checked(&BOXES, &request);
    let matched = validator.request(&checked).unwrap().matched.unwrap();
    let given = Response { status, body };
    let validation = validator
        .response(&checked, matched, &given, Reading::Response)
        .unwrap();
    validation
        .outcome
        .findings
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// A valid list request.
const LIST: &str = "/boxes/v1/users/me/boxes?order=name";
