//! `cargo xtask test`: everything that must hold, step by step, up to the first failure.

use std::{fs, path::PathBuf, time::Duration};

use anyhow::{Context as _, Result, bail};

use crate::{conformance, shell};

/// How much is run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum Extent {
    /// What is worth running after every change.
    Fast,
    /// What must hold before a change is taken, except what needs files that are not there.
    Full,
    /// Also the matrices, the longest searches and journeys; what is missing is a failure.
    All,
}
use Extent::{Fast, Full};

/// Runs the steps of `extent`; prints each with its command and its time.
///
/// # Errors
/// At the first step that fails, with the command that runs it again.
pub(crate) fn run(extent: Extent) -> Result<()> {
    let products = products()?;
    let mut steps = steps(extent, &products, &tools(&products)?);
    let left_out = extent == Full && !conformance::found();
    if !left_out {
        steps.push(Step::new(Full, "conformance", "cargo xtask conformance"));
    }
    steps.retain(|step| step.extent <= extent);
    let notes = notes();
    let _ = fs::remove_file(&notes);
    let start = shell::now();
    for (passed, step) in steps.iter().enumerate() {
        println!("\n== {}: {}", step.name, step.line());
        let start = shell::now();
        if let Err(error) = step.run() {
            println!("\n{passed} passed, 1 failed");
            return Err(error);
        }
        println!(
            "== {}: ok, {:.1} s",
            step.name,
            start.elapsed().as_secs_f64()
        );
    }
    if left_out {
        println!("\n== conformance: left out; `cargo xtask conformance` says what it needs");
    }
    println!("\nAll in {:.0} s.", start.elapsed().as_secs_f64());
    let notes = fs::read_to_string(notes).unwrap_or_default();
    println!("{} passed, 0 failed{}", steps.len(), not_checked(&notes));
    Ok(())
}

/// Where the steps note what they leave out.
fn notes() -> PathBuf {
    shell::root().join("target/left-out")
}

/// What was left out, for the last line.
fn not_checked(notes: &str) -> String {
    let each = notes.lines().map(|what| format!("; not checked: {what}"));
    each.collect()
}

