//! Checks readable views: their schema works for every client, and views match it.

use stead_core::{catalogue::CatalogueTool, results::Path};

use super::{Faults, Subject, description::describe, schemas::lint};
use crate::fixture::Case;

/// Deepest nesting, like that of an output.
const DEEPEST: usize = 8;

/// Every view is an object. Its members have descriptions and are optional.
pub(super) fn readable_views_are_portable(_: &Subject, tool: &CatalogueTool, faults: &mut Faults) {
    const PATH: &str = ", readable";
    let Some(schema) = tool.readable_schema() else {
        return;
    };
    if schema["type"] != "object" {
        faults.at(PATH, "a view is an object");
    }
    if schema.to_string().contains("\"required\":[") {
        faults.at(PATH, "a member is required");
    }
    lint(schema, PATH, DEEPEST, 0, faults);
    describe(schema, PATH, faults);
    for text in untrusted(tool) {
        if !Path::parse(text).is_ok_and(|path| path.is_named_in(schema)) {
            faults.at(
                PATH,
                format_args!("untrusted names {text}, and the schema does not"),
            );
        }
    }
}

/// The view of every result fits the published schema and has no other members. It's no longer than the result, unless
/// both are short. Every value that it truncates is in the result.
pub(super) fn readable_views_keep_to_their_schema(
    _: &Subject,
    tool: &CatalogueTool,
    case: &Case,
    faults: &mut Faults,
) {
    let (Some(result), Some(view), Some(schema)) = (
        &case.result,
        tool.entry().readable(),
        tool.readable_schema(),
    ) else {
        return;
    };
    let (view, wholes) = match view.with_wholes(result.data.clone()) {
        Ok(view) => view,
        Err(error) => return faults.add(error),
    };
    match jsonschema::draft202012::new(schema) {
        Ok(validator) => faults.extend(validator.iter_errors(&view).map(|error| {
            format!(
                "the view's schema refuses {}: {error}",
                error.instance_path()
            )
        })),
        Err(error) => faults.add(format_args!("the view's schema is not one: {error}")),
    }
    let named = schema["properties"].as_object();
    let mut members = view.as_object().into_iter().flatten();
    if let Some((member, _)) =
        members.find(|(member, _)| named.is_none_or(|named| !named.contains_key(*member)))
    {
        faults.add(format_args!("the view's schema does not name {member}"));
    }
    for whole in wholes {
        if view.pointer(&whole.part).is_none() || result.data.pointer(&whole.pointer).is_none() {
            faults.add(format_args!("{whole:?} leads nowhere"));
        }
    }
    let (full, short) = (result.data.to_string().len(), view.to_string().len());
    if short > full.max(200) {
        faults.add(format_args!(
            "the view has {short} bytes, the result {full}"
        ));
    }
}

fn untrusted(tool: &CatalogueTool) -> &'static [&'static str] {
    let view = tool.entry().readable();
    view.map_or(&[], |view| view.untrusted())
}
