//! What the files of `docs/deploy` set, held against the generated configuration page.

use std::fs;

use crate::shell;

/// Names of variables of ours in a text.
fn variables(text: &str) -> Vec<&str> {
    text.split(|c: char| !(c.is_ascii_uppercase() || c == '_'))
        .filter(|word| word.starts_with("STEAD_"))
        .collect()
}

/// Options on lines that start the service.
fn options(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.contains("stead serve"))
        .flat_map(str::split_whitespace)
        .filter(|word| word.starts_with("--"))
        .map(|word| word.split('=').next().unwrap_or(word))
        .collect()
}

#[test]
fn files_of_deployment_set_only_what_exists() {
    let root = shell::root();
    let known = fs::read_to_string(root.join("docs/reference/configuration.md")).unwrap();
    let mut found = 0;
    for file in fs::read_dir(root.join("docs/deploy")).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for name in variables(&text).into_iter().chain(options(&text)) {
            let is_known = [format!("`{name}`"), format!("`{name} ")]
                .iter()
                .any(|written| known.contains(written));
            assert!(is_known, "{}: {name} does not exist", path.display());
            found += 1;
        }
    }
    assert!(found > 3, "nothing was compared");
}
