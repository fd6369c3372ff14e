//! Replays a case of a fixture. Compares the tool's requests and result with the case.

use std::path::Path;

use serde_json::{Map, Value, json};
use stead_core::{
    Error, Result,
    catalogue::{Catalogue, CatalogueTool},
    product::Product,
    schema::VERSION_PARAMETERS,
    tool::{AnyTool, ApiRequest, Output},
};

use crate::{
    Canned, differences, drive,
    fixture::{self, Case, Fixture},
    missing,
};

/// The requests and the result of a case's input.
#[derive(Debug)]
#[non_exhaustive]
pub struct Replayed {
    /// The script, with the requests it received.
    pub canned: Canned,
    /// The tool's output, or the error if it failed or its input was refused.
    pub result: Result<Output>,
}

/// Replays every case of every tool of a product.
///
/// # Panics
/// If a case differs. The message has every difference, by tool and case.
pub fn replay(product: &'static Product, folder: &Path) {
    let catalogue = Catalogue::new([product]);
    let mut faults = Vec::new();
    for tool in catalogue.newest() {
        let name = tool.entry().name();
        match Fixture::read(&fixture::file(folder, product, name)) {
            Ok(fixture) => faults.extend(fixture.cases.iter().filter_map(|one| {
                replay_one(tool, one)
                    .err()
                    .map(|fault| format!("{name}, {:?}:\n{fault}", one.name))
            })),
            Err(fault) => faults.push(fault),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Replays one case: validates the input, parses it, runs the tool's own check, and polls the tool once. Then compares
/// the requests, pauses and result.
///
/// # Errors
/// One line per difference.
///
/// # Panics
/// If the tool awaits something other than its `Io`.
pub fn replay_one(tool: &CatalogueTool, case: &Case) -> Result<(), String> {
    replay_with(tool, case, case.input.clone())
}

/// Replays a case with another input of the same meaning.
pub(crate) fn replay_with(tool: &CatalogueTool, case: &Case, input: Value) -> Result<(), String> {
    let Replayed { canned, result } = run(tool, case, input)?;
    let mut faults = requests_differ(tool.product(), case, &canned.requests());
    let pauses: Vec<f64> = canned
        .pauses()
        .iter()
        .map(std::time::Duration::as_secs_f64)
        .collect();
    if pauses != case.pauses {
        faults.push(format!(
            "pauses: expected {:?} seconds, got {pauses:?}",
            case.pauses
        ));
    }
    faults.extend(result_differs(case, result));
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("\n"))
    }
}

/// Runs a tool with an input against a case's responses.
pub(crate) fn run(tool: &CatalogueTool, case: &Case, input: Value) -> Result<Replayed, String> {
    let mut canned = Canned::new(tool.product(), case.responses()?);
    if case.call.no_time_to_pause {
        canned = canned.without_pauses();
    }
    let call = case.call.to_call(tool.product());
    let result = parse(tool, input).and_then(|parsed| drive(&*parsed, &call, &canned));
    Ok(Replayed { canned, result })
}

/// Reads an input like a call by name.
pub(crate) fn parse(tool: &CatalogueTool, input: Value) -> Result<Box<dyn AnyTool>> {
    tool.entry().parse(validated(tool, input)?)
}

/// Reads an input like a call by name, and writes it again.
pub(crate) fn rewrite(tool: &CatalogueTool, input: Value) -> Result<Value> {
    tool.entry().rewrite(validated(tool, input)?)
}

fn validated(tool: &CatalogueTool, mut input: Value) -> Result<Value> {
    tool.schema()?.validate(&mut input)?;
    if let Some(members) = input.as_object_mut() {
        VERSION_PARAMETERS
            .iter()
            .for_each(|parameter| drop(members.remove(*parameter)));
    }
    Ok(input)
}

fn requests_differ(product: &Product, case: &Case, sent: &[ApiRequest]) -> Vec<String> {
    let first_origin = product.origins.first().map_or("", |origin| origin.name);
    let expected: Vec<Value> = case
        .exchanges
        .iter()
        .map(|exchange| {
            let mut request = json!(exchange.request);
            request["origin"] = json!(exchange.request.origin.as_deref().unwrap_or(first_origin));
            request
        })
        .collect();
    let actual: Vec<Value> = sent
        .iter()
        .map(|request| on_the_wire(product, request))
        .collect();
    let found = differences(&json!(expected), &json!(actual));
    found
        .into_iter()
        .map(|difference| format!("requests{difference}"))
        .collect()
}

/// A request in the form of a [`fixture::ExpectedRequest`].
pub(crate) fn on_the_wire(product: &Product, request: &ApiRequest) -> Value {
    let Some(origin) = product.origin(request.origin) else {
        return json!({ "unknown_origin": request.origin });
    };
    let mut wire = json!({
        "method": request.method.as_str(),
        "origin": origin.name,
        "target": request.target(origin.base).unwrap_or_else(|error| error.to_string()),
    });
    let mut headers: Map<String, Value> = request
        .headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    match (&request.body, request.content_type()) {
        (Some(body), Some(ApiRequest::JSON)) => {
            wire["body"] = serde_json::from_slice(body).unwrap_or_default();
        }
        (Some(body), Some(other)) => {
            headers.insert("content-type".to_owned(), json!(other));
            wire["body_text"] = json!(String::from_utf8_lossy(body));
        }
        _ => {}
    }
    if !headers.is_empty() {
        wire["headers"] = headers.into();
    }
    wire
}

fn result_differs(case: &Case, result: Result<Output>) -> Vec<String> {
    match (
        &case.result,
        &case.error,
        result.and_then(Output::into_json),
    ) {
        (Some(expected), None, Ok((data, warnings))) => {
            let actual: Value = serde_json::from_str(data.get()).unwrap_or_default();
            let actual = json!({ "data": actual, "warnings": warnings });
            differences(&json!(expected), &actual)
                .into_iter()
                .map(|difference| format!("result{difference}"))
                .collect()
        }
        (None, Some(expected), Err(error)) => missing(expected, &problem(&error))
            .into_iter()
            .map(|difference| format!("error{difference}"))
            .collect(),
        (Some(_), None, Err(error)) => vec![format!("expected a result, got the error {error:?}")],
        (None, Some(expected), Ok((data, _))) => vec![format!(
            "expected the error {expected}, got the result {data}"
        )],
        _ => vec![String::from("a case has either `result` or `error`")],
    }
}

fn problem(error: &Error) -> Value {
    json!(error.to_problem())
}
