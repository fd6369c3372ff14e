//! The checks of readable views, run on a product whose views lose texts.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    Result,
    product::{Origin, Product},
    tool::{
        ApiRequest, Call, Effect, Io, Output, Readable, ReadableView, Tool, ToolEntry, Whole,
        items_of, text_of,
    },
};
use stead_testkit::suite::{self, Subject};

/// Shows the title and the first author, and says that something is cut only of notes that are called so.
#[derive(Serialize, JsonSchema)]
struct Short {
    title: Option<String>,
    size: Option<u64>,
    authors: Vec<Value>,
    #[serde(skip)]
    is_cut: bool,
}

impl Readable for Short {
    const UNTRUSTED: &'static [&'static str] = &[];
    fn of(result: Value) -> Self {
        let is_cut = result["title"] == "Cut";
        let author = |author: &Value| json!({ "name": author["name"], "truncated": is_cut });
        Self {
            title: text_of(&result["title"]),
            size: result["size"].as_u64(),
            authors: items_of(&result["authors"])
                .iter()
                .take(1)
                .map(author)
                .collect(),
            is_cut,
        }
    }
    fn wholes(&self) -> Vec<Whole> {
        let whole = |pointer: &str| Whole::text("", pointer, 7);
        let wholes = ["/text", "/kind", "/authors/1"].map(whole);
        wholes.into_iter().filter(|_| self.is_cut).collect()
    }
}

/// Shows nothing of the result.
#[derive(Serialize, JsonSchema)]
struct Nothing {
    done: String,
}

impl Readable for Nothing {
    const UNTRUSTED: &'static [&'static str] = &[];
    fn of(_: Value) -> Self {
        let done = String::from("yes");
        Self { done }
    }
}

macro_rules! tools {
    ($($tool:ident, $name:literal, $view:ty;)+) => { $(
        /// Reads something.
        #[derive(Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct $tool {}

        impl Tool for $tool {
            const NAME: &'static str = $name;
            const EFFECT: Effect = Effect::Read;
            type Output = Value;
            const READABLE: Option<ReadableView> = ReadableView::some::<$view>();
            async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
                Ok(io.send(ApiRequest::get(["note"])).await?.into())
            }
        }
    )+ };
}
tools! {
    ReadNote, "lossy_read_note", Short;
    HideNote, "lossy_hide_note", Nothing;
}

static LOSSY: Product = Product {
    name: "lossy",
    origins: &[Origin {
        name: "notes",
        url: "https://notes.example",
        base: "/v1",
    }],
    tools: &[ToolEntry::of::<ReadNote>(), ToolEntry::of::<HideNote>()],
    ..Product::BASE
};

fn faults(check: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/planted/lossy");
    let subject = Subject::new(&LOSSY, Path::new(folder));
    let mut checks = suite::checks().into_iter();
    let check = checks
        .find(|one| one.name == check)
        .expect("a check of this name");
    check.run(&subject)
}

#[test]
fn losses_of_a_view_are_found() {
    let name = "a note that loses its text and an author";
    assert_eq!(
        faults("readable_views_lose_nothing_silently"),
        [
            format!("lossy_read_note: the view loses authors[].name (\"Grace\", {name:?})"),
            String::from(
                "lossy_read_note: the view loses kind (\"alarm\", \"a note of another kind\")"
            ),
            format!("lossy_read_note: the view loses text (\"Buy two bottles\", {name:?})"),
            String::from("lossy_read_note: view_leaves_out names title, and no view leaves it out"),
        ]
    );
}

#[test]
fn a_view_that_hides_every_cut_is_found() {
    let faults = faults("cuts_in_readable_views_are_found");
    assert_eq!(
        faults,
        [
            "lossy_hide_note: of its texts 0 are missed when they are taken out, and 0 when they are cut"
        ]
    );
}
