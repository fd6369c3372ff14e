//! Inputs that a published schema coerces, accepts or rejects.

use super::*;

fn validated(input: Value) -> Result<Value> {
    let mut input = input;
    schema().validate(&mut input).map(|()| input)
}

/// The pointers and keywords of an input's violations.
fn violations(input: Value) -> Vec<(String, String)> {
    let error = validated(input).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaViolation);
    error
        .violation_list()
        .iter()
        .map(|one| (one.path.clone(), one.keyword.clone()))
        .collect()
}

fn message(input: Value) -> String {
    validated(input).unwrap_err().violation_list()[0]
        .message
        .clone()
}

#[test]
fn a_valid_input_passes_unchanged() {
    let inputs = [
        json!({ "note_id": "a" }),
        json!({ "note_id": "a", "parent": null, "colour": "dark_blue", "urgency": "unknown", "pinned": false }),
        json!({ "note_id": "a", "places": [{ "folder": "x", "row": -1 }], "labels": { "any": "thing" }, "extra": [null, 1] }),
        json!({ "note_id": "a", "either": 5, "weight": 5, "tool_version": "2026-11-21", "a/b~c": { "full/name~": "x" } }),
    ];
    for input in inputs {
        assert_eq!(validated(input.clone()).unwrap(), input);
        assert!(ENTRY.parse(without_versions(input)).is_ok());
    }
}

fn without_versions(mut input: Value) -> Value {
    input
        .as_object_mut()
        .unwrap()
        .retain(|name, _| !VERSION_PARAMETERS.contains(&name.as_str()));
    input
}

#[test]
fn every_violation_has_its_pointer_and_keyword() {
    let refused = |input: Value, pointer: &str, keyword: &str| {
        let text = input.to_string();
        let expected = [(pointer.to_owned(), keyword.to_owned())];
        assert_eq!(violations(input), expected, "{text}");
    };
    for (input, pointer, keyword) in [
        (json!({}), "/note_id", "required"),
        (json!([]), "", "type"),
        (json!("a"), "", "type"),
        (json!({ "note_id": 1.5 }), "/note_id", "type"),
        (json!({ "note_id": null }), "/note_id", "type"),
        (json!({ "note_id": "" }), "/note_id", "minLength"),
        (json!({ "note_id": "A" }), "/note_id", "pattern"),
    ] {
        refused(input, pointer, keyword);
    }
    let long = "a".repeat(21);
    refused(json!({ "note_id": long }), "/note_id", "maxLength");
    let place = json!({ "folder": "" });
    for (mut input, pointer, keyword) in [
        (json!({ "colour": "green" }), "/colour", "enum"),
        (json!({ "urgency": "Lower" }), "/urgency", "enum"),
        (json!({ "position": 0 }), "/position", "minimum"),
        (json!({ "position": 101 }), "/position", "maximum"),
        (json!({ "position": 1.5 }), "/position", "type"),
        (json!({ "pinned": "yes" }), "/pinned", "type"),
        (json!({ "weight": "5 kg" }), "/weight", "type"),
        (json!({ "places": [null] }), "/places/0", "type"),
        (json!({ "labels": { "a": null } }), "/labels/a", "type"),
        (json!({ "places": [] }), "/places", "minItems"),
        (
            json!({ "places": [place, place, place] }),
            "/places",
            "maxItems",
        ),
        (
            json!({ "places": [place, {}] }),
            "/places/1/folder",
            "required",
        ),
        (
            json!({ "places": [{ "folder": "", "x/y~z": 1 }] }),
            "/places/0/x~1y~0z",
            "additionalProperties",
        ),
        (json!({ "author": {} }), "/author/full~1name~0", "required"),
        (
            json!({ "author": { "full/name~": true } }),
            "/author/full~1name~0",
            "type",
        ),
        (
            json!({ "a/b~c": { "full/name~": true } }),
            "/a~1b~0c/full~1name~0",
            "type",
        ),
        (json!({ "a/b~c": {} }), "/a~1b~0c/full~1name~0", "required"),
        (json!({ "labels": { "l/m": 1 } }), "/labels/l~1m", "type"),
        (json!({ "either": true }), "/either", "anyOf"),
        (json!({ "schema_version": [] }), "/schema_version", "type"),
        (json!({ "x": 1 }), "/x", "additionalProperties"),
    ] {
        input["note_id"] = json!("a");
        refused(input, pointer, keyword);
    }
}

#[test]
fn all_violations_are_listed() {
    let found =
        violations(json!({ "one": 1, "two": 2, "position": 0, "places": [{ "row": "x" }] }));
    for expected in [
        ("/note_id", "required"),
        ("/one", "additionalProperties"),
        ("/two", "additionalProperties"),
        ("/position", "minimum"),
        ("/places/0/folder", "required"),
        ("/places/0/row", "type"),
    ] {
        assert!(
            found.contains(&(expected.0.to_owned(), expected.1.to_owned())),
            "{expected:?} {found:?}"
        );
    }
    assert_eq!(found.len(), 6);
}

