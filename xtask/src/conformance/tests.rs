//! The checker, shown planted faults: one wrong thing in a request or an answer that is right otherwise.

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

const READ: &str = "https://boxes.example/auth/read";
const WRITE: &str = "https://boxes.example/auth/write";

/// An API in the manner of a discovery document.
fn discovery() -> Value {
    json!({
        "discoveryVersion": "v1", "title": "Boxes", "version": "v1", "servicePath": "boxes/v1/",
        "parameters": {
            "fields": {"type": "string", "location": "query"},
            "alt": {"type": "string", "location": "query", "enum": ["json", "media"]}
        },
        "schemas": {
            "Box": {"id": "Box", "type": "object", "properties": {
                "id": {"type": "string", "readOnly": true},
                "name": {"type": "string", "annotations": {"required": ["boxes.create"]}},
                "colour": {"type": "string", "enum": ["RED", "BLUE"]},
                "size": {"type": "integer", "format": "int32"},
                "bytes": {"type": "string", "format": "int64"},
                "inner": {"$ref": "Box"}
            }},
            "Boxes": {"id": "Boxes", "type": "object", "properties": {
                "boxes": {"type": "array", "items": {"$ref": "Box"}},
                "next": {"type": "string"}
            }}
        },
        "resources": {"boxes": {"methods": {
            "list": {
                "id": "boxes.list", "httpMethod": "GET", "path": "users/{user}/boxes",
                "scopes": [READ, WRITE], "response": {"$ref": "Boxes"},
                "parameters": {
                    "user": {"type": "string", "location": "path", "required": true},
                    "order": {"type": "string", "location": "query", "required": true, "enum": ["name", "size"]},
                    "most": {"type": "integer", "format": "uint32", "location": "query", "minimum": "1", "maximum": "100"},
                    "deep": {"type": "boolean", "location": "query"},
                    "label": {"type": "string", "location": "query", "repeated": true},
                    "mask": {"type": "string", "format": "google-fieldmask", "location": "query",
                        "description": "Valid values are: * names * sizes"}
                }
            },
            "create": {
                "id": "boxes.create", "httpMethod": "POST", "path": "users/{user}/boxes",
                "scopes": [WRITE], "request": {"$ref": "Box"}, "response": {"$ref": "Box"},
                "parameters": {"user": {"type": "string", "location": "path", "required": true}}
            },
            "delete": {
                "id": "boxes.delete", "httpMethod": "DELETE", "path": "{+name}", "scopes": [WRITE],
                "parameters": {"name": {"type": "string", "location": "path", "required": true,
                    "pattern": "^users/[^/]+/boxes/[^/]+$"}}
            }
        }}}
    })
}

/// An API in the manner of OpenAPI; the newer version has one method more, and takes notes in every language.
fn openapi(version: &str, languages: &[&str]) -> Value {
    let note = json!({
        "type": "object", "required": ["text"],
        "properties": {"text": {"type": "string"}, "language": {"type": "string", "enum": languages}}
    });
    let header = json!({"name": "Notes-Version", "in": "header", "required": true, "schema": {"enum": [version]}});
    let error =
        json!({"type": "object", "required": ["code"], "properties": {"code": {"type": "string"}}});
    let mut paths = json!({
        "/notes": {
            "parameters": [{"$ref": "#/components/parameters/version"}],
            "post": {
                "operationId": "create-note",
                "parameters": [{"name": "tag", "in": "query", "schema": {"type": "array", "items": {"type": "integer"}}}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/note"}}}},
                "responses": {
                    "200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/note"}}}},
                    "400": {"content": {"application/json": {"schema": error}}}
                }
            }
        }
    });
    if version == "2" {
        paths["/notes/{id}"] = json!({"get": {
            "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}},
                header
            ],
            "responses": {}
        }});
    }
    json!({
        "openapi": "3.1.0", "info": {"title": "Notes", "version": version}, "paths": paths,
        "components": {"schemas": {"note": note}, "parameters": {"version": header}}
    })
}

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

const LIST: &str = "/boxes/v1/users/me/boxes?order=name";

#[test]
fn requests_that_are_right_pass() {
    let full = format!(
        "{LIST}&most=100&deep=true&label=a&label=b&mask=names%2Csizes&fields=next,boxes(id,inner/name)&alt=json"
    );
    assert!(found("GET", LIST, None).is_empty());
    assert!(
        found("GET", &full, None).is_empty(),
        "{:?}",
        found("GET", &full, None)
    );
    let body =
        json!({"name": "a", "colour": "RED", "size": 1, "bytes": "5", "inner": {"name": "b"}});
    assert!(found("POST", "/boxes/v1/users/a%40b/boxes", Some(body)).is_empty());
    assert!(found("DELETE", "/boxes/v1/users/me/boxes/7", None).is_empty());
}

