//! `cargo xtask size` counts lines and files of Rust by crate.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context as _, Result};

use crate::{
    shell,
    tidy::{self, File},
};

/// Prints the table. If `against` names a commit, each figure has its growth since then.
///
/// # Errors
/// If the sources can't be read, or git doesn't know the commit.
pub(crate) fn run(against: Option<&str>) -> Result<()> {
    let now = sizes(&tidy::files()?);
    match against {
        None => print!("{}", table(&now)),
        Some(commit) => print!("{}", growth(&sizes(&files_of(commit)?), &now)),
    }
    Ok(())
}

/// The Rust files of a commit.
fn files_of(commit: &str) -> Result<Vec<File>> {
    let folder = shell::root().join("target/size");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let archive = folder.join("commit.tar");
    let archive = archive.to_str().context("the path of target is not text")?;
    shell::run(&format!("git archive --output {archive} {commit}"))?;
    shell::run(&format!("tar -xf {archive} -C {}", folder.display()))?;
    let mut files = Vec::new();
    for path in shell::output(&format!("git ls-tree -r --name-only {commit}"))?.lines() {
        if path.ends_with(".rs") {
            files.push(File {
                path: path.to_owned(),
                text: std::fs::read_to_string(folder.join(path))?,
            });
        }
    }
    Ok(files)
}

/// The lines of a crate by kind. Blank lines don't count.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Size {
    files: usize,
    code: usize,
    tests: usize,
    comments: usize,
    all: usize,
}

impl std::ops::AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.files += other.files;
        self.code += other.code;
        self.tests += other.tests;
        self.comments += other.comments;
        self.all += other.all;
    }
}

type Sizes = BTreeMap<String, Size>;

fn sizes(files: &[File]) -> Sizes {
    let tests: BTreeSet<String> = files.iter().flat_map(test_modules).collect();
    let mut sizes = Sizes::new();
    for file in files.iter().filter(|file| file.path.ends_with(".rs")) {
        let size = size(&file.text, is_test(&file.path, &tests));
        *sizes.entry(crate_of(&file.path)).or_default() += size;
    }
    sizes
}

/// The folder of a file's crate. Examples belong to their crate.
fn crate_of(path: &str) -> String {
    let inside = ["/src/", "/tests/", "/examples/", "/targets/"];
    let end = inside.iter().filter_map(|folder| path.find(folder)).min();
    let parts = path.split('/').next().unwrap_or_default();
    end.map_or(parts, |end| &path[..end]).to_owned()
}

/// The modules that a file compiles only for tests, as paths without `.rs`.
fn test_modules(file: &File) -> Vec<String> {
    let path = Path::new(&file.path);
    let folder = path.parent().unwrap_or(Path::new(""));
    let stem = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let mut modules = Vec::new();
    let mut lines = file.text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if !only_for_tests(line) {
            continue;
        }
        // In older commits, a module can be in a file with another name.
        let mut at = None;
        let item = lines.find(|line| {
            let given = line.strip_prefix("#[path = \"");
            at = at.or(given.and_then(|line| line.strip_suffix(".rs\"]")));
            !line.starts_with("#[")
        });
        let module = item.and_then(|line| line.split_once("mod ")?.1.strip_suffix(';'));
        let module = module.map(|module| match (at, stem) {
            (Some(at), _) => folder.join(at),
            (None, "mod" | "lib" | "main") => folder.join(module),
            (None, _) => folder.join(stem).join(module),
        });
        modules.extend(module.and_then(|module| module.to_str().map(str::to_owned)));
    }
    modules
}

fn only_for_tests(line: &str) -> bool {
    line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test,")
}

