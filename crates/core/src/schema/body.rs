//! Bodies of requests, read like a tool's input: coerced, and checked by the schema of their type.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    normalize::{Nulls, normalize},
    validator::Validator,
};
use crate::{
    Error, ErrorKind, Result,
    error::{Violation, Violations},
    tool::schema_of,
};

/// Reads a body with near-misses. It's slower than reading directly, because it builds the schema first, so use it only
/// if that fails.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] with all violations, in plain words.
pub fn read_body<T: JsonSchema + DeserializeOwned>(mut body: Value) -> Result<T> {
    let mut schema = schema_of::<T>().to_value();
    normalize(&mut schema, Nulls::WhereMarked);
    let validator = Validator::new(schema).map_err(|error| {
        Error::new(
            ErrorKind::Internal,
            format!("the schema isn't valid: {error}"),
        )
    })?;
    let mut violations = Violations::default();
    violations.extend(validator.check(&mut body));
    if !violations.is_empty() {
        return Err(Error::invalid(violations.into_list()));
    }
    serde_json::from_value(body).map_err(|_| {
        let message = "it has a value that isn't supported, such as a number that is too large";
        Error::invalid(vec![Violation::new("", "format", message)])
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::resource::{ExecuteRequest, NewAuthorizationLink, NewConnection};

    fn refused<T: JsonSchema + DeserializeOwned>(body: Value) -> Vec<String> {
        let error = read_body::<T>(body).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        let violations = error.violation_list().iter();
        let mut told: Vec<_> = violations
            .map(|one| format!("{} {}: {}", one.path, one.keyword, one.message))
            .collect();
        told.sort();
        told
    }

    #[test]
    fn every_fault_of_a_body_is_reported_in_plain_words() {
        assert_eq!(
            refused::<ExecuteRequest>(json!({ "connectionName": "mail", "dry_run": [] })),
            [
                "/connectionName additionalProperties: \"connectionName\" isn't known; did you mean connection_name? \
                 Expected one of: connection_name, dry_run, fields, identifier, input, \
                 max_bytes, schema_version, tool_version, view",
                "/connection_name required: \"connection_name\" is required",
                "/dry_run type: expected boolean, found array",
                "/identifier required: \"identifier\" is required",
            ]
        );
        assert_eq!(
            refused::<ExecuteRequest>(json!([1])),
            [" type: expected object, found array"]
        );
        let secret =
            json!({ "connection_name": "a", "product": "mail", "client_secret": ["CANARY"] });
        let told = refused::<NewConnection>(secret);
        assert_eq!(told, ["/client_secret type: expected string, found array"]);
        let endless =
            json!({ "connection_name": "a", "identifier": "b", "expires_in": 5_000_000_000_u64 });
        let told = refused::<NewAuthorizationLink>(endless);
        assert!(told[0].starts_with(" format: "), "{told:?}");
    }

    #[test]
    fn near_misses_in_a_body_are_accepted() {
        let body = json!({
            "connection_name": "mail", "identifier": 42, "dry_run": "true", "tool_version": null, "input": { "a": null },
        });
        let request: ExecuteRequest = read_body(body).unwrap();
        assert_eq!((request.identifier.as_str(), request.dry_run), ("42", true));
        assert_eq!(request.tool_version, None);
        assert_eq!(request.input, json!({ "a": null }));
    }
}
