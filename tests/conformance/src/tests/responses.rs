//! Planted faults in responses.

use stead_testkit::cases;

use super::*;

#[test]
fn a_wrong_answer_is_caught() {
    let right = json!({"boxes": [{"id": "1", "size": 2, "bytes": "3"}], "next": "x"});
    assert!(found_in_response("GET", LIST, 200, ResponseBody::Json(&right)).is_empty());
    let table = r#"
        {"boxes": [{"size": "2"}]} => response/boxes/0/size: expected integer, found "2"
        {"boxes": [{"bytes": 3}]} => response/boxes/0/bytes: expected string, found 3
        {"boxes": {}} => response/boxes: expected array, found {}
        {"nextt": "x"} => response/nextt: there is no such member
    "#;
    for [body, what] in cases(table) {
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(
            found_in_response("GET", LIST, 200, ResponseBody::Json(&body)),
            [what]
        );
    }
    assert_eq!(
        found_in_response("GET", LIST, 200, ResponseBody::Empty),
        ["response: has no body, though the method responds with one"]
    );
    let delete = "/boxes/v1/users/me/boxes/7";
    assert!(found_in_response("DELETE", delete, 204, ResponseBody::Empty).is_empty());
    assert_eq!(
        found_in_response("DELETE", delete, 204, ResponseBody::Json(&json!({}))),
        ["response: has a body, though the method responds without"]
    );
}

#[test]
fn undescribed_parts_are_counted() {
    let validator = validator();
    let mut request = request("GET", LIST, None);
    request
        .headers
        .push((String::from("x-box"), String::from("1")));
    let checked = checked(&BOXES, &request);
    let validation = validator.request(&checked).unwrap();
    assert_eq!(validation.outcome.not_checkable.len(), 1);
    let given = Response {
        status: 403,
        body: ResponseBody::Json(&json!({"error": {}})),
    };
    let matched = validation.matched.unwrap();
    let validation = validator
        .response(&checked, matched, &given, Reading::Response)
        .unwrap();
    assert!(validation.outcome.findings.is_empty());
    assert_eq!(validation.outcome.not_checkable.len(), 1);
}
