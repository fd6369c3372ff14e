//! `cargo xtask fixtures`: the one layout of the fixture files, and what a run of a case sends, written into its file.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::shell;

const LAYOUT: &str = "target/debug/examples/fixtures";

/// Lays every fixture file out.
///
/// # Errors
/// Where a file is not a fixture.
pub(crate) fn write() -> Result<()> {
    shell::build()?;
    shell::run(&format!("{LAYOUT} crates/products"))
}

/// Whether every fixture file is laid out.
///
/// # Errors
/// With the command that fixes it.
pub(crate) fn check() -> Result<()> {
    shell::build()?;
    shell::run(&format!("{LAYOUT} --check crates/products"))
}

/// Blesses a case of this checkout, and says where to read it.
///
/// # Errors
/// As [`bless_in`].
pub(crate) fn bless(case: &str) -> Result<()> {
    bless_in(&shell::root(), case)?;
    println!("{case} is blessed; read it: git diff crates/products");
    Ok(())
}

/// Writes the requests and the result of a run of `TOOL/CASE` into its fixture.
///
/// # Errors
/// Where there is no such case, or its responses are too few or too many.
pub(crate) fn bless_in(root: &Path, case: &str) -> Result<()> {
    let (product, _) = case
        .split_once('_')
        .context("a case is named TOOL/CASE, such as mail_list_drafts/some drafts")?;
    let mut command = shell::command(&format!(
        "cargo test --quiet --locked -p stead-{product} --test suite -- --bless"
    ));
    command.arg(case).current_dir(root);
    if root != shell::root() {
        // A copy builds in a folder of its own: cargo would mistake its crates for those of this checkout.
        command.env_remove("CARGO_TARGET_DIR");
    }
    let output = command.output()?;
    if !output.status.success() {
        let [out, err] = [output.stdout, output.stderr];
        bail!(
            "{}{}\n{case} is not blessed",
            String::from_utf8_lossy(&out),
            String::from_utf8_lossy(&err)
        );
    }
    Ok(())
}
