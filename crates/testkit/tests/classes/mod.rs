//! Right and wrong classifications of requests by a product.

use stead_core::{
    product::{Classification, FactKind, Guard, GuardedRequest, Product},
    tool::Effect,
};

use super::{GOOD, LEAKY, finds};

/// A product of which every request is known.
pub(super) const NOTES: Product = Product {
    classify: |_| Some(Classification::default()),
    ..Product::BASE
};

static DELETES: Product = Product {
    name: "good",
    origins: GOOD.origins,
    tools: GOOD.tools,
    classify: |_| Some(Classification::default().effect(Effect::Delete)),
    fact_kinds: &[
        FactKind {
            name: "a note",
            description: "Its name is two words.",
        },
        FactKind {
            name: "note",
            description: "Short",
        },
    ],
    ..Product::BASE
};

static GUARDED: Product = Product {
    name: "good",
    origins: GOOD.origins,
    tools: GOOD.tools,
    guards: &[
        Guard::new("Two words", "Deletes all notes.", ONE),
        Guard::new("twice", "Deletes all notes.", ONE),
        Guard::new("twice", "Deletes all notes.", ONE),
        Guard::new("no_sentence", "deletes all notes", ONE),
        Guard::new("no_requests", "Deletes all notes.", &[]),
        Guard::new("good", "Deletes all notes.", ONE),
    ],
    ..Product::BASE
};

const ONE: &[GuardedRequest] = &[GuardedRequest::new("DELETE", "/v1/notes")];

static UNDECLARED: Product = Product {
    name: "good",
    origins: GOOD.origins,
    tools: GOOD.tools,
    classify: |request| {
        assert!(request.path.is_ascii(), "a path that it cannot read");
        Some(Classification::default().fact("note", "n1"))
    },
    ..Product::BASE
};

#[test]
fn classes() {
    let check = "requests_are_classified";
    finds(&LEAKY, check, &["is not known"]);
    finds(&DELETES, check, &["is a delete, and the tool says read"]);
    finds(&UNDECLARED, check, &["a fact of the kind \"note\""]);
    let words = ["\"a note\"", "\"Short\""];
    finds(&DELETES, "fact_kinds_are_words", &words);
    let guards = ["Two words", "twice", "no_sentence", "no_requests"];
    finds(&GUARDED, "guards_are_described", &guards);
    let panics = ["a path that it cannot read"];
    finds(&UNDECLARED, "classifying_never_panics", &panics);
}
