//! Lookups, sets and searches in a catalogue.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::*;
use crate::tool::{Call, Effect, Io, Output, Tool};

macro_rules! tools {
    ($($type:ident = $name:literal, $version:literal, $aliases:expr;)+) => { $(
        /// Does nothing.
        #[derive(Serialize, Deserialize, JsonSchema)]
        struct $type {}

        impl Tool for $type {
            const NAME: &'static str = $name;
            const VERSION: &'static str = $version;
            const ALIASES: &'static [&'static str] = $aliases;
            const EFFECT: Effect = Effect::Read;
            type Output = Value;
            async fn run(&self, _: &Call, _: Io<'_>) -> Result<Output> {
                Ok(Value::Null.into())
            }
        }
    )+ };
}
tools! {
    NewList = "demo_list_notes", "2026-11-21", &["demo_notes"];
    OldList = "demo_list_notes", "2025-01-01", &[];
    MiddleList = "demo_list_notes", "2026-02-03", &[];
    Read = "demo_read_note", "2026-11-21", &[];
    Send = "post_send_letter", "2026-11-21", &[];
}

static DEMO: Product = Product {
    name: "demo",
    // Not in the order of their dates.
    tools: &[
        ToolEntry::of::<NewList>(),
        ToolEntry::of::<OldList>(),
        ToolEntry::of::<MiddleList>(),
        ToolEntry::of::<Read>(),
    ],
    ..Product::BASE
};
static POST: Product = Product {
    name: "post",
    tools: &[ToolEntry::of::<Send>()],
    core_tools: &["post_send_letter"],
    ..Product::BASE
};

fn catalogue() -> Catalogue {
    Catalogue::new([&DEMO, &POST])
}

#[test]
fn the_newest_version_is_found_unless_another_is_asked_for() {
    let catalogue = catalogue();
    let asked = [
        (None, None, "2026-11-21"),
        (Some("2025-01-01"), None, "2025-01-01"),
        (None, Some("2025-01-01"), "2025-01-01"),
        (Some("2026-02-03"), Some("2026-02-03"), "2026-02-03"),
        (None, Some("2026-11-21"), "2026-11-21"),
    ];
    for (schema, tool, found) in asked {
        let entry = catalogue
            .find("demo_list_notes", schema, tool)
            .unwrap()
            .entry();
        assert_eq!(
            (entry.name(), entry.version()),
            ("demo_list_notes", found),
            "{schema:?} {tool:?}"
        );
    }
}

#[test]
fn an_unknown_version_is_refused_with_the_known_ones() {
    let catalogue = catalogue();
    for (schema, tool) in [
        (Some("2024-01-01"), None),
        (None, Some("latest")),
        (Some(""), None),
        (None, Some("")),
    ] {
        let error = catalogue.find("demo_list_notes", schema, tool).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedVersion);
        assert!(
            error
                .message()
                .ends_with("its versions are: 2025-01-01, 2026-02-03, 2026-11-21"),
            "{error}"
        );
    }
    let error = catalogue
        .find("demo_list_notes", Some("2025-01-01"), Some("2026-11-21"))
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedVersion);
    assert!(
        error.message().contains("2025-01-01") && error.message().contains("2026-11-21"),
        "{error}"
    );
}

#[test]
fn an_alias_finds_its_own_version_and_is_not_listed() {
    let catalogue = catalogue();
    let entry = catalogue.find("demo_notes", None, None).unwrap().entry();
    assert_eq!(
        (entry.name(), entry.version()),
        ("demo_list_notes", "2026-11-21")
    );
    assert!(
        catalogue
            .find("demo_notes", None, Some("2025-01-01"))
            .is_err()
    );
    let listed: Vec<_> = catalogue
        .newest()
        .map(|tool| (tool.entry().name(), tool.entry().version()))
        .collect();
    assert_eq!(
        listed,
        [
            ("demo_list_notes", "2026-11-21"),
            ("demo_read_note", "2026-11-21"),
            ("post_send_letter", "2026-11-21")
        ]
    );
}

#[test]
fn an_unknown_name_is_refused_with_similar_ones() {
    let similar = |name: &str| {
        let error = catalogue().find(name, None, None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnknownTool);
        error
            .message()
            .split_once("; did you mean ")
            .map(|(_, similar)| similar.trim_end_matches('?').to_owned())
    };
    assert_eq!(
        similar("demo_list_note").unwrap().split(", ").next(),
        Some("demo_list_notes")
    );
    assert_eq!(
        similar("demo_read_notes").unwrap().split(", ").next(),
        Some("demo_read_note")
    );
    assert_eq!(similar("weather"), None);
    assert_eq!(similar(""), None);
    let catalogue = catalogue();
    let long = catalogue.find(&"x".repeat(10_000), None, None);
    assert!(long.unwrap_err().message().len() < 200);
}

#[test]
fn products_are_found_by_name() {
    let catalogue = catalogue();
    assert_eq!(
        catalogue.product("post").map(|product| product.tools.len()),
        Some(1)
    );
    assert!(catalogue.product("Post").is_none() && catalogue.product("").is_none());
    assert_eq!(
        catalogue
            .find("post_send_letter", None, None)
            .unwrap()
            .product()
            .name,
        "post"
    );
}

