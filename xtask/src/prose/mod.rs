//! `cargo xtask prose` checks the language of the texts that people read.
//!
//! Texts that textlint can't read become Markdown below `target/prose/texts`. A finding names the line of the source.

mod markup;
mod rust;

use std::{collections::BTreeMap, fs, path::PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::{install, shell};

/// The folders of the linters.
const NODE: &str = "target/prose/node";
const PYTHON: &str = "target/prose/python";
/// The folder of the extracted texts.
const TEXTS: &str = "target/prose/texts";
/// Files that quote a product, because the sandbox answers like the product.
const QUOTES: [&str; 1] = ["crates/sandbox/src/google/errors.rs"];
/// The rule whose findings are only warnings.
const WARNING: &str = "sentence-25";

/// A text that begins in `line` of a file, with the same line breaks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Text {
    line: usize,
    text: String,
}

impl Text {
    fn new(line: usize, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { line, text }
    }
}

/// A sentence that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    path: String,
    /// The path, line, rule and sentence.
    text: String,
    is_warning: bool,
}

/// Prints how many words and sentences README and docs have, and how hard they are to read.
///
/// # Errors
/// If Python doesn't run.
pub(crate) fn count() -> Result<()> {
    shell::run("python3 tests/prose/count.py")
}

/// Lints the texts, and the spelling of all files. With a folder or a file, prints only its findings. With `--all`, a
/// linter that can't be installed is a failure.
///
/// # Errors
/// If a text breaks a rule, or a rule misses a planted sentence.
pub(crate) fn run(options: &[&str]) -> Result<()> {
    let only = options.iter().find(|option| !option.starts_with("--"));
    let installed = install::packages(NODE, "tests/prose/package.json")
        .and_then(|()| install::packages(PYTHON, "tests/prose/requirements.txt"));
    if !install::is_there(installed, "prose", options)? {
        return Ok(());
    }
    let mut findings = lint(&collect()?)?;
    if let Some(only) = only {
        findings.retain(|finding| finding.path.starts_with(only));
    }
    let mut faults = Vec::new();
    let mut warnings = 0;
    for Finding {
        text, is_warning, ..
    } in findings
    {
        if is_warning {
            warnings += 1;
            println!("warning: {text}");
        } else {
            faults.push(text);
        }
    }
    println!("{}", faults.join("\n"));
    println!("{} findings, {warnings} warnings", faults.len());
    let typos = shell::run(&format!(
        "{PYTHON}/bin/typos --config tests/prose/typos.toml --format brief"
    ));
    ensure!(faults.is_empty(), "these texts break rules of tests/prose");
    typos.context("a word is misspelled, or tests/prose/typos.toml must name it")
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(shell::root().join(path)).with_context(|| format!("cannot read {path}"))
}

/// The texts that people read, by file.
fn collect() -> Result<Vec<(String, Vec<Text>)>> {
    let mut files = Vec::new();
    for path in
        shell::output("git ls-files --cached --others --exclude-standard --deduplicate")?.lines()
    {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_source = path.starts_with("crates/") && path.contains("/src/");
        let texts: fn(&str) -> Result<Vec<Text>> = match extension {
            "md" if is_source || path.starts_with("docs/") || path.ends_with("README.md") => {
                |text| Ok(markup::page(text))
            }
            "html" if is_source => |text| Ok(markup::template(text)),
            "json" if path == "crates/server/src/pages/texts/en.json" => {
                |text| Ok(markup::strings(text))
            }
            "rs" if is_source && has_own_words(path) => {
                if path.ends_with("/lib.rs") {
                    |text| rust::read(text, true)
                } else {
                    |text| rust::read(text, false)
                }
            }
            _ => continue,
        };
        if shell::root().join(path).exists() {
            let found = texts(&read(path)?).with_context(|| path.to_owned())?;
            files.push((path.to_owned(), found));
        }
    }
    Ok(files)
}

/// Whether a source has texts of Stead's for someone other than its developers.
fn has_own_words(path: &str) -> bool {
    let is_of_tests = path.ends_with("tests.rs")
        || path.contains("/tests/")
        || path.starts_with("crates/testkit/");
    !is_of_tests && !QUOTES.contains(&path)
}

/// Writes the texts as Markdown, and runs textlint on them.
fn lint(files: &[(String, Vec<Text>)]) -> Result<Vec<Finding>> {
    let folder = shell::root().join(TEXTS);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut lines: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (path, texts) in files.iter().filter(|(_, texts)| !texts.is_empty()) {
        let file: PathBuf = folder.join(format!("{path}.md"));
        fs::create_dir_all(file.parent().unwrap_or(&folder))?;
        let (markdown, map) = joined(texts);
        fs::write(file, markdown)?;
        lines.insert(path.clone(), map);
    }
    let output = shell::command(&format!("node tests/prose/lint.cjs {TEXTS}"))
        .env("NODE_PATH", shell::root().join(NODE).join("node_modules"))
        .output()
        .context("cannot start node")?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the linter fails: {error}");
    let mut findings = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let found: serde_json::Value = serde_json::from_str(line)?;
        let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
        let file = text("file");
        let path = file.strip_suffix(".md").unwrap_or(&file).to_owned();
        let map = lines.get(&path).with_context(|| line.to_owned())?;
        let at = found["line"]
            .as_u64()
            .and_then(|line| usize::try_from(line).ok());
        let line = at.and_then(|at| map.get(at - 1)).copied().unwrap_or(1);
        let (rule, message) = (text("rule"), text("message"));
        findings.push(Finding {
            text: format!("{path}:{line}: {rule}: {message}"),
            is_warning: rule == WARNING,
            path,
        });
    }
    Ok(findings)
}

/// Joins the texts into one page. Returns it with the file's line for each of its lines.
fn joined(texts: &[Text]) -> (String, Vec<usize>) {
    let (mut markdown, mut map) = (String::new(), Vec::new());
    for text in texts {
        for (number, line) in text.text.lines().chain([""]).enumerate() {
            markdown.push_str(line);
            markdown.push('\n');
            map.push(text.line + number);
        }
    }
    (markdown, map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_quotes_have_no_words_of_their_own() {
        for (path, expected) in [
            ("crates/sandbox/src/google/body.rs", true),
            ("crates/sandbox/src/google/errors.rs", false),
            ("crates/core/src/call/tests.rs", false),
            ("crates/testkit/src/suite/mod.rs", false),
        ] {
            assert_eq!(has_own_words(path), expected, "{path}");
        }
        for path in QUOTES {
            assert!(shell::root().join(path).exists(), "{path}");
        }
    }

    #[test]
    fn a_joined_line_maps_to_its_line_in_the_file() {
        let (markdown, map) = joined(&[Text::new(3, "a\nb"), Text::new(9, "c")]);
        assert_eq!(markdown, "a\nb\n\nc\n\n");
        assert_eq!(map, [3, 4, 5, 9, 10]);
    }
}
