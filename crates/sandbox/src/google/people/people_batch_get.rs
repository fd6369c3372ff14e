//! `people.getBatchGet`: several people at once.

use axum::http::Method;
use serde_json::{Value, json};

use super::{SOURCES, get, mask};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "people.people.getBatchGet",
    verb: Method::GET,
    path: "v1/people:batchGet",
    parameters: &[
        Parameter::one("personFields", Kind::Text),
        Parameter::one("requestMask.includeField", Kind::Text),
        Parameter::many("resourceNames", Kind::Text),
        Parameter::many("sources", Kind::OneOf(SOURCES)),
    ],
    scopes: get::SCOPES,
    schema: "GetPeopleResponse",
    run,
};

/// People at most (people.getBatchGet, `resourceNames`).
const MAX_PEOPLE: usize = 200;

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let fields = mask::either(call)?;
    let names: Vec<&str> = call.query.all("resourceNames").collect();
    if names.is_empty() || names.len() > MAX_PEOPLE {
        return Err(ApiError::invalid(format!(
            "resourceNames must name 1 to {MAX_PEOPLE} people."
        )));
    }
    let mut responses = Vec::new();
    for name in names {
        let found = get::find(state, call, name, &fields)?;
        responses.push(match found {
            Some(person) => json!({
                "httpStatusCode": 200,
                "person": person,
                "requestedResourceName": name,
                "status": {},
            }),
            None => json!({
                "httpStatusCode": 404,
                "requestedResourceName": name,
                "status": {"code": 5, "message": "Requested entity was not found."},
            }),
        });
    }
    Ok(json!({"responses": responses}))
}
