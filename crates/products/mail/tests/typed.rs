//! A typed call is a call by name.

use stead_mail::{
    FetchMails, GetAttachmentById, GetContacts, GetMessageById, GetThreadById, ListDrafts,
    ListThreads, SearchPeople,
};
use stead_testkit::suite::typed;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

#[test]
fn the_structs_are_what_the_schemas_say() {
    typed::<FetchMails>(FIXTURES);
    typed::<GetAttachmentById>(FIXTURES);
    typed::<GetContacts>(FIXTURES);
    typed::<GetMessageById>(FIXTURES);
    typed::<GetThreadById>(FIXTURES);
    typed::<ListDrafts>(FIXTURES);
    typed::<ListThreads>(FIXTURES);
    typed::<SearchPeople>(FIXTURES);
}
