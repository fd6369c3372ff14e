//! `stead reference`: the generated pages of the documentation, hidden from the help.

mod configuration;
mod rest;

use std::fmt::Write as _;

use clap::{Args, CommandFactory as _, ValueEnum};
use serde_json::Value;
use stead::ErrorKind;
use stead_core::{
    environment::audit_actions,
    product::Permissions,
    resource::{EVENT_TYPES, ToolDescription},
};

use crate::commands::tools::descriptions;
use crate::{CommandLine, exit, failure::Outcome, target::Target, terminal::Terminal};

/// First line of every generated page.
const GENERATED_BY: &str = "<!-- Made by `cargo xtask codegen`; do not edit by hand. -->";

/// Writes a line to a page. Writing to a string can't fail.
macro_rules! line {
    ($page:ident, $($text:tt)*) => {
        let _ = writeln!($page, $($text)*);
    };
}

/// Print a page of the reference, in Markdown.
#[derive(Debug, Args)]
pub(crate) struct Reference {
    page: Page,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Page {
    Errors,
    Tools,
    Cli,
    Configuration,
    Events,
    Audit,
    Rest,
}

impl Reference {
    pub(crate) fn run(self, terminal: &Terminal) -> Outcome {
        let page = match self.page {
            Page::Errors => errors(),
            Page::Tools => tools()?,
            Page::Cli => command_line(),
            Page::Configuration => configuration::page(),
            Page::Events => events(),
            Page::Audit => audit(),
            Page::Rest => rest::page(),
        };
        terminal.result(page.trim_end());
        Ok(())
    }
}

fn errors() -> String {
    let mut page = format!(
        "{GENERATED_BY}\n\n# Errors\n\nEvery error has a kind. Over HTTP, it's the member `kind` of an \
         `application/problem+json` response (RFC 9457). In Rust, it's `Error::kind()`.\n\n\
         | Kind | Status | Who acts | Again later | Meaning |\n|---|---|---|---|---|\n"
    );
    for kind in ErrorKind::ALL {
        let again = if kind.retryable() { "yes" } else { "no" };
        line!(
            page,
            "| `{}` | {} | {} | {again} | {} |",
            kind.name(),
            kind.status(),
            kind.act_by().name().replace('_', " "),
            kind.summary()
        );
    }
    page
}

fn events() -> String {
    let mut page = format!(
        "{GENERATED_BY}\n\n# Events\n\n[Read events](../build/events.md) shows how to read them. Members of `data` are absent or `null` if Stead doesn't know \
         them. Later versions may add members.\n"
    );
    for known in EVENT_TYPES {
        let members: Vec<String> = known.data.iter().map(|name| format!("`{name}`")).collect();
        line!(page, "\n## {}\n\n{}\n", known.name, known.when);
        line!(page, "- `data`: {}", members.join(", "));
        if known.short_lived {
            line!(page, "- Kept for 24 hours.");
        }
    }
    page
}

fn audit() -> String {
    let mut page = format!(
        "{GENERATED_BY}\n\n# Audit actions\n\nEvery entry of the audit log has an action. [Read the audit \
         log](../build/events.md#read-the-audit-log) shows how to read them. If no operation writes an action, *By* is \
         empty. Later versions may add actions.\n\n| Action | Written when | By |\n|---|---|---|\n"
    );
    for action in audit_actions() {
        let by: Vec<String> = action
            .by
            .iter()
            .map(|(method, path)| format!("`{method} {path}`"))
            .collect();
        line!(
            page,
            "| `{}` | {} | {} |",
            action.name,
            action.when,
            by.join(", ")
        );
    }
    page
}

fn tools() -> Outcome<String> {
    let mut page = format!(
        "{GENERATED_BY}\n\n# Tools\n\nEvery tool also accepts `schema_version` or `tool_version`, a date that selects a version. \
         The default is the newest version.\n"
    );
    for product in stead::products::catalogue().products() {
        line!(page, "\n## {}: {}", product.name, product.title);
        if let Permissions::Scopes { default, .. } = product.oauth.permissions {
            line!(page, "\nScopes that a connection asks for by default:\n");
            for scope in default {
                line!(page, "- `{scope}`");
            }
        }
        for tool in descriptions(Some(product.name), None)? {
            describe(&mut page, &tool);
        }
    }
    Ok(page)
}

fn describe(page: &mut String, tool: &ToolDescription) {
    line!(page, "\n### {}\n\n{}\n", tool.name, tool.description);
    line!(page, "- Version: {}", tool.tool_version);
    line!(page, "- Effect: {}", tool.effect.name());
    if !tool.scopes.is_empty() {
        let scopes: Vec<String> = tool
            .scopes
            .iter()
            .map(|scope| format!("`{scope}`"))
            .collect();
        line!(page, "- Needs one of: {}", scopes.join(", "));
    }
    parameters(page, tool);
    result(page, &tool.output_schema);
    if let Some(readable) = &tool.readable_schema {
        let names = readable["properties"].as_object().into_iter().flatten();
        let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
        line!(page, "\nReadable view: {}", shown(&names));
    }
}

fn parameters(page: &mut String, tool: &ToolDescription) {
    let parameters: Vec<(&String, &Value)> = tool.input_schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !matches!(name.as_str(), "schema_version" | "tool_version"))
        .collect();
    if parameters.is_empty() {
        return;
    }
    line!(
        page,
        "\n| Parameter | Type | Required | Meaning |\n|---|---|---|---|"
    );
    let required: Vec<&str> = tool.input_schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (name, schema) in parameters {
        let needed = if required.contains(&name.as_str()) {
            "yes"
        } else {
            "no"
        };
        line!(
            page,
            "| `{name}` | {} | {needed} | {} |",
            type_of(schema),
            meaning_of(schema)
        );
    }
}

