use serde_json::Value;

use crate::{
    Error, Result,
    catalogue::{Catalogue, CatalogueTool},
    error::Violation,
    schema::VERSION_PARAMETERS,
};

/// The tool and version asked for, beside the input or in it. Takes the version parameters out of the input.
pub(super) fn tool<'a>(
    catalogue: &'a Catalogue,
    name: &str,
    schema_version: Option<String>,
    tool_version: Option<String>,
    input: &mut Value,
) -> Result<&'a CatalogueTool> {
    let [schema_parameter, tool_parameter] = VERSION_PARAMETERS;
    let schema_version = one(schema_parameter, schema_version, input)?;
    let tool_version = one(tool_parameter, tool_version, input)?;
    catalogue.find(name, schema_version.as_deref(), tool_version.as_deref())
}

fn one(parameter: &str, beside: Option<String>, input: &mut Value) -> Result<Option<String>> {
    let inside = match input.as_object_mut().and_then(|members| members.remove(parameter)) {
        None => None,
        Some(Value::String(version)) => Some(version),
        Some(_) => {
            let violation = Violation::new(format!("/{parameter}"), "type", "string is wanted: a date (YYYY-MM-DD)");
            return Err(Error::violations(vec![violation]));
        }
    };
    match (beside, inside) {
        (Some(beside), Some(inside)) if beside != inside => Err(Error::new(
            crate::ErrorKind::UnsupportedVersion,
            format!("{parameter} is {beside:?} beside the input and {inside:?} in it"),
        )),
        (beside, inside) => Ok(beside.or(inside)),
    }
}
