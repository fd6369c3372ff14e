//! The workspace's manifest.

/// The list of dependencies names those of others with a comment on the line before: what it is there for.
pub(crate) fn dependencies_have_reasons(manifest: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut inside = false;
    let mut above = "";
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line == "[workspace.dependencies]";
        }
        let of_others = inside && !line.contains("path = ");
        let has_reason = above.starts_with("# ") && !above.starts_with("# --");
        let name = line.split_once(" = ").map_or("", |(name, _)| name);
        if of_others && is_name(name) && !has_reason {
            faults.push(format!(
                "{name} stands in Cargo.toml without a comment on the line before"
            ));
        }
        above = line;
    }
    faults
}

/// Not the second line of a dependency that is written over several.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        let manifest = r#"
[workspace]
resolver = "3"

[workspace.dependencies]
# ---- ours
stead = { path = "crates/stead" }

# ---- data
bytes = "1"
# HTTP types.
http = "1"
url = "2"

# Files.
toml = { version = "1", features = [
    "parse",
] }

[profile.dev]
debug = false
"#;
        let faults = dependencies_have_reasons(manifest);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("bytes ") && faults[1].starts_with("url "));
    }
}