/// The members of a result, one per line.
fn result(page: &mut String, schema: &Value) {
    let Some(members) = schema["properties"].as_object() else {
        return;
    };
    line!(page, "\n| Result | Type | Meaning |\n|---|---|---|");
    for (name, schema) in members {
        line!(
            page,
            "| `{name}` | {} | {} |",
            shape_of(schema),
            meaning_of(schema)
        );
    }
}

/// Names as code.
fn shown(names: &[&str]) -> String {
    format!("`{}`", names.join("`, `"))
}

fn meaning_of(schema: &Value) -> String {
    let meaning = schema["description"].as_str().unwrap_or_default();
    meaning.replace('\n', " ").replace('|', "\\|")
}

/// A short form of a member's schema: its type, and the members of its objects. It omits `null`, which every member may
/// be.
fn shape_of(schema: &Value) -> String {
    if let Some(options) = schema["anyOf"].as_array() {
        let options = options.iter().filter(|option| option["type"] != "null");
        return options.map(shape_of).collect::<Vec<_>>().join(" or ");
    }
    let mut types = schema["type"].as_array().into_iter().flatten();
    let given = types.find(|one| *one != "null").unwrap_or(&schema["type"]);
    match (given.as_str(), schema["properties"].as_object()) {
        (Some("array"), _) => format!("array of {}", shape_of(&schema["items"])),
        (_, Some(members)) => {
            let names: Vec<&str> = members.keys().map(String::as_str).collect();
            format!("object: {}", shown(&names))
        }
        (given, None) => given.unwrap_or("any").to_owned(),
    }
}

/// A short form of a schema: type, allowed values, bounds.
fn type_of(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values
            .iter()
            .map(|value| format!("`{}`", value.as_str().unwrap_or_default()))
            .collect();
        return values.join(", ");
    }
    let mut text = match &schema["type"] {
        Value::String(one) if one == "array" => format!("array of {}", type_of(&schema["items"])),
        Value::String(one) => one.clone(),
        Value::Array(several) => several
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(" or "),
        _ => String::from("any"),
    };
    match (&schema["minimum"], &schema["maximum"]) {
        (Value::Null, Value::Null) => {}
        (low, Value::Null) => text.push_str(&format!(", {low} or more")),
        (Value::Null, high) => text.push_str(&format!(", {high} or less")),
        (low, high) => text.push_str(&format!(", {low} to {high}")),
    }
    text
}

fn command_line() -> String {
    let mut page = format!("{GENERATED_BY}\n\n# Command line\n");
    let mut command = CommandLine::command();
    command.build();
    let about = command.get_long_about().or(command.get_about());
    line!(
        page,
        "\n{}",
        about.map(ToString::to_string).unwrap_or_default()
    );
    line!(page, "\n## Exit codes\n\n{}", exit::markdown().trim_end());
    line!(page, "\n## Options of every command\n");
    options(
        &mut page,
        command
            .get_arguments()
            .filter(|argument| argument.is_global_set() && !argument.is_hide_set()),
    );
    let target = Target::augment_args(clap::Command::new(""));
    line!(
        page,
        "\n## Options for a service or a database\n\nCommands that need a running service or the database take these options.\n"
    );
    options(
        &mut page,
        target.get_arguments().filter(|one| !one.is_hide_set()),
    );
    for inner in command.get_subcommands() {
        section(&mut page, inner, "stead", 2);
    }
    page
}

