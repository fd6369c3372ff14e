//! Rules for the text of sources.

use std::fs;

use anyhow::Result;

use crate::shell;

/// A source has at most this many lines. A longer one has two subjects.
const LONG: usize = 500;

/// A file of the project: its path from the root, and its text if people write it.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

#[cfg(test)]
impl File {
    pub(crate) fn of(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }
}

/// Every file that git tracks or would add.
///
/// # Errors
/// If git can't list them, or one can't be read.
pub(crate) fn files() -> Result<Vec<File>> {
    let list = shell::output("git ls-files --cached --others --exclude-standard --deduplicate")?;
    let mut files = Vec::new();
    for path in list.lines() {
        let file = shell::root().join(path);
        let is_written = [".rs", ".md", ".toml"]
            .iter()
            .any(|end| path.ends_with(end));
        if file.exists() {
            let text = if is_written {
                fs::read_to_string(file)?
            } else {
                String::new()
            };
            files.push(File {
                path: path.to_owned(),
                text,
            });
        }
    }
    Ok(files)
}

fn sources(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.path.ends_with(".rs"))
}

/// Sources that don't begin with their purpose.
pub(crate) fn without_head(files: &[File]) -> Vec<String> {
    let starts = ["//! ", "#![doc = include_str!("];
    let has_head = |file: &File| starts.iter().any(|start| file.text.starts_with(start));
    sources(files)
        .filter(|file| !has_head(file))
        .map(|file| file.path.clone())
        .collect()
}

/// Sources with more than [`LONG`] lines.
pub(crate) fn long(files: &[File]) -> Vec<String> {
    let lines = sources(files).map(|file| (file.text.lines().count(), &file.path));
    let long = lines.filter(|(lines, _)| *lines > LONG);
    long.map(|(lines, path)| format!("{path}: {lines}"))
        .collect()
}

/// Modules whose file has another name. A test may run an example.
pub(crate) fn with_path(files: &[File]) -> Vec<String> {
    let is_moved = |line: &str| {
        let path = line.trim_start().strip_prefix("#[path = \"");
        path.is_some_and(|path| !path.starts_with("../examples/"))
    };
    lines(sources(files), is_moved)
}

/// Companies of products, and words that only their APIs use.
const COMPANIES: &[&str] = &[
    "notion",
    "google",
    "gmail",
    "snowflake",
    "goog-",
    "ya29",
    "ntn_",
    "gocspx",
];

/// Lines of core that name a company, except in the examples of its documentation.
pub(crate) fn companies_in_core(files: &[File]) -> Vec<String> {
    let mut is_example = false;
    let names_one = move |line: &str| {
        let is_comment = line.trim_start().starts_with("//");
        is_example = is_comment && (is_example != line.contains("```"));
        let line = line.to_lowercase();
        !is_example && COMPANIES.iter().any(|name| line.contains(name))
    };
    lines(
        sources(files).filter(|file| file.path.starts_with("crates/core/")),
        names_one,
    )
}

/// The places of the lines for which `is_found` is true.
fn lines<'a>(
    files: impl Iterator<Item = &'a File>,
    mut is_found: impl FnMut(&str) -> bool,
) -> Vec<String> {
    let mut places = Vec::new();
    for File { path, text } in files {
        for (number, line) in (1..).zip(text.lines()) {
            if is_found(line) {
                places.push(format!("{path}:{number}: {}", line.trim()));
            }
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_without_a_head_is_found() {
        let files = [
            File::of("a.rs", "//! What it is.\n"),
            File::of("b.rs", "#![doc = include_str!(\"docs.md\")]\n"),
            File::of("c.rs", "use std::fs;\n"),
            File::of("d.md", "# D\n"),
        ];
        assert_eq!(without_head(&files), ["c.rs"]);
    }

    #[test]
    fn a_long_source_is_found() {
        let files = [
            File::of("a.rs", &"line\n".repeat(LONG)),
            File::of("b.rs", &"line\n".repeat(LONG + 1)),
            File::of("c.md", &"line\n".repeat(LONG + 1)),
        ];
        assert_eq!(long(&files), ["b.rs: 501"]);
    }

    #[test]
    fn a_module_in_another_file_is_found() {
        let files = [
            File::of(
                "a.rs",
                "#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;\n",
            ),
            File::of("b.rs", "#[path = \"../examples/b.rs\"]\nmod b;\n"),
        ];
        assert_eq!(with_path(&files), ["a.rs:2: #[path = \"a_tests.rs\"]"]);
    }

    #[test]
    fn a_company_in_core_is_found() {
        let text =
            "/// ```\n/// // Google\n/// ```\n/// Snowflake's\nconst X: &str = \"x-goog-y\";\n";
        let files = [
            File::of("crates/core/src/a.rs", text),
            File::of("crates/products/mail/src/a.rs", text),
        ];
        assert_eq!(
            companies_in_core(&files),
            [
                "crates/core/src/a.rs:4: /// Snowflake's",
                "crates/core/src/a.rs:5: const X: &str = \"x-goog-y\";"
            ]
        );
    }
}
