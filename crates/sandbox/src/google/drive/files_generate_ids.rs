//! `files.generateIds`: ids for files that are not made yet, so that a create can be repeated.

use axum::http::Method;
use serde_json::{Value, json};

use super::write;
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "drive.files.generateIds",
    verb: Method::GET,
    path: "drive/v3/files/generateIds",
    parameters: &[
        Parameter::one("count", Kind::Int32),
        Parameter::one("space", Kind::Text),
        Parameter::one("type", Kind::Text),
    ],
    scopes: super::WRITE_SCOPES,
    schema: "GeneratedIds",
    run,
};

/// Ids when nothing is said.
const DEFAULT_COUNT: i64 = 10;
/// Ids at most.
const MAX_COUNT: i64 = 1000;

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    for (name, only) in [("space", "drive"), ("type", "files")] {
        match call.text(name) {
            Some("appDataFolder" | "shortcuts") => {
                return Err(ApiError::unimplemented(format!(
                    "The sandbox supports only the {name} {only}."
                )));
            }
            Some(other) if other != only => return Err(ApiError::invalid_value(name)),
            _ => {}
        }
    }
    let count = call.number("count").unwrap_or(DEFAULT_COUNT);
    if !(1..=MAX_COUNT).contains(&count) {
        return Err(ApiError::invalid_value("count"));
    }
    let ids: Vec<String> = (0..count).map(|_| write::fresh_id(state)).collect();
    state.world.files.generated_ids.extend(ids.iter().cloned());
    Ok(json!({"kind": "drive#generatedIds", "space": "drive", "ids": ids}))
}
