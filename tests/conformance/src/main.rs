//! Checks the tools' requests and the sandbox's responses against the products' own descriptions.
//!
//! The requests come from the fixtures, which the products' tests compare byte for byte with what the tools send. Each
//! request is checked by the description of its version: method, path, parameters, headers, body, and whether the
//! method accepts every scope that the tool declares. Responses in fixtures may be excerpts. The sandbox's responses
//! must be complete. If a description doesn't say, the report counts it as "not checkable".
//!
//! `cargo xtask conformance` builds the binary `stead` and runs this one.

#![expect(clippy::print_stdout, reason = "its output is what the program is for")]

mod catalogue;
mod check;
mod description;
mod exceptions;
mod finding;
mod fixtures;
mod products;
mod report;
mod sandbox;
mod schema;
#[cfg(test)]
mod tests;
mod validate;

use std::{collections::BTreeSet, path::Path, process::ExitCode};

use anyhow::{Result, bail};

use catalogue::Tool;
use products::{PRODUCTS, Product};
use report::Tally;
use schema::Reading;
use validate::{CheckedRequest, Validator};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [stead, descriptions] => run(Path::new(stead), Path::new(descriptions)),
        _ => Err(anyhow::anyhow!(
            "usage: stead-conformance BINARY DESCRIPTIONS: the binary `stead`, and the folder of the descriptions"
        )),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Checks everything and prints the findings.
fn run(stead: &Path, descriptions: &Path) -> Result<()> {
    let validator = Validator::read(descriptions, PRODUCTS, exceptions::EXCEPTIONS)?;
    let files = fixtures::read()?;
    let tools = catalogue::read(stead)?;
    let mut tallies: Vec<Tally> = Vec::new();
    for product in PRODUCTS {
        tallies.push(check_fixtures(&validator, product, &files, &tools)?);
    }
    let served: Vec<&Product> = PRODUCTS
        .iter()
        .filter(|product| tools.iter().any(|tool| tool.product == product.name))
        .collect();
    sandbox::check(stead, &validator, &served, &files, &mut tallies)?;
    let used: Vec<&Product> = PRODUCTS
        .iter()
        .zip(&tallies)
        .filter(|(_, tally)| tally.requests > 0)
        .map(|(product, _)| product)
        .collect();
    let mut others = Tally::of("others");
    for exception in validator.unused(&used) {
        let what = format!("nothing needs this exception any more: {exception}");
        others.violation("tests/conformance/src/exceptions/list.rs", what);
    }
    for file in &files {
        if !PRODUCTS.iter().any(|product| product.name == file.product) {
            others.violation(
                &file.path(),
                "tests/conformance/src/products.rs does not name its product",
            );
        }
    }
    print(&validator, &tallies, &others)
}

fn check_fixtures(
    validator: &Validator,
    product: &Product,
    files: &[fixtures::File],
    tools: &[Tool],
) -> Result<Tally> {
    let mut tally = Tally::of(product.name);
    let mut unseen = BTreeSet::new();
    for tool in tools.iter().filter(|tool| tool.product == product.name) {
        if !files.iter().any(|file| file.tool == tool.name) {
            tally.violation(&tool.name, "has no fixtures");
        }
    }
    for file in files.iter().filter(|file| file.product == product.name) {
        tally.tools += 1;
        let tool = tools.iter().find(|tool| tool.name == file.tool);
        if tool.is_none() {
            tally.violation(&file.path(), "`stead tools` does not list its tool");
        }
        for exchange in &file.exchanges {
            let place = format!("{}, {:?}", file.path(), exchange.case);
            let checked = CheckedRequest {
                product,
                origin: exchange.origin(),
                case: &exchange.case,
                request: &exchange.request,
                scopes: tool.map(|tool| tool.scopes.as_slice()),
                changes: tool.is_some_and(|tool| tool.effect != "read"),
            };
            let validation = validator.request(&checked)?;
            tally.requests += 1;
            tally.count(&place, &validation);
            let Some(matched) = validation.matched else {
                continue;
            };
            unseen.insert(matched.method.title());
            let validation =
                validator.response(&checked, matched, &exchange.response(), Reading::Excerpt)?;
            tally.fixture_responses += 1;
            tally.count(&place, &validation);
        }
    }
    tally.unseen = unseen.into_iter().collect();
    Ok(tally)
}

fn print(validator: &Validator, tallies: &[Tally], others: &Tally) -> Result<()> {
    for exception in validator.needed() {
        println!("excused: {exception}");
    }
    for tally in tallies {
        println!("{tally}");
    }
    for tally in tallies.iter().filter(|tally| !tally.unseen.is_empty()) {
        println!(
            "{}: no response of the sandbox was seen for {}",
            tally.product,
            tally.unseen.join(", ")
        );
    }
    let wrong: usize = tallies.iter().chain([others]).map(Tally::wrong).sum();
    for tally in tallies.iter().chain([others]) {
        for violation in &tally.violations {
            println!("  {violation}");
        }
    }
    let sum = |count: fn(&Tally) -> usize| tallies.iter().map(count).sum::<usize>();
    let line = format!(
        "{} tools, {} requests and {} responses checked, {} violations",
        sum(|tally| tally.tools),
        sum(|tally| tally.requests),
        sum(|tally| tally.fixture_responses + tally.sandbox_responses),
        wrong
    );
    if wrong > 0 {
        bail!(line);
    }
    println!("{line}");
    Ok(())
}
