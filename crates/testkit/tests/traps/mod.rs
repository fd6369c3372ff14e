//! Tools that change something: one whose fixture covers its traps, and others whose fixtures
//! don't.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stead_core::{
    Result,
    product::{Classification, FactKind, Product},
    tool::{ApiRequest, Call, Effect, Io, Output, RequiredScopes, Tool, ToolEntry},
};

use super::{GOOD, Note, finds};

/// Write one note.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WriteNote {
    /// Text of the note.
    text: String,
}

impl Tool for WriteNote {
    const NAME: &'static str = "good_write_note";
    const EFFECT: Effect = Effect::Write;
    const SCOPES: RequiredScopes = RequiredScopes(&["notes"]);
    type Output = Note;
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::post(["notes"]).json(&self.text);
        Ok(io.send(request).await?.into())
    }
}

/// Changes something, and reads first.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Change {}

impl Tool for Change {
    const NAME: &'static str = "careless_change";
    const EFFECT: Effect = Effect::Write;
    type Output = Value;
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        io.send(ApiRequest::get(["notes"])).await?;
        let written = ApiRequest::post(["notes"]).json(&"ada");
        Ok(io.send(written).await?.into())
    }
}

/// Changes something, and shows nothing of it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Forget {}

impl Tool for Forget {
    const NAME: &'static str = "careless_forget";
    const EFFECT: Effect = Effect::Delete;
    type Output = Value;
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        Ok(io.send(ApiRequest::delete(["notes"])).await?.into())
    }
}

static CARELESS: Product = Product {
    name: "careless",
    origins: GOOD.origins,
    read_error: GOOD.read_error,
    tools: &[ToolEntry::of::<Change>(), ToolEntry::of::<Forget>()],
    classify: |_| {
        Some(
            Classification::default()
                .fact("person", "ada")
                .unknown("folder"),
        )
    },
    fact_kinds: &[FactKind {
        name: "person",
        description: "Whom the note is about.",
    }],
    ..Product::BASE
};

#[test]
fn traps() {
    finds(
        &CARELESS,
        "traps_have_cases",
        &[
            "careless_change: no case shows the trap \"lost\"",
            "careless_change: nothing explains the trap \"short\"",
            "careless_change, \"a change\": \"unnamed\" isn't among the traps",
            "careless_forget: changes something and names no traps",
            "careless_forget: no case says whether Stead resends it",
            "careless_forget: no case says what policies know of it",
        ],
    );
    finds(
        &CARELESS,
        "cases_say_what_is_resent",
        &[
            "careless_change, \"a change\": resend: Harmless, found Never",
            "careless_change, \"no change\": says whether Stead resends it, and writes nothing",
        ],
    );
    finds(
        &CARELESS,
        "cases_say_what_policies_know",
        &[
            "\"a change\": facts: {\"person\":[\"grace\"]}, found {\"folder\":[null],\"person\":[\"ada\"]}",
        ],
    );
}