#[test]
fn messages_say_what_is_expected() {
    let cases = [
        (json!({}), "\"note_id\" is required"),
        (json!({ "note_id": 1.5 }), "expected string, found number"),
        (
            json!({ "note_id": "a", "either": true }),
            "expected string or integer, found boolean",
        ),
        (
            json!({ "note_id": "a", "colour": "green" }),
            "expected one of: red, dark_blue; found \"green\"",
        ),
        (
            json!({ "note_id": "a", "position": 101 }),
            "101 is greater than the maximum of 100",
        ),
        (
            json!({ "note_id": "x".repeat(10_000) }),
            "the value is longer than 20 characters",
        ),
        (
            json!({ "note_id": "a", "noteId": "a" }),
            "\"noteId\" isn't known; did you mean note_id? Expected one of: a/b~c, author, colour, either, extra, labels, \
             note_id, parent, pinned, places, position, schema_version, tool_version, urgency, weight",
        ),
        (
            json!({ "note_id": "a", "parent": [] }),
            "expected string or null, found array",
        ),
        (
            json!({ "note_id": "a", "places": [{ "folder": "", "x": 1 }] }),
            "\"x\" isn't known; expected one of: folder, row",
        ),
        (
            json!({ "note_id": "a", "a/b~c": { "full/name~": "", "x": 1 } }),
            "\"x\" isn't known; expected one of: full/name~",
        ),
    ];
    for (input, expected) in cases {
        assert_eq!(message(input), expected);
    }
}

#[test]
fn unambiguous_values_are_coerced() {
    let cases = [
        (
            json!({ "author": "{\"full/name~\":\"Ada\"}" }),
            json!({ "author": { "full/name~": "Ada" } }),
        ),
        (
            json!({ "places": " [ {\"folder\":\"x\"} ] " }),
            json!({ "places": [{ "folder": "x" }] }),
        ),
        (
            json!({ "places": "[\"{\\\"folder\\\":\\\"x\\\"}\"]" }),
            json!({ "places": [{ "folder": "x" }] }),
        ),
        (
            json!({ "labels": "{\"a\":\"b\"}" }),
            json!({ "labels": { "a": "b" } }),
        ),
        (json!({ "position": 5.0 }), json!({ "position": 5 })),
        (json!({ "position": 1e1 }), json!({ "position": 10 })),
        (json!({ "position": "null", "author": " null " }), json!({})),
        (json!({ "position": "10" }), json!({ "position": 10 })),
        (json!({ "position": " 10.0 " }), json!({ "position": 10 })),
        (json!({ "weight": "2.5" }), json!({ "weight": 2.5 })),
        (json!({ "weight": "7" }), json!({ "weight": 7 })),
        (json!({ "pinned": "true" }), json!({ "pinned": true })),
        (json!({ "pinned": "False" }), json!({ "pinned": false })),
        (json!({ "colour": " RED " }), json!({ "colour": "red" })),
        (
            json!({ "colour": "darkBlue" }),
            json!({ "colour": "dark_blue" }),
        ),
        (
            json!({ "colour": "Dark Blue" }),
            json!({ "colour": "dark_blue" }),
        ),
        (
            json!({ "author": { "full/name~": 18_446_744_073_709_551_615_u64 } }),
            json!({ "author": { "full/name~": "18446744073709551615" } }),
        ),
        (json!({ "parent": -7 }), json!({ "parent": "-7" })),
        (
            json!({ "places": [{ "folder": "x", "row": "3" }] }),
            json!({ "places": [{ "folder": "x", "row": 3 }] }),
        ),
        (
            json!({ "places": [{ "folder": "x", "row": -9_007_199_254_740_992.0_f64 }] }),
            json!({ "places": [{ "folder": "x", "row": -9_007_199_254_740_992_i64 }] }),
        ),
    ];
    for (mut input, mut expected) in cases {
        input["note_id"] = json!("a");
        expected["note_id"] = json!("a");
        let understood = validated(input).unwrap();
        assert_eq!(understood, expected);
        assert!(ENTRY.parse(understood).is_ok());
    }
}

#[test]
fn a_text_with_inexact_numbers_is_not_parsed() {
    for (name, given) in [
        ("weight", "12345678901234567890123"),
        ("weight", "0.1234567890123456789"),
        (
            "places",
            "[{\"folder\":\"x\",\"row\":0.1234567890123456789}]",
        ),
    ] {
        let error = validated(json!({ "note_id": "a", name: given })).unwrap_err();
        let place = error.violation_list()[0].path.clone();
        assert_eq!(place, format!("/{name}"), "{given}");
    }
}

