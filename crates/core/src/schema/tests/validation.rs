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
    let (three, no_folder) = (json!([place, place, place]), json!([place, {}]));
    let more = json!([{ "folder": "", "x/y~z": 1 }]);
    let name = json!({ "full/name~": true });
    let unknown = "additionalProperties";
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
        (json!({ "places": three }), "/places", "maxItems"),
        (
            json!({ "places": no_folder }),
            "/places/1/folder",
            "required",
        ),
        (json!({ "places": more }), "/places/0/x~1y~0z", unknown),
        (json!({ "author": {} }), "/author/full~1name~0", "required"),
        (json!({ "author": name }), "/author/full~1name~0", "type"),
        (json!({ "a/b~c": name }), "/a~1b~0c/full~1name~0", "type"),
        (json!({ "a/b~c": {} }), "/a~1b~0c/full~1name~0", "required"),
        (json!({ "labels": { "l/m": 1 } }), "/labels/l~1m", "type"),
        (json!({ "either": true }), "/either", "anyOf"),
        (json!({ "schema_version": [] }), "/schema_version", "type"),
        (json!({ "x": 1 }), "/x", unknown),
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
        let expected = (expected.0.to_owned(), expected.1.to_owned());
        assert!(found.contains(&expected), "{expected:?} {found:?}");
    }
    assert_eq!(found.len(), 6);
}

#[test]
fn messages_say_what_is_expected() {
    assert_eq!(message(json!({})), "\"note_id\" is required");
    let text = "expected string, found number";
    assert_eq!(message(json!({ "note_id": 1.5 })), text);
    let long = json!({ "note_id": "x".repeat(10_000) });
    let longer = "the value is longer than 20 characters";
    assert_eq!(message(long), longer);
    let place = json!([{ "folder": "", "x": 1 }]);
    let name = json!({ "full/name~": "", "x": 1 });
    for (member, value, expected) in [
        (
            "either",
            json!(true),
            "expected string or integer, found boolean",
        ),
        (
            "colour",
            json!("green"),
            "expected one of: red, dark_blue; found \"green\"",
        ),
        (
            "position",
            json!(101),
            "101 is greater than the maximum of 100",
        ),
        (
            "noteId",
            json!("a"),
            "\"noteId\" isn't known; did you mean note_id? Expected one of: a/b~c, author, colour, either, extra, labels, \
             note_id, parent, pinned, places, position, schema_version, tool_version, urgency, weight",
        ),
        ("parent", json!([]), "expected string or null, found array"),
        (
            "places",
            place,
            "\"x\" isn't known; expected one of: folder, row",
        ),
        (
            "a/b~c",
            name,
            "\"x\" isn't known; expected one of: full/name~",
        ),
    ] {
        let input = json!({ "note_id": "a", member: value });
        assert_eq!(message(input), expected);
    }
}

