//! The body of a request to execute SQL, member by member (`sqlapi.yaml`).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::warehouse::{
    errors::{ApiError, SqlError},
    sql::{BoundValue, bind},
};

/// Session parameters that a request may set, in any case.
const PARAMETERS: [&str; 14] = [
    "binary_output_format",
    "client_result_chunk_size",
    "date_output_format",
    "multi_statement_count",
    "query_tag",
    "rows_per_resultset",
    "time_output_format",
    "timestamp_ltz_output_format",
    "timestamp_ntz_output_format",
    "timestamp_output_format",
    "timestamp_tz_output_format",
    "timezone",
    "use_cached_result",
    "week_start",
];

/// What a client asks for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    pub(super) statement: String,
    /// Seconds; 0 means the maximum.
    pub(super) timeout: Option<u64>,
    pub(super) database: Option<String>,
    pub(super) schema: Option<String>,
    pub(super) warehouse: Option<String>,
    pub(super) role: Option<String>,
    bindings: Option<BTreeMap<String, Binding>>,
    parameters: Option<BTreeMap<String, Value>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Binding {
    #[serde(rename = "type")]
    kind: String,
    /// Always a text, or null.
    value: Option<String>,
    #[expect(
        dead_code,
        reason = "the format of a value is known to the product, and is ignored here"
    )]
    fmt: Option<String>,
}

impl Body {
    /// Reads a body.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ApiError> {
        let body: Self =
            serde_json::from_slice(bytes).map_err(|error| ApiError::payload(&error.to_string()))?;
        for (name, value) in body.parameters.iter().flatten() {
            if !PARAMETERS.contains(&name.to_ascii_lowercase().as_str()) {
                return Err(ApiError::payload(&format!("Unknown parameter {name}.")));
            }
            if value.is_object() || value.is_array() || value.is_null() {
                return Err(ApiError::payload(&format!(
                    "Invalid value of the parameter {name}."
                )));
            }
        }
        for (name, binding) in body.bindings.iter().flatten() {
            let in_order = name.parse::<usize>().is_ok_and(|number| {
                (1..=body.bindings.as_ref().map_or(0, BTreeMap::len)).contains(&number)
            });
            if !in_order || bind(&binding.kind, None).is_none() {
                return Err(ApiError::payload(&format!("Invalid binding {name}.")));
            }
        }
        Ok(body)
    }

    /// The bind variables in their order.
    pub(super) fn bound_values(&self) -> Result<Vec<BoundValue>, SqlError> {
        let bindings = self.bindings.iter().flatten();
        let mut numbered: Vec<(usize, &Binding)> = bindings
            .map(|(name, binding)| (name.parse().unwrap_or_default(), binding))
            .collect();
        numbered.sort_by_key(|(number, _)| *number);
        let read = numbered
            .into_iter()
            .filter_map(|(_, binding)| bind(&binding.kind, binding.value.as_deref()));
        read.collect()
    }

    /// How many statements the client counts; none means any number.
    pub(super) fn count(&self) -> Result<Option<usize>, ApiError> {
        match self.parameter("multi_statement_count") {
            None => Ok(Some(1)),
            Some(text) => match text.parse() {
                Ok(0) => Ok(None),
                Ok(count) => Ok(Some(count)),
                Err(_) => Err(ApiError::payload(
                    "MULTI_STATEMENT_COUNT is a number that is not negative.",
                )),
            },
        }
    }

    /// How many rows a result has at most.
    pub(super) fn most_rows(&self) -> Option<usize> {
        self.parameter("rows_per_resultset")?
            .parse()
            .ok()
            .filter(|most| *most > 0)
    }

    fn parameter(&self, wanted: &str) -> Option<String> {
        let mut parameters = self.parameters.iter().flatten();
        let (_, value) = parameters.find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
        Some(
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        )
    }
}
