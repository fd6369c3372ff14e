//! `cargo xtask tidy`: the rules of the project that can be proved, a function each.
//!
//! A rule takes what it judges and gives what it found, a line for each fault; where it reads nothing itself, its test
//! shows it a planted fault.

mod circles;
mod dependencies;
mod imports;
mod layout;
mod levels;
mod licences;
mod manifest;
mod metadata;
mod text;
mod words;

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::shell;
pub(crate) use imports::is_for_tests;
use metadata::Metadata;
pub(crate) use text::{File, files};

/// Runs every rule and prints what it says.
///
/// # Errors
/// Where a rule is broken, or the workspace cannot be read.
pub(crate) fn run() -> Result<()> {
    let metadata = Metadata::read()?;
    let files = files()?;
    let manifest = read("Cargo.toml")?;
    let deny = read("deny.toml")?;
    let ours = &metadata.ours;

    let mut report = Report::default();
    report.rule(
        "a crate of ours depends on those that the design allows",
        dependencies::arrows(ours),
    );
    report.rule(
        "a product names no runtime, client, database or server",
        dependencies::products_are_pure(ours),
    );
    report.rule(
        "each of some crates is named in one place",
        dependencies::named_in_one_place(ours),
    );
    report.rule(
        "core does no input and output",
        dependencies::core_does_no_io(ours),
    );
    report.rule(
        "no feature of serde_json changes the user's program",
        dependencies::serde_json_features(ours),
    );
    report.rule(
        "a client compiles little: no OAuth, cryptography, database or JSON Schema engine",
        client_is_lean()?,
    );
    report.rule(
        "a product is built and tested without client, database or server",
        products_are_lean(&metadata)?,
    );
    report.rule(
        "every dependency has its reason next to it",
        manifest::dependencies_have_reasons(&manifest),
    );
    report.rule(
        "every licence is on the list of deny.toml",
        licences::allowed(&metadata.licences, &deny),
    );
    report.rule(
        "lines end where their text ends",
        text::trailing_whitespace(&files),
    );
    report.rule(
        "the top holds what belongs there",
        layout::top_level(&files),
    );
    for rule in of_sources(&metadata, &files)? {
        let pending = |fault: &&String| !rule.pending.iter().any(|start| fault.starts_with(start));
        let faults = rule.faults.iter().filter(pending).cloned();
        report.rule(rule.name, faults.collect());
    }
    report.end()
}

/// Prints what the rules on sources find below a folder, pending or not; of the first so many rules.
///
/// # Errors
/// Where something is found, or the sources cannot be read.
pub(crate) fn run_in(folder: &str, rules: usize) -> Result<()> {
    let mut report = Report::default();
    let all = of_sources(&Metadata::read()?, &files()?)?;
    for mut rule in all.into_iter().take(rules) {
        rule.faults.retain(|fault| fault.starts_with(folder));
        report.rule(rule.name, rule.faults);
    }
    report.end()
}

/// A rule on sources.
struct Rule {
    name: &'static str,
    /// A line for each, which begins with a path.
    faults: Vec<String>,
    /// Where it is not yet kept: begins of such lines.
    pending: &'static [&'static str],
}

fn of_sources(metadata: &Metadata, files: &[File]) -> Result<Vec<Rule>> {
    let mut circles = Vec::new();
    let mut levels = Vec::new();
    for package in &metadata.ours {
        let sources = imports::read(&package.folder, files)?;
        let found = circles::between_modules(&package.folder, &sources.imports);
        circles.extend(found);
        if package.name == "stead-core" {
            let page = read("docs/architecture.md")?;
            levels = levels::Levels::read(&page).faults(&sources);
        }
    }
    Ok(vec![
        Rule {
            name: "core is as docs/architecture.md draws it",
            faults: levels,
            pending: &[],
        },
        Rule {
            name: "modules import each other in no circle",
            faults: circles,
            pending: &[],
        },
        Rule {
            name: "core names no company",
            faults: text::core_names_no_company(files),
            pending: &[],
        },
        Rule {
            name: "every source says what it is for",
            faults: text::sources_say_what_they_are(files),
            pending: &[],
        },
        Rule {
            name: "no source is long",
            faults: text::long_files(files),
            pending: &[],
        },
        Rule {
            name: "words that the field does not use stay out",
            faults: words::unused_words(files)?,
            pending: &[],
        },
    ])
}

/// What the rules said.
#[derive(Default)]
struct Report {
    rules: usize,
    faults: usize,
}

impl Report {
    fn rule(&mut self, name: &str, faults: Vec<String>) {
        self.rules += 1;
        self.faults += faults.len();
        if !faults.is_empty() {
            println!("broken: {name}");
        }
        for fault in faults {
            println!("  {fault}");
        }
    }

    fn end(self) -> Result<()> {
        if self.faults > 0 {
            bail!("{} faults in {} rules", self.faults, self.rules);
        }
        println!("{} rules hold", self.rules);
        Ok(())
    }
}

fn client_is_lean() -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for &(features, most) in dependencies::MOST_IN_A_CLIENT {
        let tree = shell::output(&format!(
            "cargo tree --locked -p stead --no-default-features --features {features} -e normal --prefix none"
        ))?;
        let whose = format!("stead with --features {features}");
        let not = dependencies::NOT_IN_A_CLIENT;
        faults.extend(dependencies::absent(&whose, &tree, not));
        faults.extend(dependencies::too_many(&whose, &tree, most));
    }
    Ok(faults)
}

fn products_are_lean(metadata: &Metadata) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for product in metadata.ours.iter().filter(|package| package.is_product()) {
        let tree = shell::output(&format!(
            "cargo tree --locked -p {} -e normal,dev --prefix none",
            product.name
        ))?;
        faults.extend(dependencies::absent(
            &product.name,
            &tree,
            dependencies::NOT_IN_A_PRODUCT,
        ));
    }
    Ok(faults)
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(shell::root().join(path)).with_context(|| format!("cannot read {path}"))
}
