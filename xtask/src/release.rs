//! `cargo xtask release`: a release that is optimized for the calls that services make.
//!
//! The program is built twice: first so that it counts what it runs, and after it has run calls, again, with the counts.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::shell;

/// Has a program make calls.
type Train = fn(PathBuf) -> Result<()>;

const BUILD: &str = "cargo build --release --locked -p stead-cli";

/// Makes it, and says where it is.
///
/// # Errors
/// As [`make`].
pub(crate) fn run(options: &[&str], train: Train) -> Result<()> {
    println!("{}", make(options, train)?.display());
    Ok(())
}

/// Builds with all features, has that make calls, and builds again: the program. The second build takes `options` of cargo:
/// what makes calls there is the same with fewer features.
///
/// # Errors
/// Where the tools of the compiler are missing, a build fails, or a call of the training does.
pub(crate) fn make(options: &[&str], train: Train) -> Result<PathBuf> {
    let merge = profdata()?;
    let host = host()?;
    let folder = shell::root().join("target/release-profile");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    println!("building, to count what runs");
    let counting = build(
        &host,
        &format!("-Cprofile-generate={}", folder.display()),
        &[],
    )?;
    train(counting)?;
    let merged = folder.join("merged.profdata");
    let status = std::process::Command::new(&merge)
        .arg("merge")
        .arg("--output")
        .arg(&merged)
        .args(counts(&folder)?)
        .status()
        .with_context(|| format!("cannot start {}", merge.display()))?;
    ensure!(status.success(), "the counts cannot be merged");
    // cargo looks at the flags and not into the file: other counts have another name, and all is built again.
    let mut hasher = DefaultHasher::new();
    fs::read(&merged)?.hash(&mut hasher);
    let profile = folder.join(format!("{:016x}.profdata", hasher.finish()));
    fs::rename(merged, &profile)?;
    println!("building, with what was counted");
    build(
        &host,
        &format!("-Cprofile-use={}", profile.display()),
        options,
    )
}

/// The program, built with a flag for its own crates: with a target that is named, programs that run while it is built are
/// built without.
fn build(host: &str, flag: &str, options: &[&str]) -> Result<PathBuf> {
    let status = shell::command(BUILD)
        .args(["--target", host])
        .args(options)
        // Unlike RUSTFLAGS, a flag with a blank in a path is one here.
        .env("CARGO_ENCODED_RUSTFLAGS", flag)
        .status()
        .context("cannot start cargo")?;
    ensure!(status.success(), "failed: {BUILD} with {flag}");
    let folder = std::env::var_os("CARGO_TARGET_DIR");
    let folder = folder.map_or_else(|| shell::root().join("target"), PathBuf::from);
    Ok(folder.join(host).join("release/stead"))
}

fn counts(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut counts = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_some_and(|of| of == "profraw") {
            counts.push(path);
        }
    }
    Ok(counts)
}

/// The merging program of the compiler's own version: another cannot read the counts.
fn profdata() -> Result<PathBuf> {
    let root = shell::output("rustc --print sysroot")?;
    let path = Path::new(root.trim())
        .join("lib/rustlib")
        .join(host()?)
        .join("bin/llvm-profdata");
    if !path.is_file() {
        bail!("llvm-profdata is missing; to install it: rustup component add llvm-tools");
    }
    Ok(path)
}

/// What this machine is to the compiler.
fn host() -> Result<String> {
    let text = shell::output("rustc -vV")?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.context("rustc does not say its host")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_says_its_host() {
        assert_eq!(
            host().unwrap().split('-').next(),
            Some(std::env::consts::ARCH)
        );
    }

    #[test]
    fn only_counts_are_merged() {
        let folder = std::env::temp_dir().join(format!("stead-counts-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for name in ["a.profraw", "stead.profdata"] {
            fs::write(folder.join(name), "").unwrap();
        }
        assert_eq!(counts(&folder).unwrap(), [folder.join("a.profraw")]);
        fs::remove_dir_all(folder).unwrap();
    }
}
