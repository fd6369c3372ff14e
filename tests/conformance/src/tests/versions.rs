//! Versions of an API, and exceptions.

use super::*;

#[test]
fn each_request_is_held_against_its_own_version() {
    let validator = validator();
    let note = |version: Option<&str>, language: &str| {
        let mut request = request(
            "POST",
            "/notes",
            Some(json!({"text": "a", "language": language})),
        );
        let version = version.map(|version| (String::from("notes-version"), version.to_owned()));
        request.headers.extend(version);
        let validation = validator.request(&checked(&NOTES, &request)).unwrap();
        let findings: Vec<String> = validation
            .outcome
            .findings
            .iter()
            .map(ToString::to_string)
            .collect();
        (validation.excused, findings)
    };
    assert_eq!(note(None, "de"), (0, Vec::new()));
    assert_eq!(note(Some("2"), "en"), (0, Vec::new()));
    // The exception uses the newer description, which has English but no Latin.
    assert_eq!(note(None, "en"), (1, Vec::new()));
    assert_eq!(
        note(None, "la"),
        (
            1,
            vec![String::from(
                "body/language: \"la\" is not one of \"de\", \"en\""
            )]
        )
    );
    assert_eq!(
        note(Some("3"), "de"),
        (0, vec![String::from("request: \"3\" has no description")])
    );
}

#[test]
fn a_method_can_be_checked_by_another_description() {
    let validator = validator();
    let read = |id: &str| {
        let request = request("GET", &format!("/notes/{id}"), None);
        findings(&validator, &checked(&NOTES, &request))
    };
    assert!(read("55555555-aaaa-4bbb-8ccc-666666666666").is_empty());
    assert_eq!(read("7"), ["path/id: \"7\" is not of the format uuid"]);
}

#[test]
fn bodies_and_headers_that_are_required_are_missed() {
    let validator = validator();
    let without_body = request("POST", "/notes?tag=1&tag=x", None);
    assert_eq!(
        findings(&validator, &checked(&NOTES, &without_body)),
        [
            "query/tag: expected integer, found \"x\"",
            "body: is missing"
        ]
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
        findings(&validator, &checked(&unversioned, &without_header)),
        ["header/Notes-Version: is missing"]
    );
}

#[test]
fn an_exception_applies_to_its_case_and_must_be_needed() {
    let validator = validator();
    let request = request(
        "POST",
        "/boxes/v1/users/me/boxes",
        Some(json!({"name": "a"})),
    );
    let body = json!({"size": "broken"});
    let count = |case: &str| {
        let checked = CheckedRequest {
            case,
            ..checked(&BOXES, &request)
        };
        let matched = validator.request(&checked).unwrap().matched.unwrap();
        let given = Response {
            status: 200,
            body: ResponseBody::Json(&body),
        };
        let validation = validator
            .response(&checked, matched, &given, Reading::Excerpt)
            .unwrap();
        (validation.excused, validation.outcome.findings.len())
    };
    assert_eq!(count("another case"), (0, 1));
    assert_eq!(count("broken on purpose"), (1, 0));
    let needed: Vec<&str> = validator
        .needed()
        .map(|exception| exception.because)
        .collect();
    assert_eq!(needed, ["the case shows a broken response"]);
    let unused: Vec<&str> = validator
        .unused(&[&BOXES])
        .map(|exception| exception.because)
        .collect();
    assert_eq!(unused, ["nothing"]);
}
