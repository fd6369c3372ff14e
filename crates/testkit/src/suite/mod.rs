//! The checks that every product must pass. They need only its fixtures.

mod bless;
mod check;
mod classes;
mod coverage;
mod derived;
mod description;
mod errors;
mod exports;
mod hostile;
mod inputs;
mod losses;
mod outputs;
mod requests;
mod schemas;
mod texts;
mod traps;
mod views;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use libtest_mimic::{Arguments, Failed, Trial};
use stead_core::{
    catalogue::{Catalogue, CatalogueTool},
    product::Product,
};

use crate::{
    fixture::{self, Case, Fixture},
    replay_one,
};

pub use bless::bless;
pub use check::Check;
use check::{Faults, Of};
pub use outputs::faults_of;

static NOTHING: BTreeMap<String, String> = BTreeMap::new();

/// A product, its tools and their fixtures.
#[derive(Debug)]
pub struct Subject {
    product: &'static Product,
    catalogue: Catalogue,
    /// By name of the file.
    fixtures: BTreeMap<String, Result<Fixture, String>>,
}

impl Subject {
    /// A product whose fixtures lie in `folder`.
    pub fn new(product: &'static Product, folder: &Path) -> Self {
        let catalogue = Catalogue::new([product]);
        let tools = catalogue.newest().map(|tool| tool.entry().name());
        let mut files: BTreeSet<PathBuf> = tools
            .map(|tool| fixture::file(folder, product, tool))
            .collect();
        files.extend(files_in(folder));
        let name = |file: &Path| {
            let stem = file.file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        };
        let files = files.iter();
        let fixtures = files.map(|file| (name(file), Fixture::read(file)));
        let fixtures = fixtures.collect();
        Self {
            product,
            catalogue,
            fixtures,
        }
    }

    fn tools(&self) -> impl Iterator<Item = &CatalogueTool> {
        self.catalogue.newest()
    }

    /// The cases of a tool. None if its file can't be read, which another check reports.
    fn cases_of(&self, tool: &str) -> &[Case] {
        let fixture = self.fixture_of(tool);
        fixture.map_or(&[], |fixture| &fixture.cases)
    }

    fn fixture_of(&self, tool: &str) -> Option<&Fixture> {
        let read = self.fixtures.get(fixture::short_name(self.product, tool));
        read.and_then(|read| read.as_ref().ok())
    }

    /// Paths that the readable view of a tool omits by design, with the reason for each.
    fn left_out_of(&self, tool: &str) -> &BTreeMap<String, String> {
        let fixture = self.fixture_of(tool);
        fixture.map_or(&NOTHING, |fixture| &fixture.view_leaves_out)
    }

    /// The traps of a tool, each in one sentence.
    fn traps_of(&self, tool: &str) -> &BTreeMap<String, String> {
        let fixture = self.fixture_of(tool);
        fixture.map_or(&NOTHING, |fixture| &fixture.traps)
    }

    /// Every tool with each of its cases.
    fn cases(&self) -> impl Iterator<Item = (&CatalogueTool, &Case)> {
        self.tools().flat_map(|tool| {
            let cases = self.cases_of(tool.entry().name()).iter();
            cases.map(move |case| (tool, case))
        })
    }
}

/// All checks of the suite, except the replay of the fixtures.
pub fn checks() -> Vec<Check> {
    macro_rules! checks {
        ($($of:ident $module:ident::$name:ident,)+) => {
            vec![$(Check { name: stringify!($name), of: Of::$of($module::$name) },)+]
        };
    }
    checks![
        Product description::names_are_unique_and_prefixed,
        Product description::versions_are_dates,
        Tool description::tools_and_parameters_are_described,
        Product description::scopes_are_declared,
        Product description::guides_name_existing_tools_and_settings,
        Product description::origins_are_plain,
        Product description::proxy_routes_are_well_formed,
        Product description::oauth_endpoints_are_not_proxied,
        Product texts::scopes_are_described_in_every_language,
        Product texts::texts_are_translated,
        Tool schemas::schemas_are_portable,
        Tool schemas::bounds_and_enums_are_kept,
        Tool exports::exports_fit_their_vendors,
        Tool exports::calls_by_an_export_are_plain_calls,
        Tool inputs::unknown_arguments_are_refused_with_the_known_ones,
        Tool inputs::every_tool_accepts_versions,
        Tool inputs::typed_calls_are_calls_by_name,
        Tool views::readable_views_are_portable,
        Case views::readable_views_keep_to_their_schema,
        Tool losses::readable_views_lose_nothing_silently,
        Tool losses::cuts_in_readable_views_are_found,
        Tool outputs::outputs_are_portable,
        Case outputs::results_match_their_outputs,
        Product outputs::members_of_outputs_are_seen,
        Product coverage::fixture_files_are_of_tools,
        Tool coverage::fixtures_cover_uses_and_errors,
        Tool coverage::fixtures_do_not_restate_the_schema,
        Tool traps::traps_have_cases,
        Case traps::cases_say_what_is_resent,
        Case traps::cases_say_what_policies_know,
        Case requests::tools_await_only_io,
        Case requests::effects_match_methods,
        Tool requests::hints_match_methods,
        Case requests::writes_say_what_follows,
        Case requests::requests_stay_at_the_origins,
        Case classes::requests_are_classified,
        Product classes::fact_kinds_are_words,
        Product classes::guards_are_described,
        Product classes::classifying_never_panics,
        Tool hostile::hostile_strings_stay_data,
        Product errors::errors_become_kinds,
    ]
}

