//! Checks what crates compile, with `cargo tree`. `deny.toml` says where each third-party crate may be used.

use anyhow::Result;

use crate::shell;

/// Arguments of `cargo tree`, prefixes of lines that must not be in the tree, and prefixes of lines that may.
type Tree = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const TREES: [Tree; 6] = [
    // Core does no I/O.
    (
        "stead-core --all-features -e normal,features",
        &[
            "axum",
            "hyper",
            "mio ",
            "reqwest",
            "sqlx",
            "stead",
            "tokio feature",
        ],
        &["stead-core ", "stead-derive ", "tokio feature \"sync\""],
    ),
    // A program that only calls a service compiles no OAuth, cryptography, database or JSON Schema engine.
    (
        "stead --no-default-features --features client -e normal",
        HEAVY,
        &[],
    ),
    (
        "stead --no-default-features --features client,reqwest -e normal",
        HEAVY,
        &[],
    ),
    // The sandbox shares no code with what it tests.
    ("stead-sandbox -e normal,dev", &["stead"], &[]),
    // The first run of a command must not build the workspace.
    ("xtask -e normal,dev", &["stead"], &[]),
    // Chaos knows the service only as a binary.
    (
        "stead-chaos -e normal,dev",
        &["stead"],
        &["stead-test-postgres "],
    ),
];
const HEAVY: &[&str] = &[
    "axum",
    "chacha20poly1305 ",
    "jsonschema ",
    "oauth2 ",
    "sqlx",
];

/// A product depends on core and on what its company's products share, and names no runtime. Its tests don't compile a
/// client, a database or a server either.
const OF_A_PRODUCT: [Tree; 2] = [
    (
        "-e normal --depth 1",
        &["axum", "futures", "hyper", "stead", "tokio"],
        &["stead-core ", "stead-google "],
    ),
    (
        "-e normal,dev",
        &["axum", "reqwest", "sqlx", "stead ", "tokio "],
        &[],
    ),
];

/// Checks all trees. `products` are the names of the folders.
///
/// # Errors
/// If cargo can't print a tree.
pub(crate) fn faults<'a>(products: impl Iterator<Item = &'a str>) -> Result<Vec<String>> {
    let trees = TREES.map(|(of, not, but)| (of.to_owned(), not, but));
    let of_products = products.flat_map(|product| {
        OF_A_PRODUCT.map(|(of, not, but)| (format!("stead-{product} {of}"), not, but))
    });
    let mut faults = Vec::new();
    for (of, not, but) in trees.into_iter().chain(of_products) {
        let tree = shell::output(&format!("cargo tree --locked --prefix none -p {of}"))?;
        faults.extend(found(&tree, not, but).map(|line| format!("{of}: {line}")));
    }
    Ok(faults)
}

/// The lines that must not be in a tree. The first line is the crate itself.
fn found<'a>(tree: &'a str, not: &[&str], but: &[&str]) -> impl Iterator<Item = &'a str> {
    let begins = |line: &str, any: &[&str]| any.iter().any(|begin| line.starts_with(begin));
    let lines = tree.lines().skip(1);
    lines.filter(move |line| !line.ends_with(" (*)") && begins(line, not) && !begins(line, but))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_dependencies_are_found_once() {
        let tree = "stead-core v0.1.0 (/top)\nsqlx-core v0.9.0\nserde v1.0.0\nsqlx-core v0.9.0 (*)\n\
            tokio v1.0.0\ntokio feature \"sync\"\ntokio feature \"net\"\nstead-derive v0.1.0 (/derive)\n";
        let (_, not, but) = TREES[0];
        let faults: Vec<&str> = found(tree, not, but).collect();
        assert_eq!(faults, ["sqlx-core v0.9.0", "tokio feature \"net\""]);
    }

    #[test]
    fn a_product_that_names_a_runtime_or_another_product_is_found() {
        let tree = "stead-drive v0.1.0 (/top)\nserde v1.0.0\nstead-core v0.1.0\nstead-google v0.1.0\nstead-mail v0.1.0\ntokio v1.0.0\n";
        let (_, not, but) = OF_A_PRODUCT[0];
        let faults: Vec<&str> = found(tree, not, but).collect();
        assert_eq!(faults, ["stead-mail v0.1.0", "tokio v1.0.0"]);
    }
}
