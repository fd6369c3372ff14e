//! A typed call is a call by name.

use stead_calendar::{
    CreateEvent, DeleteEvent, GetEventById, ListCalendars, ListEvents, UpdateEvent,
};
use stead_testkit::suite::typed;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

#[test]
fn the_structs_are_what_the_schemas_say() {
    typed::<CreateEvent>(FIXTURES);
    typed::<DeleteEvent>(FIXTURES);
    typed::<GetEventById>(FIXTURES);
    typed::<ListCalendars>(FIXTURES);
    typed::<ListEvents>(FIXTURES);
    typed::<UpdateEvent>(FIXTURES);
}
