//! The checker, shown planted faults: one wrong thing in a request or an answer that is right otherwise.

mod answers;
mod described;
mod requests;
mod versions;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    check::{
        answer::{GivenAnswer, GivenBody},
        request::Request,
        schema::Reading,
    },
    description::Description,
    exceptions::{Exception, Instead},
    judge::{Asked, Judge},
    products::{Product, Source},
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
        ..Exception::new("boxes", &["answer/size"], "the case shows a broken answer")
    },
    Exception::new("boxes", &["query/never"], "nothing"),
];

fn judge() -> Judge {
    let documents = [
        ("boxes", discovery()),
        ("notes1", openapi("1", &["de"])),
        ("notes2", openapi("2", &["de", "en"])),
    ];
    let descriptions: BTreeMap<_, _> = documents
        .into_iter()
        .map(|(file, document)| (file, Description::of(document).unwrap()))
        .collect();
    Judge::new(descriptions, EXCEPTIONS)
}

fn request(verb: &str, target: &str, body: Option<Value>) -> Request {
    Request {
        verb: verb.to_owned(),
        target: target.to_owned(),
        headers: Vec::new(),
        body,
    }
}

fn asked<'a>(product: &'a Product, request: &'a Request) -> Asked<'a> {
    Asked {
        product,
        origin: None,
        case: "",
        request,
        scopes: None,
    }
}

/// What is found in a request to the boxes.
fn found(verb: &str, target: &str, body: Option<Value>) -> Vec<String> {
    let request = request(verb, target, body);
    findings(&judge(), &asked(&BOXES, &request))
}

fn findings(judge: &Judge, asked: &Asked<'_>) -> Vec<String> {
    let verdict = judge.request(asked).unwrap();
    verdict
        .outcome
        .findings
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// What is found in an answer of the boxes.
fn found_in_answer(verb: &str, target: &str, status: u16, body: GivenBody<'_>) -> Vec<String> {
    let judge = judge();
    let request = request(verb, target, None);
    let asked = asked(&BOXES, &request);
    let held = judge.request(&asked).unwrap().held.unwrap();
    let given = GivenAnswer { status, body };
    let verdict = judge.answer(&asked, held, &given, Reading::Answer).unwrap();
    verdict
        .outcome
        .findings
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// Lists boxes.
const LIST: &str = "/boxes/v1/users/me/boxes?order=name";
