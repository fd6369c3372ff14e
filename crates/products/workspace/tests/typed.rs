//! A typed call is a call by name.

use stead_testkit::suite::typed;
use stead_workspace::{
    CreateComment, CreateDatabase, CreatePage, FetchDatabase, GetComment, InsertDatabaseRow,
    ListComments, QueryDatabase, QueryDatabaseProperties, Search,
};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

#[test]
fn the_structs_are_what_the_schemas_say() {
    typed::<CreateComment>(FIXTURES);
    typed::<CreateDatabase>(FIXTURES);
    typed::<CreatePage>(FIXTURES);
    typed::<FetchDatabase>(FIXTURES);
    typed::<GetComment>(FIXTURES);
    typed::<InsertDatabaseRow>(FIXTURES);
    typed::<ListComments>(FIXTURES);
    typed::<QueryDatabase>(FIXTURES);
    typed::<QueryDatabaseProperties>(FIXTURES);
    typed::<Search>(FIXTURES);
}
