//! The methods of the API.

mod blocks;
mod databases;
mod others;

use super::{
    method::Capability::{InsertComments, InsertContent, ReadComments, ReadContent, ReadUsers},
    method::Method,
    method::Version,
};

/// The methods that the sandbox plays.
pub(crate) static METHODS: [Method; 16] = [
    Method::new("GET", "/v1/users/me", None, &[], others::me),
    Method::new(
        "GET",
        "/v1/users",
        Some(ReadUsers),
        PAGED,
        others::list_users,
    ),
    Method::new("POST", "/v1/search", Some(ReadContent), &[], others::search),
    Method::new(
        "GET",
        "/v1/pages/{page_id}",
        Some(ReadContent),
        FILTERED,
        databases::get_page,
    ),
    Method::new(
        "POST",
        "/v1/pages",
        Some(InsertContent),
        &[],
        databases::create_page,
    ),
    Method::new(
        "GET",
        "/v1/databases/{database_id}",
        Some(ReadContent),
        &[],
        databases::get,
    ),
    Method::new(
        "POST",
        "/v1/databases",
        Some(InsertContent),
        &[],
        databases::create,
    ),
    Method::new(
        "POST",
        "/v1/databases/{database_id}/query",
        Some(ReadContent),
        FILTERED,
        databases::query_database,
    )
    .until(Version::Databases),
    Method::new(
        "POST",
        "/v1/data_sources/{data_source_id}/query",
        Some(ReadContent),
        FILTERED,
        databases::query_source,
    )
    .since(Version::DataSources),
    Method::new(
        "GET",
        "/v1/data_sources/{data_source_id}",
        Some(ReadContent),
        &[],
        databases::get_source,
    )
    .since(Version::DataSources),
    Method::new(
        "GET",
        "/v1/blocks/{block_id}",
        Some(ReadContent),
        &[],
        blocks::get,
    ),
    Method::new(
        "GET",
        "/v1/blocks/{block_id}/children",
        Some(ReadContent),
        PAGED,
        blocks::list,
    ),
    Method::new(
        "PATCH",
        "/v1/blocks/{block_id}/children",
        Some(InsertContent),
        &[],
        blocks::append,
    ),
    Method::new(
        "GET",
        "/v1/comments",
        Some(ReadComments),
        &["block_id", "page_size", "start_cursor"],
        others::list,
    ),
    Method::new(
        "GET",
        "/v1/comments/{comment_id}",
        Some(ReadComments),
        &[],
        others::get,
    ),
    Method::new(
        "POST",
        "/v1/comments",
        Some(InsertComments),
        &[],
        others::create,
    ),
];

/// Methods that Notion has and the sandbox doesn't play (Notion's own OpenAPI description).
pub(crate) const NOT_PLAYED: &str = "\
GET /v1/users/{user_id}
PATCH /v1/pages/{page_id}
POST /v1/pages/{page_id}/move
GET /v1/pages/{page_id}/properties/{property_id}
GET /v1/pages/{page_id}/markdown
PATCH /v1/pages/{page_id}/markdown
PATCH /v1/blocks/{block_id}
DELETE /v1/blocks/{block_id}
PATCH /v1/data_sources/{data_source_id}
POST /v1/data_sources
GET /v1/data_sources/{data_source_id}/templates
PATCH /v1/databases/{database_id}
POST /v1/file_uploads
GET /v1/file_uploads
POST /v1/file_uploads/{file_upload_id}/send
POST /v1/file_uploads/{file_upload_id}/complete
GET /v1/file_uploads/{file_upload_id}";

const PAGED: &[&str] = &["page_size", "start_cursor"];
const FILTERED: &[&str] = &["filter_properties"];
