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
const OPTIONS: &str = "--features NAMES, --no-default-features and --all-features";

/// Builds without training, and says where the program is.
///
/// # Errors
/// Where it does not compile.
pub(crate) fn plain() -> Result<PathBuf> {
    println!("{BUILD}");
    shell::built(&mut shell::command(BUILD))
}

/// Makes it, and says where it is.
///
/// # Errors
/// As [`make`].
pub(crate) fn run(options: &[&str], train: Train) -> Result<()> {
    println!("{}", make(options, train)?.display());
    Ok(())
}

/// Builds with the features that are on by default, has that make calls, and builds again: the program. Only the second build
/// takes `options` of cargo: what makes calls there is the same with other features.
///
/// # Errors
/// Where an option is not one, the tools of the compiler are missing, a build fails, or a call of the training does.
pub(crate) fn make(options: &[&str], train: Train) -> Result<PathBuf> {
    check(options)?;
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
    train(aside(&counting)?)?;
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

/// Whether these say what is in the program: others would put it elsewhere or make another one. Cargo itself says it of the
/// names of features, and at once.
fn check(options: &[&str]) -> Result<()> {
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        match *option {
            "--no-default-features" | "--all-features" => {}
            "--features" => ensure!(
                rest.next().is_some_and(|names| !names.starts_with('-')),
                "--features needs names"
            ),
            _ if option.starts_with("--features=") => {}
            _ => bail!("there is no option {option}; there are {OPTIONS}"),
        }
    }
    let mut tree = shell::command("cargo tree --quiet --locked --depth 0 -p stead-cli");
    let output = tree.args(options).output().context("cannot start cargo")?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}", error.trim());
    Ok(())
}

/// Gives the program that counts a name of its own: where what comes next fails, nothing is left under that of the release.
fn aside(program: &Path) -> Result<PathBuf> {
    let aside = program.with_file_name("stead-counting");
    fs::rename(program, &aside)?;
    Ok(aside)
}

/// The program, built with a flag for its own crates: with a target that is named, programs that run while it is built are
/// built without.
#[expect(
    clippy::disallowed_methods,
    reason = "what is read here is the configuration of cargo"
)]
fn build(host: &str, flag: &str, options: &[&str]) -> Result<PathBuf> {
    let set = |name| std::env::var(name).ok();
    let flags = flags(set("CARGO_ENCODED_RUSTFLAGS"), set("RUSTFLAGS"), flag);
    let mut command = shell::command(BUILD);
    command
        .args(["--target", host])
        .args(options)
        .env("CARGO_ENCODED_RUSTFLAGS", flags);
    shell::built(&mut command)
}

/// The flags of the caller, read as cargo does, and one more. Unlike in RUSTFLAGS, one with a blank in a path is one here.
fn flags(encoded: Option<String>, plain: Option<String>, flag: &str) -> String {
    let plain = plain.unwrap_or_default();
    let mut flags = encoded.unwrap_or_else(|| {
        let words: Vec<&str> = plain.split_whitespace().collect();
        words.join("\x1f")
    });
    if !flags.is_empty() {
        flags.push('\x1f');
    }
    flags + flag
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
    fn only_features_can_be_chosen() {
        let taken = [
            &[][..],
            &["--no-default-features", "--features", "dashboard"],
            &["--features=otlp"],
            &["--all-features"],
        ];
        for options in taken {
            check(options).unwrap();
        }
        let refused = [
            &["--target-dir", "elsewhere"][..],
            &["--target-dir=elsewhere"],
            &["--profile", "dev"],
            &["--target=x"],
            &["--feature", "otlp"],
            &["--features"],
            &["--features", "--all-features"],
            &["--features", "no-such"],
            &["otlp"],
        ];
        for options in refused {
            assert!(check(options).is_err(), "{options:?}");
        }
        let error = check(&["--profile=dev"]).unwrap_err().to_string();
        assert!(error.contains("--profile=dev") && error.contains("--no-default-features"));
    }

    #[test]
    fn what_counts_does_not_keep_the_name_of_the_release() {
        let folder = std::env::temp_dir().join(format!("stead-aside-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let program = folder.join("stead");
        fs::write(&program, "").unwrap();
        let aside = aside(&program).unwrap();
        assert!(aside.is_file() && !program.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn flags_of_the_caller_stay() {
        let flags = |encoded: Option<&str>, plain: Option<&str>| {
            flags(encoded.map(str::to_owned), plain.map(str::to_owned), "-Cx")
        };
        assert_eq!(flags(None, None), "-Cx");
        assert_eq!(flags(None, Some(" -Ca  -Cb ")), "-Ca\x1f-Cb\x1f-Cx");
        // As for cargo, the encoded ones come first.
        assert_eq!(
            flags(Some("-C a b\x1f-Cc"), Some("-Cd")),
            "-C a b\x1f-Cc\x1f-Cx"
        );
        assert_eq!(flags(Some(""), Some("-Cd")), "-Cx");
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
