//! The checks of outputs, run on a product whose outputs have every fault.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stead_core::{
    Result,
    product::{Origin, Product},
    tool::{ApiRequest, Call, Effect, Io, Output, Tool, ToolEntry},
};
use stead_testkit::suite::{self, Subject};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Note {
    /// Id of the note, without which there is none.
    id: String,
    title: Option<String>,
    /// Written under another name by the product.
    #[serde(rename = "txt")]
    text: Option<String>,
    /// Read, and not written again.
    #[serde(skip_serializing)]
    #[expect(dead_code, reason = "that it is lost is the fault")]
    lines: Option<u32>,
    /// Read as something else than it is.
    #[serde(default, deserialize_with = "length", serialize_with = "plain")]
    #[schemars(with = "Option<String>")]
    size: usize,
    /// Those who wrote it.
    #[serde(default)]
    authors: Vec<Author>,
    /// What no vendor takes.
    pair: Option<(u8, u8)>,
}

/// Who wrote a note.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Author {
    /// Name of the author.
    name: String,
}

fn length<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<usize, D::Error> {
    String::deserialize(from).map(|text| text.len())
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde takes"
)]
fn plain<S: Serializer>(size: &usize, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_str(size)
}

macro_rules! tools {
    ($($tool:ident, $name:literal, $output:ty;)+) => { $(
        /// Reads something.
        #[derive(Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct $tool {}

        impl Tool for $tool {
            const NAME: &'static str = $name;
            const EFFECT: Effect = Effect::Read;
            type Output = $output;
            async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
                Ok(io.send(ApiRequest::get(["note"])).await?.into())
            }
        }
    )+ };
}
tools! {
    ReadNote, "vague_read_note", Note;
    ListTags, "vague_list_tags", Vec<String>;
}

static VAGUE: Product = Product {
    name: "vague",
    origins: &[Origin {
        name: "notes",
        url: "https://notes.example",
        base: "/v1",
    }],
    tools: &[ToolEntry::of::<ListTags>(), ToolEntry::of::<ReadNote>()],
    ..Product::BASE
};

/// Asserts that a check finds these faults and no others.
#[track_caller]
fn finds(check: &str, faults: &[&str]) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/planted/vague");
    let subject = Subject::new(&VAGUE, Path::new(folder));
    let mut checks = suite::checks().into_iter();
    let check = checks
        .find(|one| one.name == check)
        .expect("a check of this name");
    let found = check.run(&subject);
    for fault in faults {
        let is_found = found.iter().any(|one| one.contains(fault));
        assert!(is_found, "{fault:?} is not among:\n{}", found.join("\n"));
    }
    assert_eq!(found.len(), faults.len(), "{}", found.join("\n"));
}

#[test]
fn an_output_that_some_clients_reject_is_found() {
    finds(
        "outputs_are_portable",
        &[
            "vague_list_tags, output: a result is an object",
            "vague_read_note, output/title: has no description",
            "vague_read_note, output/lines: \"writeOnly\" is not portable",
            "vague_read_note, output/pair: \"prefixItems\" is not portable",
            "vague_read_note, output/pair: an array says what its items are",
        ],
    );
}

#[test]
fn a_result_that_does_not_fit_its_output_is_found() {
    finds(
        "results_match_their_outputs",
        &[
            "vague_read_note, \"a note\": /lines: lost in the output's struct",
            "vague_read_note, \"a note\": /size: changed in the output's struct",
            "vague_read_note, \"a note without its id\": the output's schema refuses : \"id\" is a required property",
            "vague_read_note, \"a note without its id\": the output's struct refuses it: missing field `id`",
            "vague_read_note, \"an author with an address\": the output's schema refuses /authors/0",
            "vague_read_note, \"an author with an address\": the output's struct refuses it: unknown field `email`",
        ],
    );
}

#[test]
fn a_member_that_no_result_has_is_found() {
    finds(
        "members_of_outputs_are_seen",
        &[
            "vague_read_note: no case has /pair in its result",
            "vague_read_note: no case has /txt in its result",
        ],
    );
}
