//! A tool's input as the fields of a form, and the fields as an input. A field is named by the JSON pointer of its
//! value.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};
use stead_core::error::{Violation, push_segment};

use crate::dashboard::schema::{Kind, Member, kind, members};

/// Prefix of the pointer in a field's name.
pub(super) const PREFIX: &str = "i/";
/// Parameters that every tool has and that only applications set.
const VERSIONS: [&str; 2] = ["schema_version", "tool_version"];
/// Number of items of a list that a form shows. A longer list is entered as JSON.
const ITEMS: usize = 50;
/// Number of fields to show if no field is required or filled in. A form with at most this many fields folds nothing.
const FEW: usize = 4;

/// A part of a form, in order.
#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub(super) enum Part {
    Field(Field),
    /// The start of a group or a list.
    Open(Field),
    /// Its end. `add` is the pointer of a list that accepts another item.
    Close {
        add: Option<String>,
    },
    /// The start and the end of the optional fields.
    Fold {
        is_open: bool,
        fields: usize,
    },
    Unfold,
}

/// A value to enter.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Field {
    /// JSON pointer of the value, which is also where an error is shown.
    pub(super) pointer: String,
    label: String,
    about: String,
    input: &'static str,
    format: String,
    required: bool,
    value: String,
    options: Vec<String>,
    errors: Vec<String>,
}

/// Fields by their pointers.
pub(super) type Given = BTreeMap<String, String>;

/// The input of the fields. Empty fields are omitted.
pub(super) fn read(schema: &Value, given: &Given) -> Value {
    let own = |member: &Member<'_>| !VERSIONS.contains(&member.name);
    let members = members(schema).into_iter().filter(own);
    Value::Object(read_members(members, "", 0, given))
}

fn read_members<'s>(
    members: impl IntoIterator<Item = Member<'s>>,
    pointer: &str,
    depth: usize,
    given: &Given,
) -> Map<String, Value> {
    let members = members.into_iter().filter_map(|member| {
        let pointer = below(pointer, member.name);
        let value = read_value(member.schema, &pointer, depth + 1, given)?;
        Some((member.name.to_owned(), value))
    });
    members.collect()
}

fn read_value(schema: &Value, pointer: &str, depth: usize, given: &Given) -> Option<Value> {
    let text = || given.get(pointer).filter(|text| !text.is_empty());
    match kind(schema, depth) {
        Kind::Text | Kind::Formatted(_) | Kind::Date | Kind::Choice(_) => {
            text().map(|text| Value::String(text.replace("\r\n", "\n")))
        }
        Kind::Number | Kind::Flag | Kind::Json => text()
            .map(|text| serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))),
        // Parts without fields of their own are one field of JSON.
        Kind::Group(_) | Kind::List(_) if text().is_some() => text()
            .map(|text| serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))),
        Kind::Group(members) => {
            let read = read_members(members, pointer, depth, given);
            (!read.is_empty()).then_some(Value::Object(read))
        }
        Kind::List(items) => {
            let read = (0..=ITEMS).filter_map(|index| {
                read_value(items, &format!("{pointer}/{index}"), depth + 1, given)
            });
            let read: Vec<Value> = read.collect();
            (!read.is_empty()).then_some(Value::Array(read))
        }
    }
}

/// The members of an input for which a form has no field.
pub(super) fn unknown(schema: &Value, input: &Value) -> Vec<String> {
    let known = members(schema);
    let given = input.as_object().into_iter().flatten();
    let unknown = given.filter(|(name, _)| {
        VERSIONS.contains(&name.as_str()) || known.iter().all(|member| member.name != *name)
    });
    unknown.map(|(name, _)| name.clone()).collect()
}

/// The form that shows an input. An empty item is added to the list `add`. A violation that is shown at its field is
/// removed from `violations`.
pub(super) fn show(
    schema: &Value,
    input: &Value,
    add: Option<&str>,
    violations: &mut Vec<Violation>,
) -> Vec<Part> {
    let mut form = Form {
        parts: Vec::new(),
        add,
        violations,
    };
    let own = |member: &Member<'_>| !VERSIONS.contains(&member.name);
    let mut members: Vec<Member<'_>> = members(schema).into_iter().filter(own).collect();
    // Required and filled-in fields come first, and the rest is folded. Some fields are always visible.
    members.sort_by_key(|member| (!member.is_required, input.get(member.name).is_none()));
    let first = |member: &&Member<'_>| member.is_required || input.get(member.name).is_some();
    let shown = match members.iter().filter(first).count() {
        0 => FEW.min(members.len()),
        first => first,
    };
    let folds = members.len() > shown.max(FEW);
    let mut folded = None;
    let fields = members.len() - shown;
    for (index, member) in members.iter().enumerate() {
        if folds && index == shown {
            folded = Some(form.parts.len());
            form.parts.push(Part::Fold {
                is_open: false,
                fields,
            });
        }
        let pointer = below("", member.name);
        form.show(member, pointer, input.get(member.name), 1);
    }
    if let Some(place) = folded {
        let (_, within) = form.parts.split_at(place);
        let used = within.iter().any(|part| match part {
            Part::Field(field) | Part::Open(field) => {
                !field.value.is_empty()
                    || !field.errors.is_empty()
                    || add.is_some_and(|add| add == field.pointer)
            }
            _ => false,
        });
        if let Some(Part::Fold { is_open, .. }) = form.parts.get_mut(place) {
            *is_open = used;
        }
        form.parts.push(Part::Unfold);
    }
    form.parts
}

