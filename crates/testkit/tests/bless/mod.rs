//! Tests of writing actual requests and results into a fixture.

use std::fs;

use stead_testkit::suite;

use super::GOOD;

/// A fixture file after a case of it was blessed.
fn blessed(text: &str, case: &str) -> Result<String, String> {
    let folder = std::env::temp_dir().join(format!("stead-bless-{}", std::process::id()));
    let folder = folder.join(case.replace('/', "-"));
    fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("read_note.json");
    fs::write(&file, text).expect("a file");
    let blessed = suite::bless(&GOOD, &folder, case);
    let text = fs::read_to_string(&file).expect("a file");
    fs::remove_dir_all(&folder).expect("a folder");
    blessed.map(|()| text)
}

#[test]
fn a_blessed_case_has_the_requests_and_the_result() {
    let text = r#"{"responses": {"old": {"status": 200, "body": 1}, "one": {"status": 200, "body": {"id": "n1"}}},
        "cases": [
            {"name": "new", "input": {"note_id": "n/1", "limit": 3}, "exchanges": [{"response": "one"}]},
            {"name": "gone", "input": {"note_id": "n2"}, "exchanges": [{"response": {"status": 404}}], "result": "response"},
            {"name": "wrong", "input": {"note_id": ""}, "exchanges": [], "result": {"data": 1}},
            {"name": "short", "input": {"note_id": "n1"}, "exchanges": [{"response": "old"}, {"response": "one"}]}
        ]}"#;
    let new = blessed(text, "good_read_note/new").expect("blessed");
    assert!(
        new.contains(
            r#"[{"request": {"method": "GET", "target": "/v1/notes/n%2F1?limit=3"}, "response": "one"}],
      "result": "response""#
        ),
        "{new}"
    );
    let gone = blessed(text, "good_read_note/gone").expect("blessed");
    let error = r#""error": {"kind": "product_not_found", "upstream": {"status": 404}}"#;
    assert!(gone.contains(error), "{gone}");
    let wrong = blessed(text, "good_read_note/wrong").expect("blessed");
    assert!(
        wrong.contains(r#"[{"path": "/note_id", "keyword": "minLength"}]"#),
        "{wrong}"
    );
    for (case, fault) in [
        (
            "good_read_note/short",
            "the case has 2 responses, the tool sent 1 requests",
        ),
        ("good_read_note/other", "there is no case \"other\""),
        ("good_other/new", "no tool has the name"),
        ("good_read_note", "a case is named TOOL/CASE"),
    ] {
        let found = blessed(text, case).expect_err(case);
        assert!(found.contains(fault), "{found}");
    }
}