fn is_test(path: &str, modules: &BTreeSet<String>) -> bool {
    let named = path.starts_with("tests/")
        || path.starts_with("crates/testkit/")
        || path.contains("/tests/");
    let path = path.trim_end_matches(".rs");
    let module = |module: &String| {
        let rest = path.strip_prefix(module.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    named || modules.iter().any(module)
}

/// Counts lines. Sources are formatted, so a module ends with a brace at the depth of its first line.
fn size(text: &str, test: bool) -> Size {
    let mut size = Size {
        files: 1,
        ..Size::default()
    };
    let mut lines = text.lines().peekable();
    let mut end: Option<String> = None;
    while let Some(line) = lines.next() {
        size.all += 1;
        let trimmed = line.trim_start();
        if end.is_none() && only_for_tests(trimmed) {
            let indent = &line[..line.len() - trimmed.len()];
            let opens = lines.peek().is_some_and(|next| next.ends_with('{'));
            end = opens.then(|| format!("{indent}}}"));
        }
        if trimmed.starts_with("//") {
            size.comments += 1;
        } else if !trimmed.is_empty() {
            *(if test || end.is_some() {
                &mut size.tests
            } else {
                &mut size.code
            }) += 1;
        }
        if end.as_deref() == Some(line) {
            end = None;
        }
    }
    size
}

fn total(sizes: &Sizes) -> Size {
    let mut total = Size::default();
    sizes.values().for_each(|size| total += *size);
    total
}

/// The table in Markdown, for `docs/architecture.md`.
fn table(sizes: &Sizes) -> String {
    let mut text = "| crate | files | code | tests | comments | all lines |\n".to_owned();
    text += "|---|---:|---:|---:|---:|---:|\n";
    let crates = sizes
        .iter()
        .map(|(name, size)| (format!("`{name}`"), *size));
    for (name, size) in crates.chain([("all".to_owned(), total(sizes))]) {
        let Size {
            files,
            code,
            tests,
            comments,
            all,
        } = size;
        text += &format!("| {name} | {files} | {code} | {tests} | {comments} | {all} |\n");
    }
    text
}

/// The same table with the growth of each figure. Omits crates that didn't change.
fn growth(before: &Sizes, now: &Sizes) -> String {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let of = |sizes: &Sizes, name| sizes.get(name).copied().unwrap_or_default();
    let rows = names
        .into_iter()
        .map(|name| (name.as_str(), of(before, name), of(now, name)));
    let rows = rows.filter(|(_, before, now)| before != now);
    let mut text = "| crate | files | code | tests | comments | all lines |\n".to_owned();
    text += "|---|---:|---:|---:|---:|---:|\n";
    for (name, before, now) in rows.chain([("all", total(before), total(now))]) {
        let cell = |figure: fn(&Size) -> usize| {
            let (before, now) = (figure(&before), figure(&now));
            format!("{now} ({:+})", now as i64 - before as i64)
        };
        text += &format!(
            "| {name} | {} | {} | {} | {} | {} |\n",
            cell(|size| size.files),
            cell(|size| size.code),
            cell(|size| size.tests),
            cell(|size| size.comments),
            cell(|size| size.all),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! A subject.\n\nfn a() {}\n\n#[cfg(test)]\nmod tests {\n    // Why.\n    #[test]\n    fn b() {}\n}\n\nfn c() {}\n";

    #[test]
    fn lines_are_code_tests_or_comments() {
        let expected = Size {
            files: 1,
            code: 2,
            tests: 5,
            comments: 2,
            all: 12,
        };
        assert_eq!(size(SOURCE, false), expected);
        assert_eq!(size("fn a() {}\n", true).tests, 1);
    }

    #[test]
    fn a_file_counts_for_its_crate() {
        let files = [
            File::of("crates/core/src/a/mod.rs", "#[cfg(test)]\nmod fakes;\n"),
            File::of("crates/core/src/a/fakes.rs", "fn a() {}\n"),
            File::of("crates/core/src/a/fakes/b.rs", "fn b() {}\n"),
            File::of(
                "crates/core/src/c.rs",
                "#[cfg(test)]\n#[path = \"c_tests.rs\"]\nmod tests;\n",
            ),
            File::of("crates/core/src/c_tests.rs", "fn c() {}\n"),
            File::of("crates/core/tests/d.rs", "fn d() {}\n"),
            File::of("crates/core/README.md", "# Core\n"),
            File::of("tests/stories/main.rs", "fn e() {}\n"),
        ];
        let sizes = sizes(&files);

        assert_eq!(
            sizes.keys().collect::<Vec<_>>(),
            ["crates/core", "tests"],
            "{sizes:?}"
        );
        let core = sizes["crates/core"];
        assert_eq!((core.files, core.code, core.tests), (6, 5, 4));
        assert_eq!(sizes["tests"].tests, 1);
    }

    #[test]
    fn growth_shows_changes() {
        let file = |path, text| sizes(&[File::of(path, text)]);
        let mut before = file("crates/core/src/a.rs", "fn a() {}\n");
        before.extend(file("crates/cli/src/a.rs", "fn a() {}\n"));
        let mut now = before.clone();
        now.extend(file("crates/core/src/a.rs", "fn a() {}\nfn b() {}\n"));

        let text = growth(&before, &now);
        assert!(text.contains("| crates/core | 1 (+0) | 2 (+1) | 0 (+0) |"));
        assert!(!text.contains("crates/cli"));
        assert!(text.contains("| all | 2 (+0) | 3 (+1) |"));
    }
}
