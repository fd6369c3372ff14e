//! Several versions of one tool side by side.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    Result,
    catalogue::Catalogue,
    product::Product,
    tool::{Call, Effect, Io, Output, Tool, ToolEntry},
};

use crate::stage::{ADA, Setting, Stage};

macro_rules! version {
    ($name:ident, $version:literal) => {
        /// Says which version ran.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct $name {}

        impl Tool for $name {
            const NAME: &'static str = "mail_tell_version";
            const VERSION: &'static str = $version;
            const EFFECT: Effect = Effect::Read;
            type Output = Value;
            async fn run(&self, _: &Call, _: Io<'_>) -> Result<Output> {
                Ok(json!({ "ran": $version }).into())
            }
        }
    };
}
version!(Older, "2026-01-01");
version!(Newer, "2026-02-02");

static TOOLS: &[ToolEntry] = &[ToolEntry::of::<Newer>(), ToolEntry::of::<Older>()];
static PRODUCT: Product = Product {
    tools: TOOLS,
    origins: stead::mail::PRODUCT.origins,
    oauth: stead::mail::PRODUCT.oauth,
    name: "mail",
    title: "Mail",
    ..Product::BASE
};

#[tokio::test]
async fn each_version_can_be_asked_for_and_the_newest_is_the_default() {
    let catalogue = Some(Catalogue::new([&PRODUCT]));
    let stage = Stage::set(Setting {
        catalogue,
        ..Setting::default()
    })
    .await;
    stage.connect("user-1", ADA).await;
    let run = async |input: Value, besides: Value| {
        let mut body = json!({ "connection_name": "mail", "identifier": "user-1", "input": input });
        body.as_object_mut()
            .unwrap()
            .extend(besides.as_object().unwrap().clone());
        stage
            .post("/v1/tools/mail_tell_version/execute", &body)
            .await
    };
    let ran = |reply: &crate::http_client::Reply| {
        reply.json()["data"]["ran"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };

    assert_eq!(ran(&run(json!({}), json!({})).await), "2026-02-02");
    for version in ["2026-01-01", "2026-02-02"] {
        for name in ["schema_version", "tool_version"] {
            let inside = run(json!({ name: version }), json!({})).await;
            assert_eq!(ran(&inside), version, "{}", inside.text());
            let besides = run(json!({}), json!({ name: version })).await;
            assert_eq!(ran(&besides), version);
            for returned in ["schema_version", "tool_version"] {
                assert_eq!(besides.json()[returned], version);
            }
        }
    }
    let text = format!(" {} ", json!({ "tool_version": "2026-01-01" }));
    assert_eq!(ran(&run(json!(text), json!({})).await), "2026-01-01");
    let unknown = run(json!({ "tool_version": "2020-01-01" }), json!({})).await;
    assert_eq!(unknown.kind(), "unsupported_version");
    assert!(
        unknown.json()["detail"]
            .as_str()
            .unwrap()
            .contains("2026-01-01, 2026-02-02")
    );
    let disagreement = json!({ "schema_version": "2026-01-01", "tool_version": "2026-02-02" });
    assert_eq!(
        run(disagreement.clone(), json!({})).await.kind(),
        "unsupported_version"
    );
    assert_eq!(
        run(json!({}), disagreement).await.kind(),
        "unsupported_version"
    );
    assert_eq!(
        run(json!({ "tool_version": 7 }), json!({})).await.kind(),
        "schema_violation"
    );
    assert_eq!(
        run(
            json!({ "tool_version": "2026-01-01" }),
            json!({ "tool_version": "2026-02-02" })
        )
        .await
        .kind(),
        "unsupported_version"
    );
}
