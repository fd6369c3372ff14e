//! Finds the tool and version that a call requests.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    Error, Result,
    catalogue::{Catalogue, CatalogueTool},
    error::Violation,
    schema::VERSION_PARAMETERS,
    tool::numbers,
};

/// The requested tool and version. Removes the version parameters from the input. If the input is a JSON text with an
/// object, it's parsed first.
pub(super) fn tool(
    catalogue: &Catalogue,
    name: &str,
    schema_version: Option<String>,
    tool_version: Option<String>,
    input: &mut Value,
) -> Result<Arc<CatalogueTool>> {
    if let Value::String(text) = input
        && let Ok(object @ Value::Object(_)) = serde_json::from_str(text)
    {
        let inexact = numbers::inexact(text);
        if !inexact.is_empty() {
            return Err(Error::violations(inexact));
        }
        *input = object;
    }
    let [schema_parameter, tool_parameter] = VERSION_PARAMETERS;
    let schema_version = one(schema_parameter, schema_version, input)?;
    let tool_version = one(tool_parameter, tool_version, input)?;
    let tool = catalogue.find(name, schema_version.as_deref(), tool_version.as_deref())?;
    Ok(Arc::clone(tool))
}

fn one(parameter: &str, outside: Option<String>, input: &mut Value) -> Result<Option<String>> {
    let inside = match input
        .as_object_mut()
        .and_then(|members| members.remove(parameter))
    {
        None | Some(Value::Null) => None,
        Some(Value::String(version)) => Some(version),
        Some(_) => {
            let violation = Violation::at(&[parameter], "type", "expected a date (YYYY-MM-DD)");
            return Err(Error::violations(vec![violation]));
        }
    };
    match (outside, inside) {
        (Some(outside), Some(inside)) if outside != inside => Err(Error::new(
            crate::ErrorKind::UnsupportedVersion,
            format!(
                "{parameter} is {outside:?} outside the input but {inside:?} in it; give only one"
            ),
        )),
        (outside, inside) => Ok(outside.or(inside)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{ErrorKind, testing::STABLE};

    const NAME: &str = "demo_read_note";

    fn found(schema: Option<&str>, tool: Option<&str>, input: &mut Value) -> Result<&'static str> {
        let catalogue = Catalogue::new([&STABLE]);
        super::tool(
            &catalogue,
            NAME,
            schema.map(str::to_owned),
            tool.map(str::to_owned),
            input,
        )
        .map(|tool| tool.entry().version())
    }

    #[test]
    fn versions_are_read_next_to_the_input_and_taken_out_of_it() {
        let version = found(None, None, &mut json!({})).unwrap();
        for (schema, tool) in [
            (Some(version), None),
            (None, Some(version)),
            (Some(version), Some(version)),
        ] {
            let mut input =
                json!({ "note_id": "a", "schema_version": version, "tool_version": version });
            assert_eq!(found(schema, tool, &mut input).unwrap(), version);
            assert_eq!(input, json!({ "note_id": "a" }));
        }
    }

    #[test]
    fn a_json_text_with_inexact_numbers_is_refused() {
        let mut input = json!("{\"note_id\":\"a\",\"of\":[0.1,12345678901234567890123]}");
        let error = found(None, None, &mut input).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaViolation);
        assert_eq!(error.violation_list()[0].path, "/of/1");
    }

    #[test]
    fn a_version_that_is_null_is_absent() {
        let mut input = json!({ "note_id": "a", "schema_version": null, "tool_version": null });
        found(None, None, &mut input).unwrap();
        assert_eq!(input, json!({ "note_id": "a" }));
    }

    #[test]
    fn an_input_that_is_not_an_object_is_refused_by_the_schema() {
        for mut input in [json!(null), json!([1]), json!("text")] {
            let before = input.clone();
            assert!(found(None, None, &mut input).is_ok());
            assert_eq!(input, before);
        }
    }

    #[test]
    fn a_version_that_is_not_text_is_a_violation_at_its_place() {
        for bad in [json!(20_261_121), json!(["2026-11-21"])] {
            let error = found(None, None, &mut json!({ "tool_version": bad })).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::SchemaViolation);
            assert_eq!(error.violation_list()[0].path, "/tool_version");
        }
    }
}
