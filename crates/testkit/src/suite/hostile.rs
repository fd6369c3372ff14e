//! Strings that try to break out of their place in a request.

use proptest::{
    prelude::{Strategy, any, prop},
    strategy::ValueTree as _,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};
use stead_core::{catalogue::CatalogueTool, schema::VERSION_PARAMETERS, tool::ApiRequest};

use super::{Faults, Subject, inputs::plain_use, requests::leaves};
use crate::{fixture::Case, replay::run};

/// Strings that try to leave the path or the origin.
const KNOWN: &[&str] = &[
    "",
    " ",
    ".",
    "..",
    "../..",
    "a/../../b",
    "/",
    "//evil.example",
    "https://evil.example/",
    "@evil.example",
    ":443",
    "a/b",
    "a%2Fb",
    "%2e%2e",
    "%2E%2E/",
    "%",
    "%00",
    "\0",
    "a?x=1",
    "a&b=c",
    "a#b",
    "a\\b",
    "a;b",
    "a\r\nx-evil: 1",
    "\u{2028}",
    "\u{202e}",
    "\u{ff0f}",
    "\u{feff}",
    "ü",
    "日本",
    "🦀",
    "part:",
    "part:../x",
    "{{x}}",
    "' or 1=1 --",
    "null",
    "[]",
    "{\"a\":1}",
];
/// Random strings per place.
const RANDOM: usize = 48;

/// A hostile string in any string of the input changes neither origin nor path, and never panics.
pub(super) fn hostile_strings_stay_data(
    subject: &Subject,
    tool: &CatalogueTool,
    faults: &mut Faults,
) {
    let Some(plain) = plain_use(subject.cases_of(tool.entry().name())) else {
        return;
    };
    let strings = strings();
    let usual: Vec<ApiRequest> = subject
        .cases_of(tool.entry().name())
        .iter()
        .filter_map(|case| run(tool, case, case.input.clone()).ok())
        .filter_map(|replayed| replayed.canned.requests().first().cloned())
        .collect();
    for place in string_parameters(tool) {
        // One string is enough, because the others would report the same fault.
        let mut found = strings.iter().filter_map(|text| {
            let what = fault(subject, tool, plain, &usual, &place, text)?;
            Some((text.chars().take(80).collect::<String>(), what))
        });
        if let Some((text, what)) = found.next() {
            faults.at(&format!(" with {:?} = {text:?}", place.name), what);
        }
    }
}

fn fault(
    subject: &Subject,
    tool: &CatalogueTool,
    plain: &Case,
    usual: &[ApiRequest],
    parameter: &Place,
    text: &str,
) -> Option<String> {
    let mut input = plain.input.clone();
    input[parameter.name.as_str()] = if parameter.is_list {
        json!([text, text])
    } else {
        json!(text)
    };
    let sent = match run(tool, plain, input) {
        Ok(replayed) => replayed.canned.requests(),
        Err(fault) => return Some(fault),
    };
    let leaving = sent
        .iter()
        .find_map(|request| leaves(subject.product, request));
    if leaving.is_some() {
        return leaving;
    }
    // Except for the string, the first request must look like the first request of a case. It can't depend on a
    // response yet.
    let first = sent.first()?;
    let same = |usual: &ApiRequest| {
        first.method == usual.method
            && first.origin == usual.origin
            && first.path.len() == usual.path.len()
    };
    (!usual.iter().any(same)).then(|| format!("{} {:?}, as in no case", first.method, first.path))
}

struct Place {
    name: String,
    is_list: bool,
}

/// Parameters that are free text, or lists of it.
fn string_parameters(tool: &CatalogueTool) -> Vec<Place> {
    let Ok(schema) = tool.schema() else {
        return Vec::new();
    };
    let of_strings = |types: &Value| {
        let mut options = types.as_array().into_iter().flatten();
        *types == "string" || options.any(|one| one == "string")
    };
    let is_text = |node: &Value| of_strings(&node["type"]) && node.get("enum").is_none();
    let properties = schema.schema()["properties"]
        .as_object()
        .into_iter()
        .flatten();
    properties
        .filter(|(name, _)| !VERSION_PARAMETERS.contains(&name.as_str()))
        .filter(|(_, node)| is_text(node) || is_text(&node["items"]))
        .map(|(name, node)| Place {
            name: name.clone(),
            is_list: node["type"] == "array",
        })
        .collect()
}

/// The known hostile strings, some very long ones, and random ones that are the same in every run.
fn strings() -> Vec<String> {
    let mut strings: Vec<String> = KNOWN.iter().map(|text| (*text).to_owned()).collect();
    strings.extend(["A".repeat(10_000), "/".repeat(1_000), "../".repeat(1_000)]);
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        TestRng::deterministic_rng(RngAlgorithm::ChaCha),
    );
    let strategy = prop::collection::vec(any::<char>(), 0..40).prop_map(String::from_iter);
    strings.extend(
        (0..RANDOM)
            .filter_map(|_| strategy.new_tree(&mut runner).ok())
            .map(|tree| tree.current()),
    );
    strings
}
