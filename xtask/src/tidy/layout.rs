//! Where things are.

use std::collections::BTreeSet;

use super::text::File;

/// Files and folders at the top of the workspace.
const TOP: &[&str] = &[
    ".cargo",
    ".ci",
    ".gitattributes",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "clippy.toml",
    "crates",
    "deny.toml",
    "docs",
    "mkdocs.yml",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "tests",
    "xtask",
];

pub(crate) fn top_level(files: &[File]) -> Vec<String> {
    let found: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.path.split('/').next())
        .collect();
    found
        .into_iter()
        .filter(|name| !TOP.contains(name))
        .map(|name| format!("{name} is not in the list TOP of xtask/src/tidy/layout.rs"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stray_file_is_found() {
        let files = [
            "crates/core/src/lib.rs",
            "notes.txt",
            "scratch/a",
            "scratch/b",
            "Cargo.toml",
        ]
        .map(|path| File::of(path, ""));
        assert_eq!(
            top_level(&files),
            [
                "notes.txt is not in the list TOP of xtask/src/tidy/layout.rs",
                "scratch is not in the list TOP of xtask/src/tidy/layout.rs"
            ]
        );
    }
}
