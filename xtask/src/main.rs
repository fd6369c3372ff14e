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
cargo xtask test [--fast|--all] runs all checks. --fast skips the slow ones; --all adds the matrices and the long journeys, and
                                fails if something isn't installed
cargo xtask tidy                checks the project's own rules
cargo xtask size [COMMIT]       counts lines of code, tests and comments, and files, by crate; with a commit, what grew since
cargo xtask codegen [--check]   writes the generated pages of docs/reference; --check compares them instead
cargo xtask new-tool PRODUCT NAME
                                creates the three files of a new tool
cargo xtask fixtures [--check]  formats the fixture files; --check lists those that aren't formatted
cargo xtask fixtures --bless TOOL/CASE
                                records what the case sends and returns in its fixture
cargo xtask conformance [--descriptions FOLDER]
                                checks requests and responses against the vendors' API descriptions
cargo xtask shells [--all]      installs the shells that the tests of pasted commands use
cargo xtask postgres [--all]    installs PostgreSQL for the tests of the store; --all also runs all of these tests
cargo xtask clients [--all]     runs the vendors' own SDKs through the proxy, and each operation with generated input
cargo xtask mcp-conformance [--all]
                                runs the official test suite of the Model Context Protocol
cargo xtask browser [--all] [--smoke] [--screenshots FOLDER] [--readme docs] [JOURNEY…]
                                uses the dashboard in Chromium; --all writes a picture of each page to target/screenshots;
                                --readme takes the pictures of the README
cargo xtask docs [--all] [PAGE…]
                                runs the commands in the guides against `stead dev`; PAGE is a page or folder under docs
cargo xtask prose [--all] [FOLDER]
                                checks style and spelling of the texts; with a folder, also lists what to rewrite there
cargo xtask prose --count       counts words and sentences of README and docs, and how hard they are to read
cargo xtask book [--all] [--serve]
                                builds the book into target/book and checks its links; --serve shows it at
                                http://127.0.0.1:8000 and rebuilds it when a page changes
cargo xtask deny [--all]        checks licences, sources and known vulnerabilities of the dependencies
cargo xtask chaos [--smoke] [--seed NUMBER] [--json] [SCENARIO…]
                                kills the real service at each write and starves it, and checks that nothing is lost
cargo xtask fuzz [--smoke] [--seconds NUMBER] [TARGET…]
                                fuzzes each target for 10 minutes; with --smoke for 20 seconds
cargo xtask upgrade [--minutes NUMBER] [--old STEAD]
                                runs an older version and this one on one PostgreSQL, under load; builds the older one from
                                its commit unless --old names it
cargo xtask bench [--only PART,…] [--short] [--rounds NUMBER] [--seconds NUMBER] [--calls NUMBER] [--accounts NUMBER]
                  [--binary STEAD] [--against STEAD]
                                measures Stead beside nginx, and beside another binary of Stead with --against. Parts: start,
                                calls, memory, disk, accounts. Builds a release unless --binary names one

If a check needs a program that isn't installed, it installs it or says what is missing and goes on. With --all, it fails.";

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