struct Form<'a> {
    parts: Vec<Part>,
    add: Option<&'a str>,
    violations: &'a mut Vec<Violation>,
}

impl Form<'_> {
    fn show(&mut self, member: &Member<'_>, pointer: String, value: Option<&Value>, depth: usize) {
        let mut field = Field {
            label: member.name.to_owned(),
            about: text_of(member.schema, "description"),
            required: member.is_required,
            errors: self.errors(&pointer),
            value: value.map(as_text).unwrap_or_default(),
            pointer,
            ..Field::default()
        };
        let kind = kind(member.schema, depth);
        match (kind, value) {
            (Kind::Group(members), None | Some(Value::Object(_)))
                if unknown(member.schema, value.unwrap_or(&Value::Null)).is_empty() =>
            {
                field.value.clear();
                let pointer = field.pointer.clone();
                self.parts.push(Part::Open(field));
                for member in members {
                    let pointer = below(&pointer, member.name);
                    let value = value.and_then(|value| value.get(member.name));
                    self.show(&member, pointer, value, depth + 1);
                }
                self.parts.push(Part::Close { add: None });
            }
            (Kind::List(items), None | Some(Value::Array(_)))
                if value.and_then(Value::as_array).map_or(0, Vec::len) < ITEMS =>
            {
                self.list(field, items, value, depth);
            }
            (kind, _) => {
                (field.input, field.format) = match kind {
                    Kind::Text => ("text", String::new()),
                    Kind::Date => ("date", String::from("date")),
                    Kind::Formatted(format) => ("line", format.to_owned()),
                    Kind::Number => ("number", String::new()),
                    Kind::Flag => {
                        field.options = vec![String::from("true"), String::from("false")];
                        ("choice", String::new())
                    }
                    Kind::Choice(words) => {
                        field.options = words.into_iter().map(str::to_owned).collect();
                        ("choice", String::new())
                    }
                    Kind::Group(_) | Kind::List(_) | Kind::Json => {
                        field.value = value.map(as_json).unwrap_or_default();
                        ("json", String::new())
                    }
                };
                // A value outside the options stays visible.
                if !field.options.is_empty()
                    && !field.value.is_empty()
                    && !field.options.contains(&field.value)
                {
                    field.options.push(field.value.clone());
                }
                let errors = self.errors_below(&field.pointer);
                field.errors.extend(errors);
                self.parts.push(Part::Field(field));
            }
        }
    }

    fn list(&mut self, mut field: Field, items: &Value, value: Option<&Value>, depth: usize) {
        let values = value.and_then(Value::as_array).map(Vec::as_slice);
        let values = values.unwrap_or_default();
        let pointer = field.pointer.clone();
        field.value.clear();
        let is_group = matches!(kind(items, depth + 1), Kind::Group(_));
        let is_asked = self.add == Some(&*pointer);
        // A list always has an empty line. It gets an empty group of fields only on request.
        let empty = usize::from(is_asked || !is_group || (field.required && values.is_empty()));
        self.parts.push(Part::Open(field));
        for index in 0..values.len() + empty {
            let label = (index + 1).to_string();
            let item = Member {
                name: &label,
                schema: items,
                is_required: false,
            };
            let pointer = format!("{pointer}/{index}");
            self.show(&item, pointer, values.get(index), depth + 1);
        }
        self.parts.push(Part::Close { add: Some(pointer) });
    }

    fn errors(&mut self, pointer: &str) -> Vec<String> {
        let here = |one: &mut Violation| one.path == pointer;
        let taken = self.violations.extract_if(.., here);
        taken.map(|one| one.message).collect()
    }

    /// Errors within a value that is a single field.
    fn errors_below(&mut self, pointer: &str) -> Vec<String> {
        let below = |one: &mut Violation| {
            let rest = one.path.strip_prefix(pointer);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        let taken = self.violations.extract_if(.., below);
        taken.map(|one| one.to_string()).collect()
    }
}

fn below(pointer: &str, name: &str) -> String {
    let mut pointer = pointer.to_owned();
    push_segment(&mut pointer, name);
    pointer
}

fn text_of(schema: &Value, member: &str) -> String {
    schema[member].as_str().unwrap_or_default().to_owned()
}

