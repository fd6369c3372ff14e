//! A typed call is a call by name.

use stead_drive::{GetFileMetadata, SearchContent, SearchFiles};
use stead_testkit::suite::typed;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

#[test]
fn the_structs_are_what_the_schemas_say() {
    typed::<GetFileMetadata>(FIXTURES);
    typed::<SearchContent>(FIXTURES);
    typed::<SearchFiles>(FIXTURES);
}
