//! `people.searchContacts`: searches the user's contacts.

use axum::http::Method;
use serde_json::Value;

use super::{CONTACTS, SOURCES, caller, mask, search};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "people.people.searchContacts",
    verb: Method::GET,
    path: "v1/people:searchContacts",
    parameters: &[
        Parameter::one("pageSize", Kind::Int32),
        Parameter::one("query", Kind::Text),
        Parameter::one("readMask", Kind::Text),
        Parameter::many("sources", Kind::OneOf(SOURCES)),
    ],
    scopes: CONTACTS,
    schema: "SearchResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let fields = mask::fields(call, "readMask", &mask::PERSON_FIELDS)?;
    let people = caller(state, call)?.contacts.clone();
    search::respond(state, call, METHOD.id, &people, &fields)
}
