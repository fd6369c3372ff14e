//! The files of tools. `cargo xtask new-tool` creates a tool's three files. They pass the product's suite, except for
//! the check of the path. `cargo xtask fixtures` formats fixtures, or records the requests of a case in its fixture.

use std::{fs, path::Path};

use anyhow::{Context as _, Result, bail};

use crate::shell;

const LAYOUT: &str = "target/debug/examples/fixtures";

/// Creates the tool `<product>_<name>` in this checkout.
///
/// # Errors
/// If there's no such product, the name isn't valid, or the tool already exists.
pub(crate) fn new(product: &str, name: &str) -> Result<()> {
    make(&shell::root(), product, name)?;
    // The tool itself shows what its requests look like.
    for case in CASES {
        bless(&format!("{product}_{name}/{case}"))?;
    }
    println!("Now say what it does, and bless its cases again: docs/contribute/add-a-tool.md");
    Ok(())
}

pub(crate) const CASES: [&str; 2] = ["plain use", "not there"];

/// Writes the three files below `root`.
pub(crate) fn make(root: &Path, product: &str, name: &str) -> Result<()> {
    let words = name.split('_').all(|word| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    });
    if !words || !name.contains('_') {
        bail!("{name:?} is not a verb and a noun, such as read_label");
    }
    let folder = root.join("crates/products").join(product);
    let tools = folder.join("src/tools");
    let list = tools.join("mod.rs");
    let text =
        fs::read_to_string(&list).with_context(|| format!("there is no product {product:?}"))?;
    let file = tools.join(format!("{name}.rs"));
    if file.exists() {
        bail!("{product}_{name} is there already");
    }
    let tool = in_camel_case(name);
    fs::write(&list, with_line(&text, &format!("    {name}::{tool},"))?)?;
    fs::write(&file, source(product, name, &tool, &scopes(&tools)?))?;
    fs::write(folder.join(format!("tests/fixtures/{name}.json")), FIXTURE)?;
    Ok(())
}

fn in_camel_case(name: &str) -> String {
    let words = name
        .split('_')
        .map(|word| word[..1].to_ascii_uppercase() + &word[1..]);
    words.collect()
}

/// The list of tools with one more line, in alphabetical order.
fn with_line(text: &str, line: &str) -> Result<String> {
    let (before, list) = text
        .split_once("tools! {\n")
        .context("tools/mod.rs has no list of tools")?;
    let (list, after) = list.split_once("\n}").context("the list has no end")?;
    let mut lines: Vec<&str> = list.lines().chain([line]).collect();
    lines.sort_unstable();
    Ok(format!(
        "{before}tools! {{\n{}\n}}{after}",
        lines.join("\n")
    ))
}

/// The scopes of a tool that reads. `None` if the product has no scopes.
fn scopes(tools: &Path) -> Result<Option<String>> {
    for file in fs::read_dir(tools)? {
        let text = fs::read_to_string(file?.path())?;
        if text.contains("Effect::Read") {
            let scopes = text.lines().find(|line| line.contains("const SCOPES: "));
            if let Some(scopes) = scopes {
                return Ok(Some(scopes.to_owned()));
            }
        }
    }
    Ok(None)
}

fn source(product: &str, name: &str, tool: &str, scopes: &Option<String>) -> String {
    let (line, import, module) = match scopes {
        Some(line) => (
            format!("{line}\n"),
            "RequiredScopes, ",
            "\nuse crate::scopes;\n",
        ),
        None => (String::new(), "", ""),
    };
    format!(
        r#"//! Reads one item.

use schemars::JsonSchema;
use serde::{{Deserialize, Serialize}};
use stead_core::{{
    Result, Setters,
    tool::{{ApiRequest, Call, Effect, Io, Output, {import}Tool}},
}};
{module}
/// Read one item by its id.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct {tool} {{
    /// Id of the item.
    #[schemars(length(min = 1))]
    pub id: String,
}}

/// An item. Members that aren't listed here stay in the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct {tool}Output {{
    /// Id of the item.
    pub id: Option<String>,
}}

impl Tool for {tool} {{
    const NAME: &'static str = "{product}_{name}";
    const EFFECT: Effect = Effect::Read;
{line}    type Output = {tool}Output;

    /// Example API, `things.get`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {{
        Ok(io.send(ApiRequest::get(["things", &self.id])).await?.into())
    }}
}}
"#
    )
}

const FIXTURE: &str = r#"{
  "cases": [
    {"name": "plain use", "input": {"id": "t1"}, "exchanges": [{"response": {"status": 200, "body": {"id": "t1"}}}]},
    {"name": "not there", "input": {"id": "t2"}, "exchanges": [{"response": {"status": 404}}]}
  ]
}
"#;

/// Formats every fixture. With `--check`, names those that aren't formatted.
///
/// # Errors
/// If a file isn't a fixture, or with `--check` isn't formatted.
pub(crate) fn format_fixtures(check: &str) -> Result<()> {
    shell::build()?;
    shell::run(&format!("{LAYOUT} {check} crates/products"))
}

/// Blesses a case of this checkout, and says where to read it.
///
/// # Errors
/// Those of [`bless_in`].
pub(crate) fn bless(case: &str) -> Result<()> {
    bless_in(&shell::root(), case)?;
    println!("{case} is blessed; read it: git diff crates/products");
    Ok(())
}

/// Runs `TOOL/CASE`, and writes its requests and its result into its fixture.
///
/// # Errors
/// If there's no such case, or it has too few or too many responses.
pub(crate) fn bless_in(root: &Path, case: &str) -> Result<()> {
    let (product, _) = case
        .split_once('_')
        .context("a case is named TOOL/CASE, such as mail_list_drafts/some drafts")?;
    let mut command = shell::command(&format!(
        "cargo test --quiet --locked -p stead-{product} --test suite -- --bless"
    ));
    command.arg(case).current_dir(root);
    if root != shell::root() {
        // A copy needs its own build folder, because cargo would mistake its crates for those of this checkout.
        command.env_remove("CARGO_TARGET_DIR");
    }
    let output = command.output()?;
    if !output.status.success() {
        let [out, err] = [output.stdout, output.stderr];
        bail!(
            "{}{}\n{case} is not blessed",
            String::from_utf8_lossy(&out),
            String::from_utf8_lossy(&err)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_line_is_in_alphabetical_order() {
        let list =
            "//! The tools.\n\nstead_core::tools! {\n    a_a::AA,\n    c_c::CC,\n}\n\nfn f() {}\n";
        let more = with_line(list, "    b_b::BB,").unwrap();
        assert_eq!(more, list.replace("    c_c", "    b_b::BB,\n    c_c"));
        assert!(with_line("mod a;", "").is_err());
    }

    #[test]
    fn a_name_is_a_verb_and_a_noun() {
        for name in [
            "",
            "read",
            "Read_label",
            "read__label",
            "read_label_",
            "read-label",
            "../x_y",
        ] {
            assert!(make(&shell::root(), "mail", name).is_err(), "{name}");
        }
        assert!(make(&shell::root(), "no_such_product", "read_label").is_err());
        assert!(make(&shell::root(), "mail", "list_drafts").is_err());
        assert_eq!(in_camel_case("read_label"), "ReadLabel");
    }
}