/// Whether a command takes all options for a service or a database.
fn takes_target(command: &clap::Command, target: &clap::Command) -> bool {
    let known = |id| command.get_arguments().any(|one| one.get_id() == id);
    target.get_arguments().all(|one| known(one.get_id()))
}

fn section(page: &mut String, command: &clap::Command, parent: &str, depth: usize) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = format!("{parent} {}", command.get_name());
    let about = sentence(command.get_long_about().or(command.get_about()));
    line!(page, "\n{} {name}\n\n{about}", "#".repeat(depth));
    let target = Target::augment_args(clap::Command::new(""));
    let takes_target = takes_target(command, &target);
    let of_target = |id| takes_target && target.get_arguments().any(|one| one.get_id() == id);
    let own: Vec<&clap::Arg> = command
        .get_arguments()
        .filter(|argument| {
            !argument.is_global_set()
                && !of_target(argument.get_id())
                && !argument.is_hide_set()
                && !matches!(argument.get_id().as_str(), "help" | "version")
        })
        .collect();
    if !own.is_empty() {
        line!(page, "");
        options(page, own.into_iter());
    }
    if takes_target {
        line!(
            page,
            "\nAlso takes the [options for a service or a database](#options-for-a-service-or-a-database)."
        );
    }
    for inner in command.get_subcommands() {
        section(page, inner, &name, depth + 1);
    }
}

fn options<'a>(page: &mut String, arguments: impl Iterator<Item = &'a clap::Arg>) {
    line!(
        page,
        "| Argument | Environment | Default | Meaning |\n|---|---|---|---|"
    );
    for argument in arguments {
        let [shown, environment, default, meaning] = cells(argument);
        line!(page, "| {shown} | {environment} | {default} | {meaning} |");
    }
}

/// The cells of an option: its argument, its variable, its default and its meaning.
fn cells(argument: &clap::Arg) -> [String; 4] {
    let value = argument
        .get_value_names()
        .filter(|_| argument.get_action().takes_values())
        .map(|names| names.join(" "));
    let shown = match (argument.get_long(), value) {
        _ if argument.is_hide_set() => String::new(),
        (Some(long), Some(value)) => format!("`--{long} {value}`"),
        (Some(long), None) => format!("`--{long}`"),
        (None, value) => format!(
            "`{}`",
            value.unwrap_or_else(|| argument.get_id().to_string())
        ),
    };
    let environment = argument
        .get_env()
        .map(|name| format!("`{}`", name.to_string_lossy()))
        .unwrap_or_default();
    let default: Vec<_> = argument
        .get_default_values()
        .iter()
        .filter(|_| argument.get_action().takes_values())
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    let meaning = sentence(argument.get_help());
    // A bar would end the cell, even in code.
    let shown = shown.replace('|', "\\|");
    [
        shown,
        environment,
        default.join(" "),
        meaning.replace('\n', " "),
    ]
}

/// Clap removes the last full stop of a help text.
fn sentence(text: Option<&clap::builder::StyledStr>) -> String {
    let mut text = text.map(ToString::to_string).unwrap_or_default();
    if !text.is_empty() && !text.ends_with('.') {
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_names_its_generator_and_is_complete() {
        let pages = [
            errors(),
            tools().unwrap(),
            command_line(),
            events(),
            configuration::page(),
            audit(),
        ];
        for page in &pages {
            assert!(page.starts_with(GENERATED_BY), "{page}");
        }
        for kind in ErrorKind::ALL {
            assert!(pages[0].contains(&format!("| `{}` |", kind.name())));
        }
        for tool in descriptions(None, None).unwrap() {
            assert!(pages[1].contains(&format!("### {}", tool.name)));
        }
        for known in EVENT_TYPES {
            assert!(pages[3].contains(&format!("\n## {}\n", known.name)));
        }
        for action in audit_actions() {
            assert!(pages[5].contains(&format!("| `{}` |", action.name)));
        }
        assert!(pages[2].contains("## stead serve"));
        assert!(!pages[2].contains("## stead reference"));
    }

    #[test]
    fn types_are_shown_with_their_bounds() {
        let schema = serde_json::json!({ "type": "integer", "minimum": 1, "maximum": 100 });
        assert_eq!(type_of(&schema), "integer, 1 to 100");
        let schema = serde_json::json!({ "type": "array", "items": { "enum": ["a", "b"] } });
        assert_eq!(type_of(&schema), "array of `a`, `b`");
    }
}