/// A value in a field: a text unchanged, anything else as JSON.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A value in a JSON field. A text that would parse as something else gets quotes.
fn as_json(value: &Value) -> String {
    match value {
        Value::String(text) if serde_json::from_str::<Value>(text).is_err() => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object", "required": ["to"],
            "properties": {
                "to": { "type": "array", "items": { "type": "string" } },
                "subject": { "type": ["string", "null"], "description": "Of `it`." },
                "limit": { "type": "integer" },
                "exact": { "type": "boolean" },
                "color": { "enum": ["red", "blue"], "type": "string" },
                "day": { "type": "string", "format": "date" },
                "who": { "type": "array", "items": { "type": "object", "properties": {
                    "email": { "type": "string" }, "a/b": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
                } } },
                "cells": { "type": "array", "items": { "type": "array", "items": { "type": "string" } } },
                "free": { "type": "object", "additionalProperties": true },
                "tool_version": { "type": "string" },
            },
        })
    }

    /// The form as a browser would send it back.
    fn filled_in(parts: &[Part]) -> Given {
        let fields = parts.iter().filter_map(|part| match part {
            Part::Field(field) => Some((field.pointer.clone(), field.value.clone())),
            _ => None,
        });
        fields.collect()
    }

    fn form(input: &Value, add: Option<&str>) -> Vec<Part> {
        show(&schema(), input, add, &mut Vec::new())
    }

    #[test]
    fn an_input_that_is_shown_and_sent_back_is_the_same() {
        for input in [
            json!({}),
            json!({ "to": ["a", "b"], "subject": "x\ny", "limit": 5, "exact": false, "color": "red" }),
            json!({ "who": [{ "email": "a@b", "a/b": 3 }, { "email": "c" }], "day": "2026-01-02" }),
            json!({ "cells": [["1", "2"], ["3"]], "free": { "x": [1, { "y": null }] } }),
            // Values that violate the schema are kept, so that they are rejected in their own field.
            json!({ "to": "a", "limit": "many", "color": "green", "who": [{ "other": 1 }] }),
        ] {
            let parts = form(&input, None);
            assert_eq!(read(&schema(), &filled_in(&parts)), input, "{parts:?}");
        }
    }

    #[test]
    fn empty_fields_are_omitted_and_line_ends_are_normalized() {
        let given = [
            ("/to/0", ""),
            ("/to/1", "b"),
            ("/subject", "a\r\nb"),
            ("/limit", ""),
            ("/who/0/email", ""),
            ("/free", "{\"a\": 1"),
            ("/tool_version", "2020-01-01"),
        ];
        let given = given.map(|(pointer, text)| (pointer.to_owned(), text.to_owned()));
        assert_eq!(
            read(&schema(), &Given::from(given)),
            json!({ "to": ["b"], "subject": "a\nb", "free": "{\"a\": 1" })
        );
    }

    #[test]
    fn a_list_has_a_line_to_fill_in_and_takes_another_group() {
        let fields = |parts: &[Part]| filled_in(parts).into_keys().collect::<Vec<_>>();
        let empty = fields(&form(&json!({}), None));
        assert!(empty.contains(&String::from("/to/0")), "{empty:?}");
        assert!(!empty.iter().any(|pointer| pointer.starts_with("/who")));
        let parts = form(&json!({ "who": [{ "email": "a" }] }), Some("/who"));
        let more = fields(&parts);
        assert!(more.contains(&String::from("/who/1/email")), "{more:?}");
        assert!(more.contains(&String::from("/who/1/a~1b")), "{more:?}");
        // A group with a value isn't folded, and neither is a list that accepts another item.
        let folds = |parts: &[Part]| {
            let place = parts
                .iter()
                .position(|part| matches!(part, Part::Fold { .. }));
            let (before, within) = parts.split_at(place.unwrap());
            (
                filled_in(before).len(),
                within[0]
                    == Part::Fold {
                        is_open: true,
                        fields: 8,
                    },
            )
        };
        assert_eq!(folds(&form(&json!({ "to": ["a"] }), None)), (2, false));
        assert_eq!(
            folds(&form(&json!({ "to": ["a"] }), Some("/who"))),
            (2, true)
        );
    }

    #[test]
    fn violations_are_at_their_fields() {
        let violation = |path: &str| Violation::new(path, "type", "wrong");
        let mut violations = vec![violation("/who/0/email"), violation("/nothing")];
        let input = json!({ "who": [{ "email": 5 }], "more": 1 });
        let parts = show(&schema(), &input, None, &mut violations);
        let at: Vec<&str> = parts
            .iter()
            .filter_map(|part| match part {
                Part::Field(field) if !field.errors.is_empty() => Some(field.pointer.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!((at, violations.len()), (vec!["/who/0/email"], 1));
        assert_eq!(unknown(&schema(), &input), ["more"]);
    }
}
