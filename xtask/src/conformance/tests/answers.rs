//! Planted faults in answers.

use super::*;

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