#[test]
fn null_counts_as_absent_if_it_is_not_a_value() {
    let absent = json!({ "note_id": "a" });
    for name in [
        "colour",
        "urgency",
        "position",
        "weight",
        "pinned",
        "places",
        "author",
        "labels",
        "either",
        "a/b~c",
        "schema_version",
        "tool_version",
    ] {
        let input = json!({ "note_id": "a", name: null });
        assert_eq!(validated(input).unwrap(), absent, "{name}");
    }
    assert_eq!(
        validated(json!({ "note_id": "a", "places": [{ "folder": "x", "row": null }] })).unwrap(),
        json!({ "note_id": "a", "places": [{ "folder": "x" }] })
    );
}

#[test]
fn members_that_only_the_product_writes_are_dropped() {
    let input = json!({ "note_id": "a", "author": { "full/name~": "Ada", "id": [7] } });
    let read = json!({ "note_id": "a", "author": { "full/name~": "Ada" } });
    assert_eq!(validated(input).unwrap(), read);
    assert!(!schema().schema().to_string().contains("x-ignored"));
}

#[test]
fn null_is_kept_if_it_is_a_value() {
    for input in [
        json!({ "note_id": "a", "parent": null }),
        json!({ "note_id": "a", "extra": null }),
        json!({ "note_id": "a", "extra": { "a": null, "b": [null] } }),
    ] {
        assert_eq!(validated(input.clone()).unwrap(), input);
    }
}

#[test]
fn ambiguous_values_are_unchanged() {
    let cases = [
        json!({ "note_id": "a", "parent": "{\"a\":1}" }),
        json!({ "note_id": "a", "parent": "null" }),
        json!({ "note_id": "a", "extra": "{\"a\":1}" }),
        json!({ "note_id": "a", "extra": 5.0 }),
        json!({ "note_id": "a", "weight": 5.0 }),
        json!({ "note_id": "a", "either": "5" }),
        json!({ "note_id": "a", "labels": { "a": "{}" } }),
    ];
    for input in cases {
        assert_eq!(
            validated(input.clone()).unwrap().to_string(),
            input.to_string()
        );
    }
}

#[test]
fn wrong_values_are_not_coerced() {
    let cases = [
        (json!({ "position": "five" }), "/position"),
        (json!({ "position": "0x5" }), "/position"),
        (json!({ "position": "5.5" }), "/position"),
        (
            json!({ "position": "12345678901234567890123" }),
            "/position",
        ),
        (json!({ "position": true }), "/position"),
        (json!({ "position": 5.5 }), "/position"),
        (json!({ "author": "Ada" }), "/author"),
        (json!({ "author": "[]" }), "/author"),
        (json!({ "places": "{\"folder\":\"x\"}" }), "/places"),
        (json!({ "places": { "folder": "x" } }), "/places"),
        (json!({ "pinned": 1 }), "/pinned"),
        (
            json!({ "author": "{\"full/name~\":[1]}" }),
            "/author/full~1name~0",
        ),
    ];
    for (mut input, pointer) in cases {
        input["note_id"] = json!("a");
        assert_eq!(
            violations(input),
            [(pointer.to_owned(), String::from("type"))]
        );
    }
}

#[test]
fn a_number_beyond_its_struct_is_a_violation_and_no_panic() {
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Count {
        count: Option<u32>,
    }
    impl Tool for Count {
        const NAME: &'static str = "demo_count";
        const EFFECT: Effect = Effect::Read;
        type Output = Value;
        async fn run(&self, _: &Call, _: Io<'_>) -> Result<Output> {
            Ok(Value::Null.into())
        }
    }
    let entry = ToolEntry::of::<Count>();
    let schema = InputSchema::of(&entry).unwrap();
    assert_eq!(
        schema.schema()["properties"]["count"],
        json!({ "type": "integer", "minimum": 0 })
    );
    assert_eq!(
        schema
            .validate(&mut json!({ "count": -1 }))
            .unwrap_err()
            .violation_list()[0]
            .keyword,
        "minimum"
    );
    let mut large = json!({ "count": 5_000_000_000_u64 });
    schema.validate(&mut large).unwrap();
    assert_eq!(
        entry.parse(large).err().unwrap().kind(),
        ErrorKind::SchemaViolation
    );
}

proptest::proptest! {
    #[test]
    fn any_text_is_coerced_or_refused(text in "\\PC{0,60}", field in "[a-z_/~]{1,10}") {
        for name in ["author", "places", "labels", "position", "either", &field] {
            let input = json!({ "note_id": "a", name: text });
            if let Err(error) = validated(input) {
                proptest::prop_assert_eq!(error.kind(), ErrorKind::SchemaViolation);
                proptest::prop_assert!(!error.violation_list().is_empty());
            }
        }
    }
}

#[test]
fn an_empty_text_for_an_optional_parameter_is_absent() {
    let absent = json!({ "note_id": "a" });
    for name in ["position", "colour", "pinned"] {
        let mut input = absent.clone();
        input[name] = json!(" ");
        assert_eq!(validated(input).unwrap(), absent, "{name}");
    }
    assert_eq!(violations(json!({ "note_id": "" }))[0].0, "/note_id");
}
