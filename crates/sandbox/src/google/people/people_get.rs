//! `people.get`: one person: a contact, or the user.

use axum::http::Method;
use serde_json::Value;

use super::{SOURCES, get, mask};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "people.people.get",
    verb: Method::GET,
    path: "v1/people/{peopleId}",
    parameters: &[
        Parameter::one("personFields", Kind::Text),
        Parameter::one("requestMask.includeField", Kind::Text),
        Parameter::many("sources", Kind::OneOf(SOURCES)),
    ],
    scopes: get::SCOPES,
    schema: "Person",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let fields = mask::either(call)?;
    let name = format!("people/{}", call.variable(0));
    get::find(state, call, &name, &fields)?.ok_or_else(ApiError::not_found)
}
