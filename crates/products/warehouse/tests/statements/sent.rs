//! Requests of tools.

use std::sync::LazyLock;

use jiff::Timestamp;
use serde_json::Value;
use stead_core::{
    catalogue::Catalogue,
    tool::{Call, Response},
};
use stead_testkit::{Canned, drive};
use stead_warehouse::PRODUCT;
use uuid::Uuid;

pub(crate) static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::new([&PRODUCT]));

/// A statement that a tool sent.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) sql: String,
    pub(crate) body: Value,
}

/// The only request of a tool; `None` if it refuses its input.
pub(crate) fn sent(tool: &str, mut input: Value) -> Option<Sent> {
    let tool = CATALOGUE.find(tool, None, None).expect("a tool");
    tool.schema()
        .expect("a schema")
        .validate(&mut input)
        .expect("an input");
    let parsed = tool.entry().parse(input).expect("what was planned");
    let canned = Canned::new(&PRODUCT, [Response::new(200, http::HeaderMap::new(), "{}")]);
    drive(
        &*parsed,
        &Call::new(Uuid::from_u128(1), Timestamp::UNIX_EPOCH),
        &canned,
    )
    .ok()?;
    let [request] = <[_; 1]>::try_from(canned.requests()).expect("one request");
    let body: Value =
        serde_json::from_slice(request.body.as_ref().expect("a body")).expect("what was planned");
    assert_eq!(
        body.get("parameters"),
        None,
        "the product executes one statement alone"
    );
    Some(Sent {
        sql: body["statement"].as_str().expect("a text").to_owned(),
        body,
    })
}
