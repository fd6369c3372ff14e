//! `cargo xtask test`: everything that must hold, step by step, up to the first failure.

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// How much is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What is worth running after every change.
    Fast,
    /// Everything.
    Full,
}
use Extent::{Fast, Full};

/// The steps, in the order in which they are run. The cheap ones come first, and those that share compiled crates
/// stand together.
const STEPS: &[Step] = &[
    Step::new(Fast, "format", "cargo fmt --all --check"),
    Step::new(Fast, "tidy", "cargo xtask tidy"),
    Step::new(
        Fast,
        "lints",
        "cargo clippy --workspace --all-targets --all-features --locked -- -D warnings",
    ),
    Step::new(
        Full,
        "documentation",
        "cargo doc --workspace --all-features --no-deps --locked",
    )
    .with("RUSTDOCFLAGS", "-D warnings"),
    Step::new(
        Full,
        "features: none",
        "cargo clippy -p stead --no-default-features --locked -- -D warnings",
    ),
    Step::new(
        Full,
        "features: client",
        "cargo clippy -p stead --no-default-features --features client --locked -- -D warnings",
    ),
    Step::new(
        Full,
        "features: platform",
        "cargo clippy -p stead --no-default-features --features platform --locked -- -D warnings",
    ),
    Step::new(
        Full,
        "features: mail",
        "cargo clippy -p stead --no-default-features --features mail --locked -- -D warnings",
    ),
    Step::new(
        Full,
        "features: a client's",
        "cargo clippy -p stead --no-default-features --features client,mail,reqwest --locked -- -D warnings",
    ),
    Step::new(
        Full,
        "features: default",
        "cargo clippy -p stead --locked -- -D warnings",
    ),
    Step::new(Fast, "tests", "cargo test --workspace --locked"),
    Step::new(
        Full,
        "tests of mail alone",
        "cargo test -p stead-mail --locked",
    ),
    Step::new(Full, "generated pages", "cargo xtask codegen --check"),
    Step::new(Full, "demo", "cargo run --quiet --locked -- demo"),
    Step::new(
        Full,
        "demo, broken",
        "cargo run --quiet --locked -- demo --break mail_list_drafts",
    )
    .exits(1),
];

/// Runs the steps of `extent`; prints each with its command and its time.
///
/// # Errors
/// At the first step that fails, with the command that runs it again.
pub(crate) fn run(extent: Extent) -> Result<()> {
    let steps: Vec<&Step> = STEPS
        .iter()
        .filter(|step| extent == Full || step.extent == Fast)
        .collect();
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
    println!("\nAll in {:.0} s.", start.elapsed().as_secs_f64());
    println!("{} passed, 0 failed", steps.len());
    Ok(())
}

/// One command and what is expected of it.
struct Step {
    extent: Extent,
    name: &'static str,
    command: &'static str,
    variable: Option<(&'static str, &'static str)>,
    exit: i32,
}

impl Step {
    const fn new(extent: Extent, name: &'static str, command: &'static str) -> Self {
        Self {
            extent,
            name,
            command,
            variable: None,
            exit: 0,
        }
    }

    /// With a variable in its environment.
    const fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.variable = Some((name, value));
        self
    }

    /// Expected to end with this exit code instead of 0.
    const fn exits(mut self, code: i32) -> Self {
        self.exit = code;
        self
    }

    /// The line that runs this step again in a shell.
    fn line(&self) -> String {
        match self.variable {
            Some((name, value)) => format!("{name}=\"{value}\" {}", self.command),
            None => self.command.to_owned(),
        }
    }

    fn run(&self) -> Result<()> {
        let mut command = shell::command(self.command);
        if let Some((name, value)) = self.variable {
            command.env(name, value);
        }
        let status = command
            .status()
            .with_context(|| format!("cannot start `{}`", self.line()))?;
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
    fn every_step_has_a_name_of_its_own() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }
}
