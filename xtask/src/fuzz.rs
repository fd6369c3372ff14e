//! `cargo xtask fuzz`: builds the targets of `tests/fuzz` and runs each for a while.

use std::{
    fs::{self, File},
    process::Stdio,
};

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// The crate of the targets, which isn't in this workspace.
const FOLDER: &str = "tests/fuzz";
/// Sanitizers need a nightly toolchain. The targets look for panics, which need no sanitizer.
const OPTIONS: &str =
    "--fuzz-dir tests/fuzz --sanitizer none --codegen-units 16 --target-dir tests/fuzz/target";
/// An input is a finding if it takes longer than this many seconds, or more than this many megabytes.
const LIMITS: [&str; 3] = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=4096"];
/// Seconds per target.
const SMOKE: u32 = 20;
const FULL: u32 = 600;
/// How many lines of a target's log are shown after a finding.
const SHOWN: usize = 40;

/// Runs all targets, or the named ones. `--smoke` runs each for a short time, `--seconds N` for another time.
///
/// # Errors
/// If cargo-fuzz isn't installed, a target doesn't compile, or one finds something.
pub(crate) fn run(options: &[&str]) -> Result<()> {
    let plan = Plan::of(options, targets()?)?;
    if shell::output("cargo --list").map_or(true, |list| !lists_fuzz(&list)) {
        bail!("cargo-fuzz is not installed; install it with `cargo install cargo-fuzz --locked`");
    }
    shell::run(&format!(
        "cargo fetch --quiet --locked --manifest-path {FOLDER}/Cargo.toml"
    ))?;
    for target in &plan.targets {
        shell::run(&format!("cargo fuzz build {OPTIONS} {target}"))?;
    }
    let mut reports = Vec::new();
    for target in &plan.targets {
        println!("{target}: {} s", plan.seconds);
        reports.push(fuzz(target, plan.seconds)?);
    }
    println!("\n{}", table(&reports));
    let found = reports.iter().filter(|report| report.finding.is_some());
    match found.count() {
        0 => Ok(()),
        count => bail!("{count} targets found something"),
    }
}

/// What to run.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    targets: Vec<String>,
    seconds: u32,
}

impl Plan {
    fn of(options: &[&str], all: Vec<String>) -> Result<Self> {
        let mut seconds = FULL;
        let mut targets = Vec::new();
        let mut options = options.iter();
        while let Some(option) = options.next() {
            match *option {
                "--smoke" => seconds = SMOKE,
                "--seconds" => {
                    let number = options.next().and_then(|number| number.parse().ok());
                    // For libFuzzer, 0 means forever.
                    let number = number.filter(|number| *number > 0);
                    seconds = number.context("--seconds expects a number above 0")?;
                }
                name if all.iter().any(|target| target == name) => targets.push(name.to_owned()),
                other => bail!(
                    "{other}: expected --smoke, --seconds, or one of: {}",
                    all.join(", ")
                ),
            }
        }
        if targets.is_empty() {
            targets = all;
        }
        Ok(Self { targets, seconds })
    }
}

/// The targets, named after their files.
fn targets() -> Result<Vec<String>> {
    let mut targets = Vec::new();
    for file in fs::read_dir(shell::root().join(FOLDER).join("targets"))? {
        let name = file?.file_name().to_string_lossy().into_owned();
        targets.extend(name.strip_suffix(".rs").map(str::to_owned));
    }
    targets.sort_unstable();
    Ok(targets)
}

fn lists_fuzz(list: &str) -> bool {
    list.lines()
        .any(|line| line.split_whitespace().next() == Some("fuzz"))
}

/// The result of a target.
#[derive(Debug)]
struct Report {
    target: String,
    seconds: f64,
    executions: Option<u64>,
    /// The line that describes the finding.
    finding: Option<String>,
}

