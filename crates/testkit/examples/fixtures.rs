//! The fixture files of the products: laid out, or checked; `cargo xtask fixtures` calls it.

#![expect(clippy::print_stdout, reason = "its output is what a command is for")]

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use stead_testkit::fixture::{Fixture, Node};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (check, folder) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [folder] => (false, folder),
        ["--check", folder] => (true, folder),
        _ => {
            println!("fixtures [--check] crates/products");
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
