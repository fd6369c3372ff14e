//! People API v1: contacts and searches.

mod reading;

use crate::google::{Api, ApiError, Call, State, errors::ErrorShape, world::User};

/// `https://people.googleapis.com`.
pub(crate) static PEOPLE_API: Api = Api {
    name: "people",
    service: "people.googleapis.com",
    errors: ErrorShape::Status,
    refuses_read_only: None,
    plays: &[
        ("people.connections.list", reading::connections),
        ("people.searchContacts", reading::search_contacts),
        ("otherContacts.search", reading::search_others),
    ],
    collections: &[],
    downloads: &[],
    uploads: (0, ""),
    batch_paths: &["/batch"],
};

fn caller<'state>(state: &'state State, call: &Call) -> Result<&'state User, ApiError> {
    state.world.user(&call.user).ok_or_else(ApiError::not_found)
}
