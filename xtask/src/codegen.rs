//! `cargo xtask codegen` generates files from the code: the pages of `docs/reference/` and `docs/products/`, and the
//! demo's inputs.

use std::fs;

use anyhow::{Context as _, Result, bail};

use serde_json::Value;

use crate::shell;

/// What to do if a page differs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Write it.
    Write,
    /// Fail.
    Check,
}

/// The generated files: the command that prints each one, and its path.
const FILES: &[(&str, &str)] = &[
    (
        "target/debug/stead reference errors",
        "docs/reference/errors.md",
    ),
    (
        "target/debug/stead reference tools",
        "docs/reference/tools.md",
    ),
    ("target/debug/stead reference cli", "docs/reference/cli.md"),
    (
        "target/debug/stead reference configuration",
        "docs/reference/configuration.md",
    ),
    (
        "target/debug/stead reference events",
        "docs/reference/events.md",
    ),
    (
        "target/debug/stead reference audit",
        "docs/reference/audit.md",
    ),
    (
        "target/debug/stead reference rest",
        "docs/reference/rest.md",
    ),
    (
        "target/debug/stead openapi --public-url https://stead.example.com",
        "docs/reference/openapi.json",
    ),
    (
        "target/debug/examples/reference",
        "docs/reference/sandbox.md",
    ),
    (
        "target/debug/examples/fixtures --first crates/products",
        "crates/cli/src/commands/demo/cases.json",
    ),
];

/// The products: the page's name, its title, and the folder of the crate.
const PRODUCTS: [(&str, &str, &str); 6] = [
    ("notion", "Notion", "workspace"),
    ("gmail", "Gmail", "mail"),
    ("snowflake", "Snowflake", "warehouse"),
    ("calendar", "Google Calendar", "calendar"),
    ("sheets", "Google Sheets", "sheets"),
    ("drive", "Google Drive", "drive"),
];

/// Writes or compares every page.
///
/// # Errors
/// If a page can't be generated or written. With [`Mode::Check`] also if a page isn't up to date. The error then has
/// the command that updates it.
pub(crate) fn run(mode: Mode) -> Result<()> {
    shell::build()?;
    let mut pages = Vec::new();
    for (command, path) in FILES {
        pages.push(((*path).to_owned(), shell::output(command)?));
    }
    let tools = serde_json::from_str(&shell::output("target/debug/stead tools --json")?)?;
    for (page, title, product) in PRODUCTS {
        let docs = shell::root().join(format!("crates/products/{product}/src/docs.md"));
        let docs = fs::read_to_string(docs).with_context(|| product.to_owned())?;
        let made = product_page(title, product, &docs, &tools);
        pages.push((format!("docs/products/{page}.md"), made));
    }
    let mut stale = Vec::new();
    for (path, made) in pages {
        let file = shell::root().join(&path);
        let found = fs::read_to_string(&file).unwrap_or_default();
        match difference(&found, &made) {
            None => println!("{path} is as the code makes it"),
            Some(difference) if mode == Mode::Check => stale.push(format!("{path}, {difference}")),
            Some(_) => {
                fs::write(&file, made).with_context(|| format!("cannot write {path}"))?;
                println!("{path} is written");
            }
        }
    }
    if !stale.is_empty() {
        bail!(
            "not as the code makes it:\n{}\n\nTo fix it: cargo xtask codegen",
            stale.join("\n")
        );
    }
    Ok(())
}

