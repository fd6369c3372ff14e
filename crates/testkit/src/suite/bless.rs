//! Writes a case's actual requests and result into its fixture, so that a person can review the diff.

use std::{fs, path::Path};

use serde_json::{Value, json};
use stead_core::{
    Error,
    catalogue::{Catalogue, CatalogueTool},
    product::Product,
    tool::{ApiRequest, Output, Warning},
};

use crate::{
    fixture::{self, Case, Fixture, Node, readable},
    missing,
    replay::{Replayed, on_the_wire, run},
};

/// Runs the case `TOOL/CASE` and writes its requests and its outcome into the fixture file. A new case needs a name, an
/// input and the responses: `{"name": …, "input": …, "exchanges": [{"response": …}]}`.
///
/// # Errors
/// If the case doesn't exist, or has too few or too many responses. The error is a sentence.
pub fn bless(product: &'static Product, folder: &Path, case: &str) -> Result<(), String> {
    let (tool, name) = case.split_once('/').ok_or("a case is named TOOL/CASE")?;
    let catalogue = Catalogue::new([product]);
    let tool = catalogue
        .find(tool, None, None)
        .map_err(|error| error.to_string())?;
    let path = fixture::file(folder, product, tool.entry().name());
    let at = |error: String| format!("{}: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| at(error.to_string()))?;
    let text = blessed(tool, &text, name).map_err(at)?;
    fs::write(&path, text).map_err(|error| at(error.to_string()))
}

fn blessed(tool: &CatalogueTool, text: &str, name: &str) -> Result<String, String> {
    let mut file: Node = serde_json::from_str(text).map_err(|error| error.to_string())?;
    // Only new cases have responses without a request.
    let mut whole = file.clone();
    for case in items(&mut whole, "cases") {
        for exchange in items(case, "exchanges") {
            if exchange.get("request").is_none() {
                exchange.set("request", json!({ "method": "", "target": "" }).into());
            }
        }
    }
    let fixture = Fixture::parse(tool.entry().name(), &whole.to_text())?;
    let case = fixture.cases.iter().find(|case| case.name == name);
    let case = case.ok_or_else(|| format!("there is no case {name:?}"))?;
    let Replayed { canned, result } = run(tool, case, case.input.clone())?;
    let requests = canned.requests();
    let requests: Vec<Value> = requests.iter().map(|one| request(tool, one)).collect();
    if requests.len() != case.exchanges.len() {
        return Err(format!(
            "the case has {} responses, the tool sent {} requests: {}",
            case.exchanges.len(),
            requests.len(),
            json!(requests)
        ));
    }

    let written = case_of(&mut file, name)?;
    for (exchange, request) in items(written, "exchanges").zip(requests) {
        let response = exchange.remove("response");
        let request = ordered(
            request,
            &["method", "origin", "target", "headers", "body", "body_text"],
        );
        exchange.set("request", request);
        // In the file, the request comes before its response.
        if let Some(response) = response {
            exchange.set("response", response);
        }
    }
    let pauses: Vec<f64> = canned
        .pauses()
        .iter()
        .map(|one| one.as_secs_f64())
        .collect();
    if pauses.is_empty() {
        written.remove("pauses");
    } else {
        written.set("pauses", json!(pauses).into());
    }
    match result.and_then(Output::into_json) {
        Ok((data, warnings)) => {
            let data = serde_json::from_str(data.get()).unwrap_or_default();
            let (old, new) = (
                case.result.as_ref(),
                json!({ "data": data, "warnings": warnings }),
            );
            // If the result is unchanged, the file keeps its spelling.
            if old.is_none_or(|old| json!(old) != new) {
                written.set("result", expected(case, &data, &warnings).into());
            }
            written.remove("error");
        }
        Err(error) => {
            written.remove("result");
            if case
                .error
                .as_ref()
                .is_none_or(|old| !missing(old, &json!(error.to_problem())).is_empty())
            {
                written.set("error", refusal(&error));
            }
        }
    }
    drop_unused(&mut file);
    Ok(file.to_text())
}

fn case_of<'a>(file: &'a mut Node, name: &str) -> Result<&'a mut Node, String> {
    let is_it = |case: &Node| matches!(case.get("name"), Some(Node::Leaf(one)) if one == name);
    items(&mut *file, "cases")
        .find(|case| is_it(case))
        .ok_or_else(|| format!("there is no case {name:?}"))
}

/// The items of a list that is a member of `parent`.
fn items<'a>(parent: &'a mut Node, name: &str) -> impl Iterator<Item = &'a mut Node> {
    let items = match parent.get_mut(name) {
        Some(Node::List(items)) => items.as_mut_slice(),
        _ => &mut [],
    };
    items.iter_mut()
}

/// A request in the form of a fixture. It names no origin if that's the product's first.
fn request(tool: &CatalogueTool, request: &ApiRequest) -> Value {
    let mut wire = on_the_wire(tool.product(), request);
    let first = tool.product().origins.first();
    if let Some(members) = wire.as_object_mut()
        && first.is_some_and(|origin| members.get("origin") == Some(&json!(origin.name)))
    {
        members.remove("origin");
    }
    readable(&mut wire, "raw");
    wire
}

fn expected(case: &Case, data: &Value, warnings: &[Warning]) -> Value {
    let last = case.exchanges.last();
    let body = last.and_then(|last| last.response.body.as_ref());
    if !warnings.is_empty() {
        json!({ "data": data, "warnings": warnings })
    } else if body == Some(data) {
        json!("response")
    } else {
        json!({ "data": data })
    }
}

/// A fixture's description of an error: its kind, its places, and the product's response.
fn refusal(error: &Error) -> Node {
    let problem = json!(error.to_problem());
    let mut expected = Node::Members(Vec::new());
    expected.set("kind", problem["kind"].clone().into());
    let places = error.violation_list().iter();
    let places: Vec<Node> = places
        .map(|one| json!({ "path": one.path, "keyword": one.keyword }))
        .map(|one| ordered(one, &["path", "keyword"]))
        .collect();
    if !places.is_empty() {
        expected.set("violations", Node::List(places));
    }
    if let Some(upstream) = problem.get("upstream").filter(|one| !one.is_null()) {
        expected.set("upstream", ordered(upstream.clone(), &["status", "code"]));
    }
    expected
}

/// An object with these members first.
fn ordered(mut object: Value, first: &[&str]) -> Node {
    let members = first.iter().filter_map(|name| {
        let value = object.as_object_mut()?.remove(*name)?;
        Some(((*name).to_owned(), value.into()))
    });
    let mut ordered: Vec<(String, Node)> = members.collect();
    if let Node::Members(rest) = object.into() {
        ordered.extend(rest);
    }
    Node::Members(ordered)
}

/// Drops names that no case uses anymore.
fn drop_unused(file: &mut Node) {
    let mut used = Vec::new();
    for case in items(&mut *file, "cases") {
        used.extend(case.get_mut("result").map(|result| result.to_string()));
        for exchange in items(case, "exchanges") {
            used.extend(exchange.get_mut("response").map(|one| one.to_string()));
        }
    }
    for names in ["responses", "results"] {
        if let Some(Node::Members(members)) = file.get_mut(names) {
            members.retain(|(name, _)| used.contains(&json!(name).to_string()));
        }
    }
    if let Node::Members(members) = file {
        members.retain(|(_, node)| *node != Node::Members(Vec::new()));
    }
}
