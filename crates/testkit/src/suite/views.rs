//! What a tool's readable view promises: a schema that every client takes, and views that keep to it.

use stead_core::{catalogue::CatalogueTool, results::Path};

use super::{Subject, description::describe, schemas::lint};

/// Deepest nesting, as of an output.
const DEEPEST: usize = 8;

/// Every view is an object whose members are described, and none of them is required.
pub(super) fn readable_views_are_portable(subject: &Subject) -> Vec<String> {
    let mut faults = Vec::new();
    for tool in subject.tools() {
        let Some(schema) = tool.readable_schema() else {
            continue;
        };
        let name = format!("{}, readable", tool.entry().name());
        if schema["type"] != "object" {
            faults.push(format!("{name}: a view is an object"));
        }
        if schema.to_string().contains("\"required\":[") {
            faults.push(format!("{name}: a member is required"));
        }
        lint(schema, &name, DEEPEST, 0, &mut faults);
        describe(schema, &name, &mut faults);
        for text in untrusted(tool) {
            let is_named = Path::parse(text).is_ok_and(|path| path.is_named_in(schema));
            if !is_named {
                faults.push(format!(
                    "{name}: untrusted names {text}, and the schema does not"
                ));
            }
        }
    }
    faults
}

/// The view of every result of a case passes the published schema, names nothing besides, and is not longer than the result
/// unless both are short. What it gives only in part is in the result.
pub(super) fn readable_views_keep_to_their_schema(subject: &Subject) -> Vec<String> {
    let mut faults = Vec::new();
    for (tool, case) in subject.cases() {
        let (Some(result), Some(view), Some(schema)) = (
            &case.result,
            tool.entry().readable(),
            tool.readable_schema(),
        ) else {
            continue;
        };
        let name = format!("{}, {:?}", tool.entry().name(), case.name);
        let (view, wholes) = match view.with_wholes(result.data.clone()) {
            Ok(view) => view,
            Err(error) => {
                faults.push(format!("{name}: {error}"));
                continue;
            }
        };
        match jsonschema::draft202012::new(schema) {
            Ok(validator) => faults.extend(validator.iter_errors(&view).map(|error| {
                format!(
                    "{name}: the view's schema refuses {}: {error}",
                    error.instance_path()
                )
            })),
            Err(error) => faults.push(format!("{name}: the view's schema is not one: {error}")),
        }
        let named = schema["properties"].as_object();
        let mut members = view.as_object().into_iter().flatten();
        if let Some((member, _)) =
            members.find(|(member, _)| named.is_none_or(|named| !named.contains_key(*member)))
        {
            faults.push(format!("{name}: the view's schema does not name {member}"));
        }
        for whole in wholes {
            if view.pointer(&whole.part).is_none() || result.data.pointer(&whole.pointer).is_none()
            {
                faults.push(format!("{name}: {whole:?} leads nowhere"));
            }
        }
        let (full, short) = (result.data.to_string().len(), view.to_string().len());
        if short > full.max(200) {
            faults.push(format!(
                "{name}: the view has {short} bytes, the result {full}"
            ));
        }
    }
    faults
}

fn untrusted(tool: &CatalogueTool) -> &'static [&'static str] {
    let view = tool.entry().readable();
    view.map_or(&[], |view| view.untrusted())
}