/// Runs the whole suite.
///
/// # Panics
/// If there are faults. The message has all of them, by check.
pub fn product(product: &'static Product, fixtures: &Path) {
    let subject = Subject::new(product, fixtures);
    let faults: Vec<String> = checks()
        .into_iter()
        .flat_map(|check| {
            let faults = check.run(&subject).into_iter();
            faults.map(move |fault| format!("{}: {fault}", check.name))
        })
        .chain(subject.cases().filter_map(|(tool, case)| {
            replay_one(tool, case)
                .err()
                .map(|fault| format!("{}, {:?}:\n{fault}", tool.entry().name(), case.name))
        }))
        .chain(subject.tools().flat_map(|tool| {
            let faults = match derived::derive(&subject, tool) {
                Ok(cases) => cases.iter().flat_map(|case| case.faults(tool)).collect(),
                Err(faults) => faults,
            };
            let faults = faults.into_iter();
            faults.map(|fault| format!("{}: {fault}", tool.entry().name()))
        }))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The `main` of a product's `tests/suite.rs`: one named test per check, per fixture and per keyword of a schema.
pub fn main(product: &'static Product, fixtures: impl AsRef<Path>) -> ExitCode {
    let subject: &'static Subject = Box::leak(Box::new(Subject::new(product, fixtures.as_ref())));
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [flag, case] = arguments.as_slice()
        && flag == "--bless"
    {
        // Runs as a test named `bless`, so that failures are reported like all others.
        let case = case.clone();
        let folder = fixtures.as_ref().to_owned();
        let bless = move || bless(product, &folder, &case).map_err(Failed::from);
        let whole = Arguments::from_iter(["suite"]);
        return libtest_mimic::run(&whole, vec![Trial::test("bless", bless)]).exit_code();
    }
    let checks = checks()
        .into_iter()
        .map(|check| Trial::test(check.name, move || outcome(&check.run(subject))));
    let cases = subject.cases().map(|(tool, case)| {
        let name = format!(
            "fixture::{}::{}",
            tool.entry().name(),
            case.name.replace(' ', "_")
        );
        Trial::test(name, move || replay_one(tool, case).map_err(Failed::from))
    });
    let derived = subject
        .tools()
        .flat_map(|tool| derived_trials(subject, tool));
    let trials = checks.chain(cases).chain(derived).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// One test for each keyword and place. If they can't be derived, one test that says why.
fn derived_trials(subject: &Subject, tool: &'static CatalogueTool) -> Vec<Trial> {
    let name = tool.entry().name();
    match derived::derive(subject, tool) {
        Ok(cases) => cases
            .into_iter()
            .map(|case| {
                let name = format!("derived::{name}::{}::{}", case.pointer, case.rule);
                Trial::test(name, move || outcome(&case.faults(tool)))
            })
            .collect(),
        Err(faults) => vec![Trial::test(format!("derived::{name}"), move || {
            outcome(&faults)
        })],
    }
}

fn outcome(faults: &[String]) -> Result<(), Failed> {
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("\n").into())
    }
}

/// An address of the product. If its host depends on a connection's settings, a made-up host replaces it.
fn with_host(address: &str) -> String {
    address.replace("{host}", "host.example")
}

/// The fixture files in a folder.
fn files_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|one| one == "json"))
}
