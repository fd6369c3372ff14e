//! Formats or checks the products' fixture files. `cargo xtask fixtures` runs it.

#![expect(clippy::print_stdout, reason = "its output is what a command is for")]

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde_json::json;
use stead_testkit::fixture::{Fixture, Node};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (check, folder) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [folder] => (false, folder),
        ["--check", folder] => (true, folder),
        ["--first", folder] => return first(Path::new(folder)),
        _ => {
            println!("fixtures [--check | --first] crates/products");
            return ExitCode::FAILURE;
        }
    };
    match run(check, Path::new(folder)) {
        Ok(faults) if faults.is_empty() => ExitCode::SUCCESS,
        Ok(faults) => {
            println!("{}", faults.join("\n"));
            ExitCode::FAILURE
        }
        Err(error) => {
            println!("{folder}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the first case of every fixture, which is plain use: the tool, its input, and the members of its result.
fn first(folder: &Path) -> ExitCode {
    let cases = first_cases(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    print!("{}", Node::List(cases).to_text());
    ExitCode::SUCCESS
}

fn first_cases(folder: &Path) -> io::Result<Vec<Node>> {
    let mut cases = Vec::new();
    for product in entries(folder)? {
        let name = product.file_name().unwrap_or_default().to_string_lossy();
        for path in entries(&product.join("tests/fixtures")).unwrap_or_default() {
            let fixture = Fixture::read(&path).map_err(io::Error::other)?;
            let case = fixture.cases.first();
            let case =
                case.ok_or_else(|| io::Error::other(format!("{} is empty", path.display())))?;
            let data = case
                .result
                .as_ref()
                .and_then(|result| result.data.as_object());
            let members: Vec<&String> = data.into_iter().flat_map(|data| data.keys()).collect();
            let tool = format!("{name}_{}", fixture.tool);
            let mut shown = Node::Members(Vec::new());
            shown.set("tool", json!(tool).into());
            shown.set("input", case.input.clone().into());
            shown.set("members", json!(members).into());
            cases.push(shown);
        }
    }
    Ok(cases)
}

/// Lays out every file below a folder of products, or says which are not.
fn run(check: bool, folder: &Path) -> io::Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut lines = 0;
    for product in entries(folder)? {
        for path in entries(&product.join("tests/fixtures")).unwrap_or_default() {
            let text = fs::read_to_string(&path)?;
            let file = path.display();
            if let Err(error) = Fixture::read(&path) {
                faults.push(error);
                continue;
            }
            let laid_out = match serde_json::from_str::<Node>(&text) {
                Ok(node) => node.to_text(),
                Err(error) => {
                    faults.push(format!("{file}: {error}"));
                    continue;
                }
            };
            lines += laid_out.lines().count();
            if laid_out == text {
                continue;
            }
            if check {
                faults.push(format!(
                    "{file} is not laid out; to fix it: cargo xtask fixtures"
                ));
            } else {
                fs::write(&path, laid_out)?;
                println!("{file} is laid out");
            }
        }
    }
    println!("fixtures: {lines} lines");
    Ok(faults)
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