/// Runs a target. `corpus` keeps inputs that reach new code. The seeds are in the repository.
fn fuzz(target: &str, seconds: u32) -> Result<Report> {
    let [corpus, seeds] = ["corpus", "seeds"].map(|folder| format!("{FOLDER}/{folder}/{target}"));
    let logs = shell::root().join(FOLDER).join("target/logs");
    for folder in [
        &shell::root().join(&corpus),
        &shell::root().join(&seeds),
        &logs,
    ] {
        fs::create_dir_all(folder)?;
    }
    let path = logs.join(format!("{target}.txt"));
    let log = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    let start = shell::now();
    let status = shell::command(&format!(
        "cargo fuzz run {OPTIONS} {target} {corpus} {seeds} --"
    ))
    .args(LIMITS)
    .arg(format!("-max_total_time={seconds}"))
    .arg("-print_final_stats=1")
    .stdout(Stdio::null())
    .stderr(log)
    .status()
    .context("cannot start cargo")?;
    let seconds = start.elapsed().as_secs_f64();
    let log = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
    let finding = (!status.success()).then(|| finding(&log));
    if finding.is_some() {
        let lines: Vec<&str> = log.lines().collect();
        println!("{}", lines[lines.len().saturating_sub(SHOWN)..].join("\n"));
    }
    Ok(Report {
        target: target.to_owned(),
        seconds,
        executions: executions(&log),
        finding,
    })
}

/// How many inputs a target received, according to the end of its log.
fn executions(log: &str) -> Option<u64> {
    let mut lines = log.lines().rev();
    lines.find_map(|line| {
        line.strip_prefix("stat::number_of_executed_units:")?
            .trim()
            .parse()
            .ok()
    })
}

/// Describes a finding: the path of the input, or the last line.
fn finding(log: &str) -> String {
    let written = log
        .lines()
        .find_map(|line| line.split("Test unit written to ").nth(1));
    let last = log.lines().rfind(|line| !line.is_empty());
    written
        .or(last)
        .unwrap_or("it ended without a word")
        .to_owned()
}

fn table(reports: &[Report]) -> String {
    let mut lines = vec![format!(
        "{:<16} {:>8} {:>12}  finding",
        "target", "seconds", "executions"
    )];
    for report in reports {
        let executions = report
            .executions
            .map_or("?".to_owned(), |number| number.to_string());
        let finding = report.finding.as_deref().unwrap_or("none");
        lines.push(format!(
            "{:<16} {:>8.0} {executions:>12}  {finding}",
            report.target, report.seconds
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDED: &str = "#1\tINITED\nDone 12 runs in 2 second(s)\nstat::number_of_executed_units: 12\nstat::peak_rss_mb:              40\n";
    const FOUND: &str = "thread panicked at 'x'\nartifact_prefix='a/'; Test unit written to a/crash-1\nBase64: YQ==\n";

    #[test]
    fn options_choose_targets_and_duration() {
        let all = || vec!["a".to_owned(), "b".to_owned()];
        let plan = |options: &[&str]| Plan::of(options, all());
        let expected = |targets: &[&str], seconds| {
            let targets = targets.iter().map(|one| (*one).to_owned()).collect();
            Plan { targets, seconds }
        };
        assert_eq!(plan(&[]).unwrap(), expected(&["a", "b"], FULL));
        assert_eq!(plan(&["--smoke"]).unwrap(), expected(&["a", "b"], SMOKE));
        assert_eq!(plan(&["b", "--seconds", "7"]).unwrap(), expected(&["b"], 7));
        for wrong in [
            &["c"][..],
            &["--seconds"],
            &["--seconds", "0"],
            &["--seconds", "a"],
        ] {
            assert!(plan(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_log_has_the_runs_and_the_findings() {
        assert_eq!(executions(ENDED), Some(12));
        assert_eq!(executions(FOUND), None);
        assert_eq!(finding(FOUND), "a/crash-1");
        assert_eq!(
            finding("error: no such target\n\n"),
            "error: no such target"
        );
    }

    #[test]
    fn every_target_is_a_program_and_has_seeds() {
        let folder = shell::root().join(FOLDER);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let targets = targets().unwrap();
        assert!(!targets.is_empty());
        for target in &targets {
            let named = format!("name = \"{target}\"\npath = \"targets/{target}.rs\"");
            assert!(manifest.contains(&named), "{target} is not in Cargo.toml");
            let mut seeds = fs::read_dir(folder.join("seeds").join(target)).expect(target);
            assert!(seeds.next().is_some(), "{target} has no seeds");
            let words = folder.join("dictionaries").join(format!("{target}.txt"));
            assert!(words.exists(), "{target} has no dictionary");
        }
        assert_eq!(manifest.matches("[[bin]]").count(), targets.len());
    }

    #[test]
    fn cargo_says_whether_it_can_fuzz() {
        assert!(lists_fuzz(
            "Installed Commands:\n    fmt    Formats\n    fuzz\n"
        ));
        assert!(!lists_fuzz("Installed Commands:\n    fix   as fuzz\n"));
    }
}
