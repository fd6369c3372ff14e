//! Rules on the text of files.

use std::fs;

use anyhow::Result;

use crate::shell;

/// A file longer than this may hold two things.
const LONG: usize = 500;

/// A file that belongs to the project: its path from the top, and its text where it is text that people write.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
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

pub(crate) fn crates_have_documentation(roots: &[(String, String)]) -> Vec<String> {
    roots
        .iter()
        .filter(|(_, text)| {
            !text.starts_with("//! ") && !text.starts_with("#![doc = include_str!(")
        })
        .map(|(path, _)| format!("{path} does not begin with //!"))
        .collect()
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

pub(crate) fn generated_pages_say_so(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.path.starts_with("docs/reference/") && file.path.ends_with(".md"))
        .filter(|file| {
            !file
                .text
                .lines()
                .take(5)
                .any(|line| line.contains("`cargo xtask codegen`"))
        })
        .map(|file| {
            format!(
                "{} does not name `cargo xtask codegen` in its first lines",
                file.path
            )
        })
        .collect()
}

pub(crate) fn long_files(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.path.ends_with(".rs"))
        .map(|file| (file.text.lines().count(), &file.path))
        .filter(|(lines, _)| *lines > LONG)
        .map(|(lines, path)| format!("{path} has {lines} lines; is there a second room in it?"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_without_a_word_is_found() {
        let roots = [
            "//! What it is.\n",
            "#![doc = include_str!(\"docs.md\")]\n",
            "use std::fs;\n",
        ]
        .map(|text| (text.len().to_string(), text.to_owned()));
        assert_eq!(
            crates_have_documentation(&roots),
            ["13 does not begin with //!"]
        );
    }

    #[test]
    fn blanks_at_the_end_are_found() {
        let files = [
            file("a.rs", "one\ntwo \nthree\t\r\n"),
            file("b.md", "good\n"),
            file("c.md", "half"),
            file("d.md", "more\n\n"),
            file("e.bin", ""),
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
    fn a_generated_page_without_its_command_is_found() {
        let files = [
            file(
                "docs/reference/a.md",
                "<!-- Made by `cargo xtask codegen`. -->\n\n# A\n",
            ),
            file("docs/reference/b.md", "# B\n"),
            file("docs/guide/c.md", "# C\n"),
        ];
        assert_eq!(
            generated_pages_say_so(&files),
            ["docs/reference/b.md does not name `cargo xtask codegen` in its first lines"]
        );
    }

    #[test]
    fn a_long_file_is_a_hint() {
        let files = [
            file("a.rs", &"line\n".repeat(LONG)),
            file("b.rs", &"line\n".repeat(LONG + 1)),
            file("c.md", &"line\n".repeat(LONG + 1)),
        ];
        assert_eq!(
            long_files(&files),
            ["b.rs has 501 lines; is there a second room in it?"]
        );
    }

    fn file(path: &str, text: &str) -> File {
        File {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }
}
