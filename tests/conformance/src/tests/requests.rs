//! Planted faults in requests.

use stead_testkit::cases;

use super::*;

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
    let table = r#"
        order=age => query/order: "age" is not one of "name", "size"
        order=name&most=0 => query/most: 0 is less than the minimum of 1
        order=name&most=x => query/most: expected integer, found "x"
        order=name&deep=yes => query/deep: expected boolean, found "yes"
        order=name&most=1&most=2 => query/most: comes more than once
        order=name&alt=xml => query/alt: "xml" is not one of "json", "media"
        order=name&fields=boxes(idd) => query/fields: "idd" is not a field of the response
        order=name&mask=name => query/mask: "name" is not a field; expected one of: names, sizes
    "#;
    for [query, what] in cases(table) {
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
    let table = r#"
        {"name": "a", "color": "RED"} => body/color: there is no such member
        {"name": "a", "colour": "red"} => body/colour: "red" is not one of "RED", "BLUE"
        {"name": "a", "size": "1"} => body/size: expected integer, found "1"
        {"name": "a", "inner": {"name": 1}} => body/inner/name: expected string, found 1
        {"name": "a", "id": "b1"} => body/id: is only for reading
        {"size": 1} => body/name: is missing
        [] => body: expected object, found []
    "#;
    for [body, what] in cases(table) {
        let body = serde_json::from_str(body).unwrap();
        assert_eq!(found("POST", target, Some(body)), [what]);
    }
    assert_eq!(
        found("GET", LIST, Some(json!({}))),
        ["body: the method takes none"]
    );
}

#[test]
fn a_wrong_scope_is_caught() {
    let validator = validator();
    let request = request(
        "POST",
        "/boxes/v1/users/me/boxes",
        Some(json!({"name": "a"})),
    );
    let of = |scopes: &[&str]| {
        let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let checked = CheckedRequest {
            scopes: Some(&scopes),
            ..checked(&BOXES, &request)
        };
        findings(&validator, &checked)
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
