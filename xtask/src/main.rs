//! The project's own commands: `cargo xtask`.

#![expect(clippy::print_stdout, reason = "its output is what a command is for")]

mod bench;
mod book;
mod browser;
mod chaos;
mod clients;
mod codegen;
mod conformance;
mod deny;
#[cfg(test)]
mod deploy;
mod fuzz;
#[cfg(test)]
mod guides;
mod install;
mod mcp_conformance;
mod postgres;
mod prose;
mod shell;
mod size;
mod test;
mod tidy;
mod tools;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask test [--fast|--all] everything that must hold; --fast leaves out what seldom breaks; --all adds the matrices, the
                                longest searches and journeys, and what is missing is a failure
cargo xtask tidy                the rules of the project that no other tool can prove
cargo xtask size [COMMIT]       lines of code, tests and comments, and files, by crate; with a commit, their growth since then
cargo xtask codegen [--check]   writes the generated pages of docs/reference, or compares them
cargo xtask new-tool PRODUCT NAME
                                makes the three files of a tool
cargo xtask fixtures [--check]  lays out the fixture files, or says which are not
cargo xtask fixtures --bless TOOL/CASE
                                writes what the case sends and returns into its fixture
cargo xtask conformance [--descriptions FOLDER]
                                requests and responses, held against the products' own descriptions
cargo xtask shells [--all]      the shells into which the journeys are pasted: installed where they are missing; with
                                --all, what is missing is a failure
cargo xtask postgres [--all]    the database server that tests of the store start: installed where it is missing; with --all,
                                all of these tests, and what is missing is a failure
cargo xtask clients [--all]     the products' own SDKs, through the proxy, and every operation with made-up input; with
                                --all, what is missing is a failure
cargo xtask mcp-conformance [--all]
                                the official suite of the Model Context Protocol; with --all, a missing npm is a failure
cargo xtask browser [--all] [--smoke] [--screenshots FOLDER] [--readme docs] [JOURNEY…]
                                journeys through the dashboard in Chromium; with --all, pictures of every page are written to
                                target/screenshots, and what is missing is a failure; with --readme, the pictures of README
cargo xtask docs [--all] [PAGE…] runs the blocks of the book's pages, or of a page or folder below docs, against `stead dev`; with
                                --all, what is missing is a failure
cargo xtask prose [--all] [FOLDER]
                                how the texts read that people read, and their spelling; with a folder, also what isn't
                                rewritten yet; with --all, a linter that can't be installed is a failure
cargo xtask prose --count       words and sentences of README and docs, and how hard they are to read
cargo xtask book [--all] [--serve]
                                builds the book over docs into target/book, every link checked; with --serve, shows it at
                                http://127.0.0.1:8000 and builds what changes; with --all, a missing Python is a failure
cargo xtask deny [--all]        licences, sources and known vulnerabilities of the crates that are used; with --all, a check
                                that cannot be made is a failure
cargo xtask chaos [--smoke] [--seed NUMBER] [--json] [SCENARIO…]
                                the real service, killed and starved at every write: what must not be lost is not
cargo xtask fuzz [--smoke] [--seconds NUMBER] [TARGET…]
                                inputs that are led by coverage, for each target 10 minutes; with --smoke 20 seconds
cargo xtask upgrade [--minutes NUMBER] [--old STEAD]
                                an older version and this one side by side on one PostgreSQL, under load; the older one is
                                built from its commit, once
cargo xtask bench [--only PART,…] [--short] [--rounds NUMBER] [--seconds NUMBER] [--calls NUMBER] [--accounts NUMBER]
                  [--binary STEAD] [--against STEAD]
                                what Stead costs next to nginx on this machine, and next to another binary of Stead. Parts:
                                start, calls, memory, disk, accounts. Builds a release unless --binary names one";

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
    let all = arguments.contains(&"--all");
    match arguments {
        _ if arguments.is_empty() || arguments == ["help"] || arguments.contains(&"--help") => {
            println!("{USAGE}");
            Ok(())
        }
        ["test"] => test::run(test::Extent::Full),
        ["test", "--fast"] => test::run(test::Extent::Fast),
        ["test", "--all"] => test::run(test::Extent::All),
        ["tidy"] => tidy::run(),
        ["size"] => size::run(None),
        ["size", commit] => size::run(Some(commit)),
        ["codegen"] => codegen::run(codegen::Mode::Write),
        ["codegen", "--check"] => codegen::run(codegen::Mode::Check),
        ["new-tool", product, name] => tools::new(product, name),
        ["fixtures"] => tools::format_fixtures(""),
        ["fixtures", "--check"] => tools::format_fixtures("--check"),
        ["fixtures", "--bless", case] => tools::bless(case),
        ["conformance"] => conformance::run(None),
        ["conformance", "--descriptions", folder] => conformance::run(Some(folder)),
        ["shells"] | ["shells", "--all"] => install::shells(all),
        ["postgres"] | ["postgres", "--all"] => postgres::run(all),
        ["clients"] | ["clients", "--all"] => clients::run(all),
        ["mcp-conformance"] | ["mcp-conformance", "--all"] => mcp_conformance::run(all),
        ["browser", options @ ..] => browser::run(options),
        ["book", options @ ..] => book::build(options),
        ["docs", options @ ..] => book::run_blocks(options),
        ["prose", "--count"] => prose::count(),
        ["prose", options @ ..] => prose::run(options),
        ["deny"] | ["deny", "--all"] => deny::run(all),
        ["chaos", options @ ..] => chaos::run(options),
        ["fuzz", options @ ..] => fuzz::run(options),
        ["upgrade", options @ ..] => chaos::upgrade(options),
        ["bench", options @ ..] => bench::run(options),
        _ => bail!("there is no such command\n\n{USAGE}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_says_how_it_is_used() {
        for arguments in [&["bench", "--help"][..], &["--help"]] {
            run(arguments).unwrap();
        }
        assert!(run(&["no-such"]).is_err());
    }
}
