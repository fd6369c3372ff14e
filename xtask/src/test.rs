//! `cargo xtask test` checks everything that must hold, step by step, and stops at the first failure.

use std::{fs, path::PathBuf, time::Duration};

use anyhow::{Context as _, Result, ensure};

use crate::{conformance, shell};

/// How much to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum Extent {
    /// Quick checks, for every change.
    Fast,
    /// Everything that must hold before a merge, except checks whose files are missing.
    Full,
    /// Also the matrices, and the longest searches and journeys. Anything that's missing is a failure.
    All,
}

/// The steps: the extent from which a step runs, and a line for the shell. Cheap steps come first. Steps that share
/// compiled crates are neighbours. A line with `{product}` runs for each product. `{all}` is `--all` with that extent.
const STEPS: &str = "
fast | cargo fmt --all --check
# A macro lists the tools, so cargo doesn't find them.
fast | rustfmt --edition 2024 --check crates/products/*/src/tools/*.rs
fast | cargo fmt --manifest-path tests/browser/Cargo.toml --check
fast | cargo fmt --manifest-path tests/fuzz/Cargo.toml --check
# Ends of lines, compared with an empty tree.
fast | git -c core.whitespace=-space-before-tab diff --check 4b825dc642cb6eb9a060e54bf8d69288fbee4904 -- '*.rs' '*.md' '*.toml'
fast | cargo xtask tidy
fast | cargo xtask prose {all}
fast | cargo xtask book {all}
fast | cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
all  | cargo clippy --manifest-path tests/browser/Cargo.toml --target-dir target --locked -- -D warnings
# This lock file follows the dependencies of the crates.
full | cargo fetch --quiet --locked --manifest-path tests/fuzz/Cargo.toml
full | RUSTDOCFLAGS='-D warnings' cargo doc --workspace --all-features --no-deps --locked
# The program and the service with fewer features.
full | cargo clippy -p stead-cli --no-default-features --locked -- -D warnings
all  | cargo clippy -p stead-cli --no-default-features --features dashboard --all-targets --locked -- -D warnings
all  | cargo test -p stead-cli --no-default-features --locked
all  | cargo test -p stead-server --no-default-features --locked
# The library with fewer features.
full | cargo clippy -p stead --locked -- -D warnings
full | cargo clippy -p stead --no-default-features --locked -- -D warnings
full | cargo clippy -p stead --no-default-features --features platform --locked -- -D warnings
full | cargo clippy -p stead --no-default-features --features client --locked -- -D warnings
all  | cargo clippy -p stead --no-default-features --features client,mail,reqwest --locked -- -D warnings
all  | cargo clippy -p stead --no-default-features --features {product} --locked -- -D warnings
fast | cargo xtask shells {all}
full | cargo xtask postgres {all}
fast | cargo test --workspace --locked
fast | cargo xtask fixtures --check
# A product is tested with core and nothing else: what another crate turns on does not help it.
all  | cargo test -p stead-{product} --locked
full | cargo xtask codegen --check
full | cargo xtask deny {all}
# Examples of the library, which end by themselves. The tests have built them.
full | target/debug/examples/embedded
full | target/debug/examples/axum_app
full | target/debug/examples/agent_loop
full | cargo xtask clients {all}
full | cargo xtask docs {pages}
full | cargo xtask mcp-conformance {all}
full | cargo xtask browser {journeys}
# More histories.
all  | PROPTEST_CASES=1024 cargo test -p stead-core --all-features --lib --locked -- oauth::refresh --nocapture
all  | PROPTEST_CASES=4000 cargo test -p stead-store --test simulation --locked -- --nocapture
all  | cargo test -p xtask --locked -- --include-ignored guides
all  | cargo xtask fuzz --smoke
full | cargo xtask chaos --smoke
full | target/debug/stead demo
full | target/debug/stead demo --break mail_list_drafts; test $? = 1
";

/// The longest time for a step. A program that hangs fails, and the output names it.
const LIMIT: Duration = Duration::from_secs(40 * 60);

/// Runs the steps of `extent`, and prints each with its time.
///
/// # Errors
/// If a step fails.
pub(crate) fn run(extent: Extent) -> Result<()> {
    let mut steps = steps(extent, &products()?);
    if extent >= Extent::Full && (conformance::found() || extent == Extent::All) {
        steps.push("cargo xtask conformance".to_owned());
    }
    let notes = notes();
    let _ = fs::remove_file(&notes);
    let start = shell::now();
    for (passed, step) in steps.iter().enumerate() {
        println!("\n== {step}");
        let start = shell::now();
        if let Err(error) = run_step(step) {
            println!("\n{passed} passed, 1 failed");
            return Err(error);
        }
        println!("== ok, {:.1} s", start.elapsed().as_secs_f64());
    }
    println!("\nAll in {:.0} s.", start.elapsed().as_secs_f64());
    if extent == Extent::Full && !conformance::found() {
        println!("not checked: `cargo xtask conformance` says what it needs");
    }
    let notes = fs::read_to_string(notes).unwrap_or_default();
    println!("{} passed, 0 failed{}", steps.len(), not_checked(&notes));
    Ok(())
}

/// The file in which steps note what they can't check.
fn notes() -> PathBuf {
    shell::root().join("target/not-checked")
}

/// The end of the last line: what wasn't checked.
fn not_checked(notes: &str) -> String {
    let each = notes.lines().map(|what| format!("; not checked: {what}"));
    each.collect()
}

/// The lines of [`STEPS`] for an extent, without their placeholders.
fn steps(extent: Extent, products: &[String]) -> Vec<String> {
    let is_all = extent == Extent::All;
    let values = [
        ("{all}", if is_all { "--all" } else { "" }),
        (
            "{pages}",
            if is_all {
                "--all"
            } else {
                "start build/sdks.md"
            },
        ),
        ("{journeys}", if is_all { "--all" } else { "--smoke" }),
    ];
    let mut steps = Vec::new();
    for (from, line) in STEPS.lines().filter_map(|line| line.split_once(" | ")) {
        let from = match from.trim() {
            "fast" => Extent::Fast,
            "full" => Extent::Full,
            _ => Extent::All,
        };
        if from > extent {
            continue;
        }
        let replace = |line: String, (name, value): &(&str, &str)| line.replace(name, value);
        let line = values.iter().fold(line.to_owned(), replace);
        match line.contains("{product}") {
            true => steps.extend(products.iter().map(|one| line.replace("{product}", one))),
            false => steps.push(line.trim_end().to_owned()),
        }
    }
    steps
}

/// The names of the products' folders.
fn products() -> Result<Vec<String>> {
    let mut products = Vec::new();
    for folder in fs::read_dir(shell::root().join("crates/products"))? {
        let folder = folder?;
        // A crate that products share has no product.
        if folder.path().join("src/product.rs").exists() {
            products.push(folder.file_name().to_string_lossy().into_owned());
        }
    }
    products.sort_unstable();
    Ok(products)
}

fn run_step(line: &str) -> Result<()> {
    let mut command = shell::command("sh -c");
    command.arg(line).env(shell::NOT_CHECKED, notes());
    let status = shell::status_within(&mut command, LIMIT);
    let status = status.with_context(|| format!("failed: {line}"))?;
    ensure!(status.success(), "failed: {line}\n({status})");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_judged_by_its_exit_code() {
        assert!(run_step("true").is_ok());
        assert!(run_step("false; test $? = 1").is_ok());
        assert!(run_step("true; test $? = 1").is_err());
        assert!(run_step("no-such-program-here").is_err());
        let error = run_step("A='b c' false --again").unwrap_err().to_string();
        assert!(
            error.starts_with("failed: A='b c' false --again\n"),
            "{error}"
        );
    }

    #[test]
    fn the_last_line_names_skipped_checks() {
        assert_eq!(not_checked(""), "");
        assert_eq!(
            not_checked("known vulnerabilities\njourneys\n"),
            "; not checked: known vulnerabilities; not checked: journeys"
        );
    }

    #[test]
    fn an_extent_has_its_steps_and_no_step_twice() {
        let products = products().unwrap();
        assert!(products.contains(&"mail".to_owned()));
        let [fast, full, mut all] =
            [Extent::Fast, Extent::Full, Extent::All].map(|extent| steps(extent, &products));
        let has = |steps: &[String], line: &str| steps.iter().any(|step| step == line);
        assert!(has(&fast, "cargo xtask prose") && !has(&fast, "cargo xtask deny"));
        assert!(has(&full, "cargo xtask deny") && has(&full, "cargo xtask browser --smoke"));
        assert!(
            has(&all, "cargo xtask deny --all") && has(&all, "cargo test -p stead-mail --locked")
        );
        let lines = STEPS
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let per_product = lines
            .clone()
            .filter(|line| line.contains("{product}"))
            .count();
        assert_eq!(
            all.len(),
            lines.count() + per_product * (products.len() - 1)
        );
        assert!(all.iter().all(|step| !step.contains(['{', '}'])), "{all:?}");
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "a step is there twice");
    }
}
