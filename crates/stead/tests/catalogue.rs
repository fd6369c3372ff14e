//! How much of a model's context the catalogue uses, and whether it fits into the vendors' requests.

use serde_json::Value;
use stead::{CatalogueTool, Detail, ExportFormat, check_request, check_tool};
use tiktoken_rs::{CoreBPE, o200k_base};

/// Maximum tokens of all tools as `openai`.
const ALL: usize = 15_000;
/// Maximum tokens of one product's tools.
const PRODUCT: usize = 3_500;
/// Maximum tokens of all tools in the compact form.
const COMPACT: usize = 7_500;
/// Maximum tokens of the three tools that give access to all others.
const SEARCH: usize = 800;
/// Maximum tokens of the set `core`, which a new MCP session lists.
const CORE: usize = 11_000;

/// Tokens of a list of tools as it's sent: JSON without whitespace.
fn tokens(vocabulary: &CoreBPE, tools: &[Value]) -> usize {
    let json = Value::from(tools).to_string();
    vocabulary.encode_ordinary(&json).len()
}

fn exported<'c>(
    tools: impl Iterator<Item = &'c CatalogueTool>,
    format: ExportFormat,
    detail: Detail,
) -> Vec<Value> {
    tools
        .map(|tool| tool.export_with(format, detail).expect("an export").tool)
        .collect()
}

/// `cargo test -p stead --all-features --test catalogue -- --nocapture` prints the table.
#[test]
fn the_catalogue_is_small() {
    let catalogue = stead::products::catalogue();
    let vocabulary = o200k_base().unwrap();
    let mut broken = Vec::new();
    let mut line = |what: &str, found: usize, most: usize| {
        println!("{what:<24} {found:>6} of {most:>6}");
        if found > most {
            broken.push(format!(
                "{what}: expected at most {most} tokens, found {found}"
            ));
        }
    };
    let openai = ExportFormat::Openai;
    for tool in catalogue.newest() {
        let each = [Detail::Full, Detail::Compact]
            .map(|detail| tokens(&vocabulary, &exported([tool].into_iter(), openai, detail)));
        println!("{:<40} {each:?}", tool.entry().name());
    }
    for name in catalogue.set_names() {
        let set = catalogue.set(name).unwrap();
        let each = [
            (openai, Detail::Full),
            (openai, Detail::Compact),
            (ExportFormat::Mcp, Detail::Full),
        ];
        let each = each.map(|(format, detail)| {
            let tools = catalogue.newest().filter(|tool| set.has(tool));
            let mut tools = exported(tools, format, detail);
            for tool in &mut tools {
                // An MCP session's list has them only if its creator asks for them.
                tool.as_object_mut().unwrap().remove("outputSchema");
            }
            tokens(&vocabulary, &tools)
        });
        let count = catalogue.newest().filter(|tool| set.has(tool)).count();
        println!("set {name:<12} {count:>3} tools {each:?} as openai, compact, MCP");
        if name == "core" {
            line("core", each[0].max(each[2]), CORE);
        }
    }
    for product in catalogue.products() {
        let own = catalogue
            .newest()
            .filter(|tool| tool.product().name == product.name);
        let found = tokens(&vocabulary, &exported(own, openai, Detail::Full));
        line(product.name, found, PRODUCT);
    }
    for (what, detail, most) in [
        ("all", Detail::Full, ALL),
        ("all, compact", Detail::Compact, COMPACT),
    ] {
        let found = tokens(&vocabulary, &exported(catalogue.newest(), openai, detail));
        line(what, found, most);
    }
    let search = catalogue.meta_tools(openai).unwrap();
    let search: Vec<Value> = search.into_iter().map(|exported| exported.tool).collect();
    line("search", tokens(&vocabulary, &search), SEARCH);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_vendor_takes_every_tool() {
    let catalogue = stead::products::catalogue();
    let mut faults = Vec::new();
    for (word, format) in ExportFormat::NAMES {
        for detail in [Detail::Full, Detail::Compact] {
            let tools = exported(catalogue.newest(), *format, detail);
            assert_eq!(tools.len(), 55);
            let found: Vec<String> = tools
                .iter()
                .flat_map(|tool| check_tool(*format, tool))
                .collect();
            faults.extend(
                found
                    .into_iter()
                    .map(|fault| format!("{word}, {detail:?}: {fault}")),
            );
        }
        let tools = exported(catalogue.newest(), *format, Detail::Full);
        let together = check_request(*format, &tools);
        // A request accepts at most 20 of these, so the caller has to choose.
        let is_limited = *format == ExportFormat::AnthropicStrict;
        assert_eq!(!together.is_empty(), is_limited, "{word}: {together:?}");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_export_is_the_same_every_time() {
    let once = || {
        let catalogue = stead::products::catalogue();
        let tools = exported(catalogue.newest(), ExportFormat::Anthropic, Detail::Full);
        Value::from(tools).to_string()
    };
    assert_eq!(once(), once());
}

#[test]
fn every_preset_of_google_has_a_permission_with_a_condition() {
    let catalogue = stead::products::catalogue();
    for product in catalogue
        .products()
        .iter()
        .filter(|product| !product.reviews.is_empty())
    {
        let choices = product.permission_choices();
        for preset in product.presets {
            let mut own = choices
                .iter()
                .filter(|choice| preset.scopes.contains(&choice.name.as_str()));
            assert!(
                own.any(|choice| choice.review.is_some()),
                "{} {}",
                product.name,
                preset.name
            );
        }
    }
}