/// The steps, in the order in which they are run. The cheap ones come first, and those that share compiled crates
/// stand together.
fn steps(extent: Extent, products: &[String], tools: &[String]) -> Vec<Step> {
    // With it, what is missing on this machine is a failure.
    let all = if extent == Extent::All { " --all" } else { "" };
    let mut steps = vec![
        Step::new(Fast, "format", "cargo fmt --all --check"),
        // The list in tools/mod.rs is a macro, behind which cargo does not find the tools.
        Step::new(
            Fast,
            "format of the tools",
            format!("rustfmt --edition 2024 --check {}", tools.join(" ")),
        ),
        // The tree is the empty one: every line counts as new.
        Step::new(
            Fast,
            "ends of lines",
            "git -c core.whitespace=-space-before-tab diff --check 4b825dc642cb6eb9a060e54bf8d69288fbee4904 -- *.rs *.md *.toml",
        ),
        Step::new(Fast, "tidy", "cargo xtask tidy"),
        Step::new(Fast, "prose", format!("cargo xtask prose{all}")),
        Step::new(Fast, "book", format!("cargo xtask book{all}")),
        Step::new(
            Fast,
            "lints",
            "cargo clippy --workspace --all-targets --all-features --locked -- -D warnings",
        ),
        Step::new(
            Fast,
            "format of the journeys in a browser",
            "cargo fmt --manifest-path tests/browser/Cargo.toml --check",
        ),
        Step::new(
            Extent::All,
            "lints of the journeys in a browser",
            "cargo clippy --manifest-path tests/browser/Cargo.toml --target-dir target --locked -- -D warnings",
        ),
        Step::new(
            Fast,
            "format of the targets of fuzzing",
            "cargo fmt --manifest-path tests/fuzz/Cargo.toml --check",
        ),
        // It has a lock file of its own, which follows the dependencies of the crates.
        Step::new(
            Full,
            "lock file of the targets of fuzzing",
            "cargo fetch --quiet --locked --manifest-path tests/fuzz/Cargo.toml",
        ),
        Step::new(
            Full,
            "documentation",
            "cargo doc --workspace --all-features --no-deps --locked",
        )
        .with("RUSTDOCFLAGS", "-D warnings"),
        Step::new(
            Full,
            "the binary without sandbox and dashboard",
            "cargo clippy -p stead-cli --no-default-features --locked -- -D warnings",
        ),
        Step::new(
            Extent::All,
            "the binary without sandbox",
            "cargo clippy -p stead-cli --no-default-features --features dashboard --all-targets --locked -- -D warnings",
        ),
        Step::new(
            Extent::All,
            "the tests of the binary without sandbox and dashboard",
            "cargo test -p stead-cli --no-default-features --locked",
        ),
        Step::new(
            Extent::All,
            "the service without dashboard",
            "cargo test -p stead-server --no-default-features --locked",
        ),
        Step::new(
            Full,
            "the facade as it comes",
            "cargo clippy -p stead --locked -- -D warnings",
        ),
        facade("platform"),
        facade("client"),
        Step::new(
            Full,
            "the facade, empty",
            "cargo clippy -p stead --no-default-features --locked -- -D warnings",
        ),
    ];
    // A link in a comment may lead to what only another feature brings. The crates below are compiled already.
    let each = ["default", "platform", "client"].into_iter();
    let each = each.chain(products.iter().map(String::as_str));
    steps.extend(each.map(documentation_of_facade));
    let few = ["client,mail,reqwest"].into_iter();
    let few = few.chain(products.iter().map(String::as_str));
    steps.extend(few.map(|features| facade(features).only_with_all()));
    steps.push(Step::new(
        Fast,
        "shells",
        format!("cargo xtask shells{all}"),
    ));
    steps.push(Step::new(
        Full,
        "the store over PostgreSQL",
        format!("cargo xtask postgres{all}"),
    ));
    steps.push(Step::new(Fast, "tests", "cargo test --workspace --locked"));
    steps.push(Step::new(Fast, "fixtures", "cargo xtask fixtures --check"));
    // A product is built and tested with core and nothing else: what another crate turns on does not help it.
    steps.extend(products.iter().map(|product| {
        Step::new(
            Extent::All,
            format!("tests of {product} by itself"),
            format!("cargo test -p stead-{product} --locked"),
        )
    }));
    steps.extend([
        Step::new(Full, "generated pages", "cargo xtask codegen --check"),
        Step::new(Full, "dependencies", format!("cargo xtask deny{all}")),
        example("embedded"),
        example("axum_app"),
        example("agent_loop"),
        Step::new(
            Full,
            "the products' SDKs",
            format!("cargo xtask clients{all}"),
        ),
        Step::new(
            Full,
            "blocks of the book",
            match extent {
                Extent::All => "cargo xtask docs --all",
                _ => "cargo xtask docs start build/sdks.md",
            },
        ),
        Step::new(
            Full,
            "the suite of the Model Context Protocol",
            format!("cargo xtask mcp-conformance{all}"),
        ),
        Step::new(
            Full,
            "journeys in a browser",
            match extent {
                Extent::All => "cargo xtask browser --all",
                _ => "cargo xtask browser --smoke",
            },
        ),
        Step::new(
            Extent::All,
            "every state of the model, and more histories",
            "cargo test -p stead-core --all-features --lib --locked -- --include-ignored oauth::refresh --nocapture",
        )
        .with("PROPTEST_CASES", "1024"),
        Step::new(
            Extent::All,
            "a tool and a product made as the guides say",
            "cargo test -p xtask --locked -- --include-ignored guides",
        ),
        Step::new(
            Extent::All,
            "more histories over SQLite",
            "cargo test -p stead-store --test simulation --locked -- --nocapture",
        )
        .with("PROPTEST_CASES", "4000"),
        Step::new(Extent::All, "fuzzing", "cargo xtask fuzz --smoke"),
        Step::new(Full, "chaos", "cargo xtask chaos --smoke"),
        Step::new(Full, "demo", "target/debug/stead demo"),
        Step::new(
            Full,
            "demo, broken",
            "target/debug/stead demo --break mail_list_drafts",
        )
        .exits(1),
    ]);
    steps
}

/// An example of the facade, which ends by itself. The tests have built it.
fn example(name: &str) -> Step {
    Step::new(
        Full,
        format!("example {name}"),
        format!("target/debug/examples/{name}"),
    )
}

