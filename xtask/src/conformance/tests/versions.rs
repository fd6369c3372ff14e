//! Versions of an API, and exceptions.

use super::*;

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