#[test]
fn a_wrong_parameter_name_is_caught() {
    assert_eq!(
        found("GET", &format!("{LIST}&maxx=1"), None),
        ["query/maxx: there is no such parameter"]
    );
}

#[test]
fn a_wrong_value_is_caught() {
    for (query, what) in [
        (
            "order=age",
            "query/order: \"age\" is none of \"name\", \"size\"",
        ),
        (
            "order=name&most=0",
            "query/most: 0 is less than the minimum of 1",
        ),
        ("order=name&most=x", "query/most: is no integer: \"x\""),
        ("order=name&deep=yes", "query/deep: is no boolean: \"yes\""),
        (
            "order=name&most=1&most=2",
            "query/most: comes more than once",
        ),
        (
            "order=name&alt=xml",
            "query/alt: \"xml\" is none of \"json\", \"media\"",
        ),
        (
            "order=name&fields=boxes(idd)",
            "query/fields: \"idd\" is no field of the answer",
        ),
        (
            "order=name&mask=name",
            "query/mask: \"name\" is no field; there are: names, sizes",
        ),
    ] {
        let target = format!("/boxes/v1/users/me/boxes?{query}");
        assert_eq!(found("GET", &target, None), [what]);
    }
}

#[test]
fn a_missing_parameter_is_caught() {
    assert_eq!(
        found("GET", "/boxes/v1/users/me/boxes", None),
        ["query/order: is missing"]
    );
}

#[test]
fn a_wrong_path_is_caught() {
    for path in [
        "/boxes/v1/users/me/boxs",
        "/boxes/v2/users/me/boxes",
        "/boxes/v1/users//boxes",
        "/boxes/v1/users/me/boxes/",
    ] {
        let found = found("GET", &format!("{path}?order=name"), None);
        let [only] = found.as_slice() else {
            panic!("{path}: {found:?}")
        };
        assert!(only.starts_with("method: Boxes v1 has no GET"), "{only}");
    }
}

#[test]
fn a_wrong_method_is_caught() {
    let found = found("PUT", LIST, None);
    assert!(
        found[0]
            .starts_with("method: Boxes v1 has no PUT /boxes/v1/users/me/boxes; the path takes"),
        "{found:?}"
    );
}

#[test]
fn a_path_that_a_pattern_excludes_is_caught() {
    assert_eq!(
        found("DELETE", "/boxes/v1/users/me", None),
        ["path/name: \"users/me\" does not match \"^users/[^/]+/boxes/[^/]+$\""]
    );
}

#[test]
fn a_wrong_body_is_caught() {
    let target = "/boxes/v1/users/me/boxes";
    for (body, what) in [
        (
            json!({"name": "a", "color": "RED"}),
            "body/color: there is no such member",
        ),
        (
            json!({"name": "a", "colour": "red"}),
            "body/colour: \"red\" is none of \"RED\", \"BLUE\"",
        ),
        (
            json!({"name": "a", "size": "1"}),
            "body/size: is no integer: \"1\"",
        ),
        (
            json!({"name": "a", "inner": {"name": 1}}),
            "body/inner/name: is no string: 1",
        ),
        (
            json!({"name": "a", "id": "b1"}),
            "body/id: is only for reading",
        ),
        (json!({"size": 1}), "body/name: is missing"),
        (json!([]), "body: is no object: []"),
    ] {
        assert_eq!(found("POST", target, Some(body)), [what]);
    }
    assert_eq!(
        found("GET", LIST, Some(json!({}))),
        ["body: the method takes none"]
    );
}

#[test]
fn a_wrong_scope_is_caught() {
    let judge = judge();
    let request = request(
        "POST",
        "/boxes/v1/users/me/boxes",
        Some(json!({"name": "a"})),
    );
    let of = |scopes: &[&str]| {
        let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let asked = Asked {
            scopes: Some(&scopes),
            ..asked(&BOXES, &request)
        };
        findings(&judge, &asked)
    };
    assert!(of(&[WRITE]).is_empty());
    assert_eq!(
        of(&[WRITE, READ]),
        [format!(
            "scope: {READ} is declared, and boxes.create does not take it"
        )]
    );
    assert_eq!(
        of(&[]),
        [format!(
            "scope: the tool declares none; boxes.create takes {WRITE}"
        )]
    );
}

#[test]
fn a_wrong_answer_is_caught() {
    let right = json!({"boxes": [{"id": "1", "size": 2, "bytes": "3"}], "next": "x"});
    assert!(found_in_answer("GET", LIST, 200, GivenBody::Json(&right)).is_empty());
    for (body, what) in [
        (
            json!({"boxes": [{"size": "2"}]}),
            "answer/boxes/0/size: is no integer: \"2\"",
        ),
        (
            json!({"boxes": [{"bytes": 3}]}),
            "answer/boxes/0/bytes: is no string: 3",
        ),
        (json!({"boxes": {}}), "answer/boxes: is no array: {}"),
        (
            json!({"nextt": "x"}),
            "answer/nextt: there is no such member",
        ),
    ] {
        assert_eq!(
            found_in_answer("GET", LIST, 200, GivenBody::Json(&body)),
            [what]
        );
    }
    assert_eq!(
        found_in_answer("GET", LIST, 200, GivenBody::Empty),
        ["answer: has no body, though the method answers with one"]
    );
    let delete = "/boxes/v1/users/me/boxes/7";
    assert!(found_in_answer("DELETE", delete, 204, GivenBody::Empty).is_empty());
    assert_eq!(
        found_in_answer("DELETE", delete, 204, GivenBody::Json(&json!({}))),
        ["answer: has a body, though the method answers without"]
    );
}

