//! `otherContacts.search`: searches the people whom the user once wrote to.

use axum::http::Method;
use serde_json::Value;

use super::{caller, mask, search};
use crate::google::{ApiError, ApiMethod, Call, Kind, Parameter, State};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "people.otherContacts.search",
    verb: Method::GET,
    path: "v1/otherContacts:search",
    parameters: &[
        Parameter::one("pageSize", Kind::Int32),
        Parameter::one("query", Kind::Text),
        Parameter::one("readMask", Kind::Text),
    ],
    scopes: &["https://www.googleapis.com/auth/contacts.other.readonly"],
    schema: "SearchResponse",
    run,
};

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let fields = mask::fields(call, "readMask", &mask::OTHER_CONTACT_FIELDS)?;
    let people = caller(state, call)?.other_contacts.clone();
    search::respond(state, call, METHOD.id, &people, &fields)
}