#[test]
fn unambiguous_values_are_coerced() {
    let (ada, x) = (json!({ "full/name~": "Ada" }), json!([{ "folder": "x" }]));
    let large = json!({ "full/name~": 18_446_744_073_709_551_615_u64 });
    let text = json!({ "full/name~": "18446744073709551615" });
    let third = json!([{ "folder": "x", "row": 3 }]);
    let integer = json!([{ "folder": "x", "row": -9_007_199_254_740_992_i64 }]);
    let float = json!([{ "folder": "x", "row": -9_007_199_254_740_992.0_f64 }]);
    let in_text = json!("[\"{\\\"folder\\\":\\\"x\\\"}\"]");
    for (name, given, expected) in [
        ("author", json!("{\"full/name~\":\"Ada\"}"), ada),
        ("places", json!(" [ {\"folder\":\"x\"} ] "), x.clone()),
        ("places", in_text, x),
        ("labels", json!("{\"a\":\"b\"}"), json!({ "a": "b" })),
        ("position", json!(5.0), json!(5)),
        ("position", json!(1e1), json!(10)),
        ("position", json!("10"), json!(10)),
        ("position", json!(" 10.0 "), json!(10)),
        ("weight", json!("2.5"), json!(2.5)),
        ("weight", json!("7"), json!(7)),
        ("pinned", json!("true"), json!(true)),
        ("pinned", json!("False"), json!(false)),
        ("colour", json!(" RED "), json!("red")),
        ("colour", json!("darkBlue"), json!("dark_blue")),
        ("colour", json!("Dark Blue"), json!("dark_blue")),
        ("author", large, text),
        ("parent", json!(-7), json!("-7")),
        ("places", json!([{ "folder": "x", "row": "3" }]), third),
        ("places", float, integer),
    ] {
        let understood = validated(json!({ "note_id": "a", name: given })).unwrap();
        assert_eq!(understood, json!({ "note_id": "a", name: expected }));
        assert!(ENTRY.parse(understood).is_ok());
    }
    let null = json!({ "note_id": "a", "position": "null", "author": " null " });
    let understood = validated(null).unwrap();
    assert_eq!(understood, json!({ "note_id": "a" }));
    assert!(ENTRY.parse(understood).is_ok());
}

#[test]
fn a_text_with_inexact_numbers_is_not_parsed() {
    let in_places = "[{\"folder\":\"x\",\"row\":0.1234567890123456789}]";
    for (name, given) in [
        ("weight", "12345678901234567890123"),
        ("weight", "0.1234567890123456789"),
        ("places", in_places),
    ] {
        let error = validated(json!({ "note_id": "a", name: given })).unwrap_err();
        let place = error.violation_list()[0].path.clone();
        assert_eq!(place, format!("/{name}"), "{given}");
    }
}

#[test]
fn null_counts_as_absent_if_it_is_not_a_value() {
    let absent = json!({ "note_id": "a" });
    for name in "colour urgency position weight pinned places author labels either a/b~c \
                 schema_version tool_version"
        .split(' ')
    {
        let input = json!({ "note_id": "a", name: null });
        assert_eq!(validated(input).unwrap(), absent, "{name}");
    }
    let places = json!({ "note_id": "a", "places": [{ "folder": "x", "row": null }] });
    let expected = json!({ "note_id": "a", "places": [{ "folder": "x" }] });
    assert_eq!(validated(places).unwrap(), expected);
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
        let given = input.to_string();
        assert_eq!(validated(input).unwrap().to_string(), given);
    }
}

#[test]
fn wrong_values_are_not_coerced() {
    let name = json!("{\"full/name~\":[1]}");
    for (mut input, pointer) in [
        (json!({ "position": "five" }), "/position"),
        (json!({ "position": "0x5" }), "/position"),
        (json!({ "position": "5.5" }), "/position"),
        (json!({ "position": "1".repeat(23) }), "/position"),
        (json!({ "position": true }), "/position"),
        (json!({ "position": 5.5 }), "/position"),
        (json!({ "author": "Ada" }), "/author"),
        (json!({ "author": "[]" }), "/author"),
        (json!({ "places": "{\"folder\":\"x\"}" }), "/places"),
        (json!({ "places": { "folder": "x" } }), "/places"),
        (json!({ "pinned": 1 }), "/pinned"),
        (json!({ "author": name }), "/author/full~1name~0"),
    ] {
        input["note_id"] = json!("a");
        let expected = [(pointer.to_owned(), String::from("type"))];
        assert_eq!(violations(input), expected);
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
    let expected = json!({ "type": "integer", "minimum": 0 });
    assert_eq!(schema.schema()["properties"]["count"], expected);
    let error = schema.validate(&mut json!({ "count": -1 })).unwrap_err();
    assert_eq!(error.violation_list()[0].keyword, "minimum");
    let mut large = json!({ "count": 5_000_000_000_u64 });
    schema.validate(&mut large).unwrap();
    let error = entry.parse(large).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::SchemaViolation);
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