/// A product's page: its own documentation, with the list of tools before the first heading.
fn product_page(title: &str, product: &str, docs: &str, tools: &Value) -> String {
    let mut page = format!(
        "<!-- Made by `cargo xtask codegen`; do not edit by hand. -->\n\n# {title}\n\n\
         After reading this page, you can set up {title} (`{product}`), and you know its tools, scopes and limits.\n\n"
    );
    let (about, chapters) = docs.split_once("\n# ").unwrap_or((docs, ""));
    page += about.trim_end();
    page += "\n\n## Tools\n\n| Tool | | Effect |\n|---|---|---|\n";
    let tools = tools.as_array().into_iter().flatten();
    let mut has_scopes = false;
    for tool in tools.filter(|tool| tool["product"] == product) {
        let text = |name: &str| tool[name].as_str().unwrap_or_default();
        let about = text("description").lines().next().unwrap_or_default();
        let about = about
            .split_inclusive(". ")
            .next()
            .unwrap_or_default()
            .trim();
        let scopes = tool["scopes"].as_array().into_iter().flatten();
        let scopes = scopes.filter_map(Value::as_str).map(|scope| {
            let short = scope.strip_prefix("https://www.googleapis.com/auth/");
            format!("`{}`", short.unwrap_or(scope))
        });
        let scopes = scopes.collect::<Vec<_>>().join(", ");
        has_scopes |= !scopes.is_empty();
        let (name, effect) = (text("name"), text("effect"));
        page += &format!(
            "| [`{name}`](../reference/tools.md#{name}) | {about} | {effect} | {scopes} |\n"
        );
    }
    page = if has_scopes {
        page.replace(
            "| Effect |\n|---|",
            "| Effect | One of these scopes |\n|---|---|",
        )
    } else {
        page.replace(" |  |\n", " |\n")
    };
    if !chapters.is_empty() {
        page += &format!("\n# {chapters}").replace("\n# ", "\n## ");
    }
    page += "\n## Next\n\n\
        - [Connect your users](../build/connect-users.md): send each user a link.\n\
        - [Raw requests](../build/raw-requests.md): call the rest of the product's API.\n";
    page
}

/// The first line in which two pages differ. `None` if they're equal.
fn difference(found: &str, made: &str) -> Option<String> {
    if found == made {
        return None;
    }
    let (mut old, mut new) = (found.lines(), made.lines());
    for number in 1.. {
        match (old.next(), new.next()) {
            (None, None) => break,
            (old, new) if old == new => {}
            (old, new) => {
                let [old, new] = [old, new].map(|line| line.unwrap_or("(nothing)"));
                return Some(format!(
                    "line {number}:\n  is:        {old}\n  should be: {new}"
                ));
            }
        }
    }
    Some("line ends".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_a_product_has_its_tools() {
        let tools = serde_json::json!([
            {"name": "mail_a", "product": "mail", "effect": "read", "description": "Find mails. Few.\n\nMore.",
             "scopes": ["https://www.googleapis.com/auth/gmail.readonly", "https://mail.google.com/"]},
            {"name": "drive_b", "product": "drive", "effect": "read", "description": "B", "scopes": []},
        ]);
        let docs = "Mail.\n\n# Set-up\n\nOne.\n\n# Scopes\n\nTwo.\n";
        let page = product_page("Gmail", "mail", docs, &tools);
        for part in [
            "# Gmail\n\nAfter reading",
            "limits.\n\nMail.\n\n## Tools\n",
            "|---|---|---|---|\n| [`mail_a`](../reference/tools.md#mail_a) | Find mails. | read | `gmail.readonly`, `https://mail.google.com/` |\n\n## Set-up\n",
            "\n\nOne.\n\n## Scopes\n\nTwo.\n\n## Next\n",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
    }

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(
            difference("a\nb\n", "a\nc\n").unwrap(),
            "line 2:\n  is:        b\n  should be: c"
        );
        assert_eq!(
            difference("", "a\n").unwrap(),
            "line 1:\n  is:        (nothing)\n  should be: a"
        );
        assert_eq!(
            difference("a\nb\n", "a\n").unwrap(),
            "line 2:\n  is:        b\n  should be: (nothing)"
        );
        assert_eq!(difference("a\n", "a").unwrap(), "line ends");
        assert_eq!(difference("a\r\n", "a\n").unwrap(), "line ends");
    }
}
