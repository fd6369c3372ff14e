//! `cargo xtask conformance`: what the tools send and what the sandbox answers, held against the products' own
//! descriptions.
//!
//! The requests come from the fixtures, which the products' tests compare byte for byte with what the tools send. Each
//! is checked by the description of its own version: method, path, parameters, headers, body, and whether every scope
//! that the tool declares is one that the method takes. Answers in fixtures may be excerpts; those of the sandbox must
//! be whole. What a description leaves open is counted as "not checkable".

mod catalogue;
mod check;
mod description;
mod exceptions;
mod fixtures;
mod judge;
mod known;
mod products;
mod report;
mod sandbox;
#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

use crate::shell;
use catalogue::Tool;
use check::schema::Reading;
use judge::{Asked, Judge};
use products::{PRODUCTS, Product};
use report::Tally;

/// What to do where there are no descriptions.
const WHERE: &str = "\
They are public, and not part of this repository:
  google/{gmail.v1,people.v1,calendar.v3,drive.v3,sheets.v4}.json
      PyPI google-api-python-client 2.202.0, googleapiclient/discovery_cache/documents
  notion/notion-mcp-server-{1.9.1,2.5.2}-openapi.json
      npm @notionhq/notion-mcp-server 1.9.1 and 2.5.2, scripts/notion-openapi.json
  notion/notion-official-openapi.json
      developers.notion.com/openapi.json, as of 2026-03
  snowflake/sqlapi.yaml
      github.com/snowflakedb/snowflake-rest-api-specs at 42671a9
Put them into one folder and name it: cargo xtask conformance --descriptions FOLDER";

/// Whether the descriptions are where they are looked for.
pub(crate) fn found() -> bool {
    default_folder().is_dir()
}

/// Checks everything and prints what was found.
///
/// # Errors
/// Where something does not conform, or the descriptions, the binary or the sandbox are not there.
pub(crate) fn run(folder: Option<&str>) -> Result<()> {
    let folder = folder.map_or_else(default_folder, PathBuf::from);
    if !folder.is_dir() {
        bail!(
            "there are no descriptions in {}\n\n{WHERE}",
            folder.display()
        );
    }
    let judge = Judge::read(&folder, PRODUCTS, known::EXCEPTIONS)?;
    let files = fixtures::read(&shell::root())?;
    let tools = catalogue::read()?;
    let mut tallies: Vec<Tally> = Vec::new();
    for product in PRODUCTS {
        tallies.push(check_fixtures(&judge, product, &files, &tools)?);
    }
    let served: Vec<&Product> = PRODUCTS
        .iter()
        .filter(|product| tools.iter().any(|tool| tool.product == product.name))
        .collect();
    sandbox::check(&judge, &served, &mut tallies)?;
    let used: Vec<&Product> = PRODUCTS
        .iter()
        .zip(&tallies)
        .filter(|(_, tally)| tally.requests > 0)
        .map(|(product, _)| product)
        .collect();
    let mut others = Tally::of("others");
    for exception in judge.idle(&used) {
        let what = format!("nothing needs this exception any more: {exception}");
        others.violation("xtask/src/conformance/known.rs", what);
    }
    for file in &files {
        if !PRODUCTS.iter().any(|product| product.name == file.product) {
            others.violation(
                &file.path(),
                "xtask/src/conformance/products.rs does not name its product",
            );
        }
    }
    tell(&judge, &tallies, &others)
}

fn default_folder() -> PathBuf {
    let root = shell::root();
    root.parent().unwrap_or(Path::new("/")).join("shared/api")
}

/// Checks the fixtures of a product.
fn check_fixtures(
    judge: &Judge,
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
            let asked = Asked {
                product,
                origin: exchange.origin.as_deref(),
                case: &exchange.case,
                request: &exchange.request,
                scopes: tool.map(|tool| tool.scopes.as_slice()),
            };
            let verdict = judge.request(&asked)?;
            tally.requests += 1;
            tally.count(&place, &verdict);
            let Some(held) = verdict.held else { continue };
            unseen.insert(held.method.title());
            let verdict = judge.answer(&asked, held, &exchange.answer(), Reading::Excerpt)?;
            tally.fixture_answers += 1;
            tally.count(&place, &verdict);
        }
    }
    tally.unseen = unseen.into_iter().collect();
    Ok(tally)
}

fn tell(judge: &Judge, tallies: &[Tally], others: &Tally) -> Result<()> {
    for exception in judge.needed() {
        println!("excused: {exception}");
    }
    for tally in tallies {
        println!("{tally}");
    }
    for tally in tallies.iter().filter(|tally| !tally.unseen.is_empty()) {
        println!(
            "{}: no answer of the sandbox was seen for {}",
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
        sum(|tally| tally.fixture_answers + tally.sandbox_answers),
        wrong
    );
    if wrong > 0 {
        bail!(line);
    }
    println!("{line}");
    Ok(())
}
