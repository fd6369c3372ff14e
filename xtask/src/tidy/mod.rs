//! `cargo xtask tidy` checks the rules of the project that no other tool can check.
//!
//! A rule takes the sources, and returns a line for each fault. rustfmt, clippy, cargo-deny and git check the rest.

mod circles;
mod imports;
mod levels;
mod sources;
mod trees;

use std::fs;

use anyhow::{Result, ensure};

use crate::shell;
pub(crate) use imports::is_for_tests;
pub(crate) use sources::{File, files};

/// Checks every rule, and prints the faults.
///
/// # Errors
/// If a rule is broken.
pub(crate) fn run() -> Result<()> {
    let files = files()?;
    let (mut circles, mut levels) = (Vec::new(), Vec::new());
    for folder in crates(&files) {
        let sources = imports::read(folder, &files)?;
        circles.extend(circles::between_modules(folder, &sources.imports));
        if folder == "crates/core" {
            let page = fs::read_to_string(shell::root().join("docs/architecture.md"))?;
            levels = levels::Levels::read(&page).faults(&sources);
        }
    }
    let products = crates(&files).filter_map(|folder| folder.strip_prefix("crates/products/"));
    let rules = [
        ("core is as docs/architecture.md draws it", levels),
        ("modules import each other in no circle", circles),
        (
            "crates compile only what they may",
            trees::faults(products)?,
        ),
        ("core names no company", sources::companies_in_core(&files)),
        ("a source begins with //!", sources::without_head(&files)),
        ("a source has at most 500 lines", sources::long(&files)),
        (
            "a module is where its name says",
            sources::with_path(&files),
        ),
    ];
    for (rule, faults) in rules.iter().filter(|(_, faults)| !faults.is_empty()) {
        println!("broken: {rule}\n  {}", faults.join("\n  "));
    }
    let faults: usize = rules.iter().map(|(_, faults)| faults.len()).sum();
    ensure!(faults == 0, "{faults} faults in {} rules", rules.len());
    println!("{} rules hold", rules.len());
    Ok(())
}

fn crates(files: &[File]) -> impl Iterator<Item = &str> {
    let members = files
        .iter()
        .filter(|file| !file.text.contains("\n[workspace]\n"));
    members.filter_map(|file| file.path.strip_suffix("/Cargo.toml"))
}
