//! Rules on the text of files.

use std::fs;

use anyhow::Result;

use crate::shell;

/// Longest source: a longer one holds two things.
const LONG: usize = 500;

/// A file that belongs to the project: its path from the top, and its text where it is text that people write.
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

/// Every file that git keeps or would keep.
pub(crate) fn files() -> Result<Vec<File>> {
    let list = shell::output("git ls-files --cached --others --exclude-standard --deduplicate")?;
    let mut files = Vec::new();
    for path in list.lines() {
        let file = shell::root().join(path);
        let written = [".rs", ".md", ".toml"]
            .iter()
            .any(|end| path.ends_with(end));
        if file.exists() {
            let text = if written {
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

pub(crate) fn sources_say_what_they_are(files: &[File]) -> Vec<String> {
    sources(files)
        .filter(|file| {
            let starts = ["//! ", "#![doc = include_str!("];
            !starts.iter().any(|start| file.text.starts_with(start))
        })
        .map(|file| format!("{} does not begin with //!", file.path))
        .collect()
}

fn sources(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.path.ends_with(".rs"))
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

/// Core names no company, except in the examples of its documentation.
pub(crate) fn core_names_no_company(files: &[File]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in sources(files).filter(|file| file.path.starts_with("crates/core/")) {
        let mut example = false;
        for (number, line) in file.text.lines().enumerate() {
            let comment = line.trim_start().starts_with("//");
            example = comment && (example != line.contains("```"));
            let line = line.to_lowercase();
            let named = COMPANIES.iter().find(|name| line.contains(*name));
            if let Some(name) = named.filter(|_| !example) {
                faults.push(format!("{}:{}: {name}", file.path, number + 1));
            }
        }
    }
    faults
}

pub(crate) fn trailing_whitespace(files: &[File]) -> Vec<String> {
    let mut faults = Vec::new();
    for File { path, text } in files {
        for (number, line) in text.split('\n').enumerate() {
            if line.ends_with([' ', '\t', '\r']) {
                faults.push(format!("{path}:{}", number + 1));
            }
        }
        if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
            faults.push(format!("{path} does not end with one line end"));
        }
    }
    faults
}

pub(crate) fn long_files(files: &[File]) -> Vec<String> {
    sources(files)
        .map(|file| (file.text.lines().count(), &file.path))
        .filter(|(lines, _)| *lines > LONG)
        .map(|(lines, path)| format!("{path} has {lines} lines, more than {LONG}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_without_a_word_is_found() {
        let files = [
            File::of("a.rs", "//! What it is.\n"),
            File::of("b.rs", "#![doc = include_str!(\"docs.md\")]\n"),
            File::of("c.rs", "use std::fs;\n"),
            File::of("d.md", "# D\n"),
        ];
        assert_eq!(
            sources_say_what_they_are(&files),
            ["c.rs does not begin with //!"]
        );
    }

    #[test]
    fn a_company_in_core_is_found() {
        let text = "//! Plain.\n/// ```\n/// // Google\n/// ```\n/// Snowflake's\nconst X: &str = \"x-goog-y\";\n";
        let files = [
            File::of("crates/core/src/a.rs", text),
            File::of("crates/products/mail/src/a.rs", text),
        ];
        assert_eq!(
            core_names_no_company(&files),
            [
                "crates/core/src/a.rs:5: snowflake",
                "crates/core/src/a.rs:6: goog-"
            ]
        );
    }

    #[test]
    fn blanks_at_the_end_are_found() {
        let files = [
            File::of("a.rs", "one\ntwo \nthree\t\r\n"),
            File::of("b.md", "good\n"),
            File::of("c.md", "half"),
            File::of("d.md", "more\n\n"),
            File::of("e.bin", ""),
        ];
        assert_eq!(
            trailing_whitespace(&files),
            [
                "a.rs:2",
                "a.rs:3",
                "c.md does not end with one line end",
                "d.md does not end with one line end"
            ]
        );
    }

    #[test]
    fn a_long_source_is_found() {
        let files = [
            File::of("a.rs", &"line\n".repeat(LONG)),
            File::of("b.rs", &"line\n".repeat(LONG + 1)),
            File::of("c.md", &"line\n".repeat(LONG + 1)),
        ];
        assert_eq!(long_files(&files), ["b.rs has 501 lines, more than 500"]);
    }
}
