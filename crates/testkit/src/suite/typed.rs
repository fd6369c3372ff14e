use std::path::Path;

use serde_json::Value;
use stead_core::{
    schema::{InputSchema, VERSION_PARAMETERS},
    tool::{Tool, ToolEntry},
};

use crate::{differences, fixture};

/// A typed call is a call by name: every input of the fixtures that the schema takes, read into the struct and written
/// again, is the same and passes the schema once more.
///
/// # Panics
/// With every difference.
#[expect(clippy::expect_used, reason = "a suite fails by panicking")]
pub fn typed<T: Tool>(folder: impl AsRef<Path>) {
    let entry = ToolEntry::of::<T>();
    let schema = InputSchema::of(&entry).expect("the struct gives a schema");
    let fixtures = fixture::load(folder.as_ref(), T::NAME).expect("the tool has fixtures");
    let mut compared = 0;
    for fixture in fixtures {
        let mut input = fixture.input.clone();
        if schema.validate(&mut input).is_err() {
            continue;
        }
        if let Some(members) = input.as_object_mut() {
            VERSION_PARAMETERS
                .iter()
                .for_each(|parameter| drop(members.remove(*parameter)));
            // Where the schema takes null for a parameter, it is the same as leaving the parameter out.
            members.retain(|_, value| !value.is_null());
        }
        let tool: T =
            serde_json::from_value(input.clone()).expect("the struct takes what the schema takes");
        let mut written: Value = serde_json::to_value(tool).expect("the struct is written as JSON");
        let found = differences(&input, &written);
        assert!(
            found.is_empty(),
            "{}, {:?}: {}",
            T::NAME,
            fixture.name,
            found.join("\n")
        );
        assert!(
            schema.validate(&mut written).is_ok(),
            "{}, {:?}: the schema refuses {written}",
            T::NAME,
            fixture.name
        );
        compared += 1;
    }
    assert!(
        compared > 0,
        "{} has no fixture that its schema takes",
        T::NAME
    );
}