#[test]
fn what_is_not_described_is_counted() {
    let judge = judge();
    let mut request = request("GET", LIST, None);
    request
        .headers
        .push((String::from("x-box"), String::from("1")));
    let asked = asked(&BOXES, &request);
    let verdict = judge.request(&asked).unwrap();
    assert_eq!(verdict.outcome.not_checkable.len(), 1);
    let given = GivenAnswer {
        status: 403,
        body: GivenBody::Json(&json!({"error": {}})),
    };
    let held = verdict.held.unwrap();
    let verdict = judge.answer(&asked, held, &given, Reading::Answer).unwrap();
    assert!(verdict.outcome.findings.is_empty());
    assert_eq!(verdict.outcome.not_checkable.len(), 1);
}

#[test]
fn each_request_is_held_against_its_own_version() {
    let judge = judge();
    let note = |version: Option<&str>, language: &str| {
        let mut request = request(
            "POST",
            "/notes",
            Some(json!({"text": "a", "language": language})),
        );
        let version = version.map(|version| (String::from("notes-version"), version.to_owned()));
        request.headers.extend(version);
        let verdict = judge.request(&asked(&NOTES, &request)).unwrap();
        let findings: Vec<String> = verdict
            .outcome
            .findings
            .iter()
            .map(ToString::to_string)
            .collect();
        (verdict.excused, findings)
    };
    assert_eq!(note(None, "de"), (0, Vec::new()));
    assert_eq!(note(Some("2"), "en"), (0, Vec::new()));
    // An exception looks into the newer description, which knows English and no Latin.
    assert_eq!(note(None, "en"), (1, Vec::new()));
    assert_eq!(
        note(None, "la"),
        (
            1,
            vec![String::from(
                "body/language: \"la\" is none of \"de\", \"en\""
            )]
        )
    );
    assert_eq!(
        note(Some("3"), "de"),
        (0, vec![String::from("request: \"3\" has no description")])
    );
}

#[test]
fn a_method_may_be_excused_into_another_description() {
    let judge = judge();
    let read = |id: &str| {
        let request = request("GET", &format!("/notes/{id}"), None);
        findings(&judge, &asked(&NOTES, &request))
    };
    assert!(read("55555555-aaaa-4bbb-8ccc-666666666666").is_empty());
    assert_eq!(read("7"), ["path/id: \"7\" is not of the format uuid"]);
}

#[test]
fn bodies_and_headers_that_are_required_are_missed() {
    let judge = judge();
    let without_body = request("POST", "/notes?tag=1&tag=x", None);
    assert_eq!(
        findings(&judge, &asked(&NOTES, &without_body)),
        ["query/tag: is no integer: \"x\"", "body: is missing"]
    );
    let unversioned = Product {
        sources: &[Source {
            origin: None,
            version: None,
            file: "notes1",
        }],
        adds: &[],
        version_header: None,
        ..NOTES
    };
    let without_header = request("POST", "/notes", Some(json!({"text": "a"})));
    assert_eq!(
        findings(&judge, &asked(&unversioned, &without_header)),
        ["header/Notes-Version: is missing"]
    );
}

#[test]
fn an_exception_is_for_its_case_and_must_be_needed() {
    let judge = judge();
    let request = request(
        "POST",
        "/boxes/v1/users/me/boxes",
        Some(json!({"name": "a"})),
    );
    let body = json!({"size": "broken"});
    let count = |case: &str| {
        let asked = Asked {
            case,
            ..asked(&BOXES, &request)
        };
        let held = judge.request(&asked).unwrap().held.unwrap();
        let given = GivenAnswer {
            status: 200,
            body: GivenBody::Json(&body),
        };
        let verdict = judge
            .answer(&asked, held, &given, Reading::Excerpt)
            .unwrap();
        (verdict.excused, verdict.outcome.findings.len())
    };
    assert_eq!(count("another case"), (0, 1));
    assert_eq!(count("broken on purpose"), (1, 0));
    let needed: Vec<&str> = judge.needed().map(|exception| exception.because).collect();
    assert_eq!(needed, ["the case shows a broken answer"]);
    let idle: Vec<&str> = judge
        .idle(&[&BOXES])
        .map(|exception| exception.because)
        .collect();
    assert_eq!(idle, ["nothing"]);
}
