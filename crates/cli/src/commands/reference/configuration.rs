//! The page of the configuration: the options of `stead serve`, and the settings file by the schema of its type.

use std::fmt::Write as _;

use clap::{Arg, CommandFactory as _};
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{GENERATED_BY, meaning_of, options, shape_of};
use crate::{
    CommandLine,
    target::{EXAMPLE, Settings},
};

/// Writes a line to a page; writing to a string cannot fail.
macro_rules! line {
    ($page:ident, $($text:tt)*) => {
        let _ = writeln!($page, $($text)*);
    };
}

/// Every option by its group, every key of the settings file, and the names that the file takes.
pub(super) fn page() -> String {
    let mut page = format!(
        "{GENERATED_BY}\n\n# Configuration\n\n\
         `stead serve` is configured by arguments, by environment variables, and by a file for what differs per product. \
         An argument counts before its environment variable. What is written in capitals says what the value is, and its \
         unit. Where several values are taken, a variable holds them with commas between them. A variable of an option \
         without a value is `true` or `false`; `NO_COLOR` counts where it is not empty.\n"
    );
    let mut command = CommandLine::command();
    command.build();
    let serve = command.find_subcommand("serve").into_iter();
    let shown: Vec<&Arg> = serve.flat_map(clap::Command::get_arguments).collect();
    let shown: Vec<&Arg> = shown.into_iter().filter(|one| is_setting(one)).collect();
    let mut headings: Vec<&str> = shown.iter().map(|one| heading(one)).collect();
    headings.dedup();
    let mut done = Vec::new();
    for name in headings {
        if done.contains(&name) {
            continue;
        }
        done.push(name);
        line!(page, "\n## {name}\n");
        options(
            &mut page,
            shown.iter().copied().filter(|one| heading(one) == name),
        );
    }
    line!(
        page,
        "\n## The settings file\n\nA file in TOML, which `--config` or `STEAD_CONFIG` names. It holds no secrets. A key that is \
         not known is refused, so that a typing error does not pass.\n\n| Key | Type | Meaning |\n|---|---|---|"
    );
    for (key, schema) in keys() {
        line!(
            page,
            "| `{key}` | {} | {} |",
            shape_of(&schema),
            meaning_of(&schema)
        );
    }
    line!(
        page,
        "\nFor example, mail through a gateway of your own:\n```toml\n{EXAMPLE}```"
    );
    line!(
        page,
        "\n### Origins\n\nThe names that `origins` takes, and the addresses in whose place yours come. `{{host}}` follows from the \
         settings of a connection.\n\n| Product | Origin | Address |\n|---|---|---|"
    );
    for product in stead::products::catalogue().products() {
        for origin in product.origins {
            line!(
                page,
                "| `{}` | `{}` | `{}` |",
                product.name,
                origin.name,
                origin.url
            );
        }
    }
    page
}

/// Whether it is set by who runs the service; a secret is, though only by its environment variable.
fn is_setting(argument: &Arg) -> bool {
    let is_secret = argument.is_hide_env_values_set() && argument.is_hide_set();
    let is_help = matches!(argument.get_id().as_str(), "help" | "version");
    !is_help && (is_secret || !argument.is_hide_set())
}

fn heading(argument: &Arg) -> &str {
    let own = argument.get_help_heading();
    own.unwrap_or(if argument.is_global_set() {
        "Output and log"
    } else {
        "Service"
    })
}

/// The keys of the settings file with their schemas; what is in capitals is a name that the operator chooses.
fn keys() -> Vec<(String, Value)> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<Settings>();
    let mut keys = Vec::new();
    add_keys("", &schema.to_value(), &mut keys);
    keys
}

fn add_keys(before: &str, table: &Value, keys: &mut Vec<(String, Value)>) {
    for (name, schema) in table["properties"].as_object().into_iter().flatten() {
        let key = format!("{before}{name}");
        let named = &schema["additionalProperties"];
        if !named.is_object() {
            keys.push((key, schema.clone()));
            continue;
        }
        let key = format!("{key}.{}", name.trim_end_matches('s').to_uppercase());
        let mut one = named.clone();
        one["description"] = schema["description"].clone();
        keys.push((key.clone(), one));
        add_keys(&format!("{key}."), named, keys);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_has_every_key() {
        let example: toml::Value = toml::from_str(EXAMPLE).unwrap();
        let keys = keys();
        assert!(keys.len() >= 8, "{keys:?}");
        for (key, _) in keys {
            let found = key.split('.').try_fold(&example, |at, step| match step {
                "PRODUCT" => at.get("mail"),
                "ORIGIN" => at.get("gmail"),
                step => at.get(step),
            });
            assert!(found.is_some(), "{key}");
        }
    }

    #[test]
    fn every_option_has_a_meaning() {
        let page = page();
        assert!(page.contains("| `STEAD_KEY` |"), "{page}");
        for row in page.lines().filter(|line| line.starts_with("| `")) {
            assert!(!row.ends_with("|  |"), "{row}");
        }
    }
}