#[test]
fn a_schema_is_built_once() {
    let catalogue = catalogue();
    let tool = catalogue.find("demo_read_note", None, None).unwrap();
    assert!(std::ptr::eq(tool.schema().unwrap(), tool.schema().unwrap()));
    assert_eq!(
        tool.export(ExportFormat::Anthropic).unwrap()["name"],
        "demo_read_note"
    );
}

#[test]
fn a_search_finds_names_texts_and_synonyms_in_a_stable_order() {
    let catalogue = catalogue();
    let found = |query: &str| -> Vec<String> {
        let asked = SearchTools {
            query: query.to_owned(),
            ..SearchTools::default()
        };
        let found = catalogue.search(&asked, None).unwrap();
        assert_eq!(found, catalogue.search(&asked, None).unwrap());
        assert_eq!(found.tools.is_empty(), found.hint.is_some());
        found.tools.into_iter().map(|tool| tool.name).collect()
    };
    assert_eq!(found("send a letter"), ["post_send_letter"]);
    assert_eq!(found("Letters"), ["post_send_letter"]);
    assert_eq!(found("list notes")[0], "demo_list_notes");
    assert_eq!(found("read my notes")[0], "demo_read_note");
    assert_eq!(found("weather in Paris"), [""; 0]);
    assert_eq!(found("the of"), [""; 0]);
}

#[test]
fn a_search_keeps_to_its_products_and_limit() {
    let catalogue = catalogue();
    let search = |product: Option<&str>, limit, products: Option<&[String]>| {
        let asked = SearchTools {
            query: String::from("does nothing"),
            product: product.map(str::to_owned),
            limit,
        };
        let found = catalogue.search(&asked, products)?;
        Ok::<_, Error>(found.tools.len())
    };
    assert_eq!(search(None, None, None).unwrap(), 3);
    assert_eq!(search(None, Some(2), None).unwrap(), 2);
    assert_eq!(search(Some("post"), None, None).unwrap(), 1);
    let demo = [String::from("demo")];
    assert_eq!(search(None, None, Some(&demo)).unwrap(), 2);
    assert!(search(Some("post"), None, Some(&demo)).is_err());
    assert!(search(Some("weather"), None, None).is_err());
}

#[test]
fn three_tools_stand_for_all_in_every_format() {
    let catalogue = catalogue();
    for (name, format) in ExportFormat::NAMES {
        let tools = catalogue.meta_tools(*format).unwrap();
        assert_eq!(tools.len(), 3);
        for exported in &tools {
            let faults = crate::schema::check_tool(*format, &exported.tool);
            assert_eq!(faults, [""; 0], "{name}");
        }
        assert!(
            tools[0].tool.to_string().contains("Products: demo, post."),
            "{name}"
        );
    }
}

#[test]
fn a_set_has_only_its_tools() {
    let own = |tools: &[&str]| {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        BTreeMap::from([(String::from("support"), tools)])
    };
    let catalogue = catalogue().with_sets(own(&["demo_notes"])).unwrap();
    let all = ["demo_list_notes", "demo_read_note", "post_send_letter"];
    for (name, expected) in [
        ("core", &all[2..]),
        ("read", &all),
        ("all", &all),
        ("search", &[]),
        ("post", &all[2..]),
        // A set can name a tool by an older name. The list shows its current one.
        ("support", &all[..1]),
    ] {
        let set = catalogue.set(name).unwrap();
        let tools = catalogue.newest().filter(|tool| set.has(tool));
        let tools: Vec<_> = tools.map(|tool| tool.entry().name()).collect();
        assert_eq!(tools, expected, "{name}");
    }
    let unknown = catalogue.set("suport").unwrap_err();
    let message = unknown.violation_list()[0].to_string();
    assert!(message.starts_with("/tool_set: "), "{message}");
    assert!(message.contains("did you mean support"), "{message}");
    assert!(
        message.ends_with("core, read, all, search, demo, post, support"),
        "{message}"
    );
}

#[test]
fn a_set_that_cannot_work_is_refused_with_its_setting() {
    for (name, tools, why) in [
        (
            "core",
            vec!["demo_read_note"],
            "can't have the name \"core\"",
        ),
        (
            "demo",
            vec!["demo_read_note"],
            "can't have the name \"demo\"",
        ),
        (" ", vec!["demo_read_note"], "can't have the name \" \""),
        ("support", vec![], "the set has no tool"),
        (
            "support",
            vec!["demo_read_notes"],
            "did you mean demo_read_note",
        ),
    ] {
        let tools = tools.into_iter().map(str::to_owned).collect();
        let refused = catalogue().with_sets(BTreeMap::from([(name.to_owned(), tools)]));
        let error = refused.unwrap_err();
        assert!(error.message().contains(why), "{error}");
        assert_eq!(error.context()["setting"], format!("tool_sets.{name}"));
    }
}