/// The documentation of the facade with only these features.
fn documentation_of_facade(features: &str) -> Step {
    Step::new(
        Full,
        format!("documentation of the facade with {features}"),
        format!(
            "cargo doc -p stead --no-default-features --features {features} --no-deps --locked"
        ),
    )
}

/// The facade with only these features.
fn facade(features: &str) -> Step {
    Step::new(
        Full,
        format!("the facade with {features}"),
        format!(
            "cargo clippy -p stead --no-default-features --features {features} --locked -- -D warnings"
        ),
    )
}

/// The products, by the folders of their crates.
fn products() -> Result<Vec<String>> {
    let mut products = Vec::new();
    for folder in fs::read_dir(shell::root().join("crates/products"))? {
        let folder = folder?;
        // What several products share is not a product, and describes none.
        if folder.path().join("src/product.rs").exists() {
            products.push(folder.file_name().to_string_lossy().into_owned());
        }
    }
    products.sort_unstable();
    Ok(products)
}

/// The sources of the products' tools.
fn tools(products: &[String]) -> Result<Vec<String>> {
    let mut sources = Vec::new();
    for product in products {
        for file in
            fs::read_dir(shell::root().join(format!("crates/products/{product}/src/tools")))?
        {
            let name = file?.file_name().to_string_lossy().into_owned();
            sources.push(format!("crates/products/{product}/src/tools/{name}"));
        }
    }
    sources.sort_unstable();
    Ok(sources)
}

/// The longest that a step may take: a program that hangs fails, and the output says which one it is.
const LIMIT: Duration = Duration::from_secs(40 * 60);

/// One command and what is expected of it.
struct Step {
    extent: Extent,
    name: String,
    command: String,
    variable: Option<(&'static str, &'static str)>,
    exit: i32,
}

impl Step {
    fn new(extent: Extent, name: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            extent,
            name: name.into(),
            command: command.into(),
            variable: None,
            exit: 0,
        }
    }

    /// With a variable in its environment.
    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.variable = Some((name, value));
        self
    }

    /// Left to `--all`.
    fn only_with_all(mut self) -> Self {
        self.extent = Extent::All;
        self
    }

    /// Expected to end with this exit code instead of 0.
    fn exits(mut self, code: i32) -> Self {
        self.exit = code;
        self
    }

    /// The line that runs this step again in a shell.
    fn line(&self) -> String {
        match self.variable {
            Some((name, value)) => format!("{name}=\"{value}\" {}", self.command),
            None => self.command.clone(),
        }
    }

    fn run(&self) -> Result<()> {
        let mut command = shell::command(&self.command);
        if let Some((name, value)) = self.variable {
            command.env(name, value);
        }
        command.env(shell::LEFT_OUT, notes());
        let status = shell::status_within(&mut command, LIMIT)
            .with_context(|| format!("failed: {}", self.line()))?;
        if status.code() != Some(self.exit) {
            bail!(
                "failed: {}\n({status}; expected: exit status: {})",
                self.line(),
                self.exit
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_judged_by_its_exit_code() {
        assert!(Step::new(Fast, "holds", "true").run().is_ok());
        assert!(
            Step::new(Fast, "fails as it should", "false")
                .exits(1)
                .run()
                .is_ok()
        );
        assert!(
            Step::new(Fast, "holds against expectation", "true")
                .exits(1)
                .run()
                .is_err()
        );
        assert!(
            Step::new(Fast, "is not there", "no-such-program-here")
                .run()
                .is_err()
        );

        let error = Step::new(Fast, "fails", "false --again")
            .with("A", "b c")
            .run()
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("failed: A=\"b c\" false --again\n")
        );
    }

    #[test]
    fn the_last_line_names_what_was_left_out() {
        assert_eq!(not_checked(""), "");
        assert_eq!(
            not_checked("known vulnerabilities\njourneys\n"),
            "; not checked: known vulnerabilities; not checked: journeys"
        );
    }

    #[test]
    fn every_product_is_checked_by_itself() {
        let products = products().unwrap();
        assert!(products.iter().any(|product| product == "mail"));

        let mut lines: Vec<_> = steps(Full, &products, &[]).iter().map(Step::line).collect();
        for product in products {
            assert!(lines.contains(&format!("cargo test -p stead-{product} --locked")));
        }
        let all = lines.len();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), all, "a step is there twice");
    }
}
