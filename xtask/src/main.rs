//! The project's own commands: `cargo xtask`.

#![expect(clippy::print_stdout, reason = "its output is what a command is for")]

mod bench;
mod codegen;
mod conformance;
mod shell;
mod test;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask test [--fast]       everything that must hold; --fast leaves out what seldom breaks
cargo xtask tidy [--floors]     the rules of the project that can be proved; --floors: only the imports of core
cargo xtask codegen [--check]   writes the generated pages of docs/reference, or compares them
cargo xtask conformance [--descriptions FOLDER]
                                requests and answers, held against the products' own descriptions
cargo xtask bench [--short]     Stead against nginx on this machine, side by side";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["test"] => test::run(test::Extent::Full),
        ["test", "--fast"] => test::run(test::Extent::Fast),
        ["tidy"] => tidy::run(),
        ["tidy", "--floors"] => tidy::floors(),
        ["codegen"] => codegen::run(codegen::Mode::Write),
        ["codegen", "--check"] => codegen::run(codegen::Mode::Check),
        ["conformance"] => conformance::run(None),
        ["conformance", "--descriptions", folder] => conformance::run(Some(folder)),
        ["bench"] => bench::run(&bench::FULL),
        ["bench", "--short"] => bench::run(&bench::SHORT),
        [] | ["help" | "--help"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => bail!("there is no such command\n\n{USAGE}"),
    }
}
