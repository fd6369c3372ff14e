//! Anthropic's Messages (platform.claude.com, "Tool use" and "Strict tool use").

use serde_json::{Value, json};

use super::node::{
    Notes, check_head, check_schema, counts, each_child, has_type, is_open, json_text_if_free_form,
    keep, named, unknown_keywords, walk,
};

/// Keywords that strict tools support.
const STRICT: &[&str] = &[
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "anyOf",
    "format",
    "minItems",
];
/// Maximum number of strict tools in a request.
const TOOLS: usize = 20;
/// Maximum number of optional parameters in all strict tools of a request.
const OPTIONAL: usize = 24;
/// Maximum number of those parameters that have several types.
const UNIONS: usize = 16;

pub(super) fn tool(name: &str, description: &str, schema: &Value, strict: Option<bool>) -> Value {
    let mut tool = json!({ "name": name, "description": description, "input_schema": schema });
    if let Some(strict) = strict {
        tool["strict"] = json!(strict);
    }
    tool
}

/// Reduces the schema to the subset for strict tools.
///
/// # Errors
/// Why it does not fit into it, or a request.
pub(super) fn strict(schema: &Value, notes: &mut Notes) -> Result<Value, String> {
    let mut open = None;
    walk(schema, "", &mut |node, place| {
        if is_open(node) {
            open.get_or_insert_with(|| place.to_owned());
        }
    });
    if let Some(place) = open {
        return Err(format!("{} accepts any value", named(&place)));
    }
    let mut strict = schema.clone();
    close(&mut strict, "", notes);
    let (optional, unions) = counts(&strict);
    for (found, most, what) in [
        (optional, OPTIONAL, "optional parameters"),
        (unions, UNIONS, "parameters of several types"),
    ] {
        if found > most {
            return Err(format!(
                "it has {found} {what}, but a whole request can have only {most}"
            ));
        }
    }
    Ok(strict)
}

fn close(schema: &mut Value, place: &str, notes: &mut Notes) {
    let Some(node) = schema.as_object_mut() else {
        return;
    };
    if !place.is_empty() {
        json_text_if_free_form(node, place, notes);
    }
    if node
        .get("minItems")
        .is_some_and(|least| !is_zero_or_one(least))
    {
        node.remove("minItems");
        notes.at(Notes::UNSAID, format!("minItems of {}", named(place)));
    }
    keep(node, STRICT, place, notes);
    each_child(node, place, |child, place| close(child, place, notes));
    if node
        .get("type")
        .is_some_and(|kind| has_type(&json!({ "type": kind }), "object"))
        && node.insert(String::from("additionalProperties"), json!(false)) != Some(json!(false))
    {
        notes.at(Notes::CLOSED, named(place).to_owned());
    }
}

fn is_zero_or_one(number: &Value) -> bool {
    matches!(number.as_u64(), Some(0 | 1))
}

pub(super) fn check(tool: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check_head(tool, "", 64, &mut faults);
    let at = "/input_schema";
    check_schema(tool.get("input_schema"), at, &mut faults);
    if tool["strict"] == true {
        walk(&tool["input_schema"], at, &mut |node, place| {
            let mut fault = |text: &str| faults.push(format!("{place}: {text}"));
            if is_open(node) {
                fault("expected a type");
            }
            if has_type(node, "object") && node["additionalProperties"] != false {
                fault("expected an object without other members");
            }
            if node
                .get("minItems")
                .is_some_and(|least| !is_zero_or_one(least))
            {
                fault("minItems is 0 or 1");
            }
            unknown_keywords(node, place, STRICT, &mut faults);
        });
        faults.extend(check_together(std::slice::from_ref(tool)));
    }
    faults
}

/// Checks the limits of a request.
pub(super) fn check_together(tools: &[Value]) -> Vec<String> {
    let strict = tools.iter().filter(|tool| tool["strict"] == true);
    let (mut count, mut optional, mut unions) = (0, 0, 0);
    for tool in strict {
        let (own_optional, own_unions) = counts(&tool["input_schema"]);
        count += 1;
        optional += own_optional;
        unions += own_unions;
    }
    let bounds = [
        (count, TOOLS, "strict tools"),
        (optional, OPTIONAL, "optional parameters of strict tools"),
        (
            unions,
            UNIONS,
            "parameters of several types of strict tools",
        ),
    ];
    let broken = bounds.into_iter().filter(|(found, most, _)| found > most);
    broken
        .map(|(found, most, what)| {
            format!("a request can have at most {most} {what}, found {found}")
        })
        .collect()
}
