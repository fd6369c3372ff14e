//! People API v1, reading.

mod connections_list;
mod mask;
mod person;
mod search;
mod search_contacts;
mod search_other_contacts;

use crate::google::{Api, ApiError, Call, State, errors::ErrorShape, world::User};

/// `https://people.googleapis.com`.
pub(crate) static PEOPLE_API: Api = Api {
    service: "people.googleapis.com",
    errors: ErrorShape::Status,
    methods: &[
        &connections_list::METHOD,
        &search_contacts::METHOD,
        &search_other_contacts::METHOD,
    ],
    downloads: &[],
    uploads: &[],
    batch_paths: &["/batch"],
};

/// Scopes that reach the contacts.
const CONTACTS: &[&str] = &[
    "https://www.googleapis.com/auth/contacts",
    "https://www.googleapis.com/auth/contacts.readonly",
];

/// Values of `sources`.
const SOURCES: &[&str] = &[
    "READ_SOURCE_TYPE_UNSPECIFIED",
    "READ_SOURCE_TYPE_PROFILE",
    "READ_SOURCE_TYPE_CONTACT",
    "READ_SOURCE_TYPE_DOMAIN_CONTACT",
    "READ_SOURCE_TYPE_OTHER_CONTACT",
];

fn caller<'state>(state: &'state State, call: &Call) -> Result<&'state User, ApiError> {
    state.world.user(&call.user).ok_or_else(ApiError::not_found)
}
