//! "List all users": the people of the workspace, in pages.

use serde_json::Value;

use crate::{
    users,
    workspace::{ALL, ApiError, Call, Capability, Method, State, paging::PageRange, shapes},
};

pub(super) static METHOD: Method = Method {
    verb: "GET",
    path: "/v1/users",
    versions: ALL,
    needs: Some(Capability::ReadUsers),
    query: &["page_size", "start_cursor"],
    run,
};

fn run(_: &mut State, call: &Call) -> Result<Value, ApiError> {
    let people = users::all().iter();
    let items = people.map(|user| (shapes::person_id(user.email), shapes::person(user)));
    PageRange::of_query(&call.query)?.of(items.collect(), "user")
}
