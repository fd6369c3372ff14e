//! The methods of the API, one per file.

mod append_children;
mod create_comment;
mod create_database;
mod create_page;
mod get_block;
mod get_comment;
mod get_data_source;
mod get_database;
mod get_me;
mod get_page;
mod list_children;
mod list_comments;
mod list_users;
mod query;
mod search;

use super::method::Method;

/// What the API can do.
pub(crate) static METHODS: &[&Method] = &[
    &get_me::METHOD,
    &list_users::METHOD,
    &search::METHOD,
    &get_page::METHOD,
    &create_page::METHOD,
    &get_database::METHOD,
    &create_database::METHOD,
    &query::OF_DATABASE,
    &query::OF_DATA_SOURCE,
    &get_data_source::METHOD,
    &get_block::METHOD,
    &list_children::METHOD,
    &append_children::METHOD,
    &list_comments::METHOD,
    &get_comment::METHOD,
    &create_comment::METHOD,
];
