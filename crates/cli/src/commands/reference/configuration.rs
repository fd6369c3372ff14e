//! The page of the configuration: options of `stead serve`, and keys of the settings file.

use std::fmt::Write as _;

use clap::{Arg, CommandFactory as _};
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{GENERATED_BY, meaning_of, options, shape_of};
use crate::{
    CommandLine,
    target::{EXAMPLE, Settings},
};

/// Writes a line to a page. Writing to a string can't fail.
macro_rules! line {
    ($page:ident, $($text:tt)*) => {
        let _ = writeln!($page, $($text)*);
    };
}

/// Every option by its group, every key of the settings file, and the names of origins.
pub(super) fn page() -> String {
    let mut page = format!(
        "{GENERATED_BY}\n\n# Configuration\n\n\
         You configure `stead serve` with arguments, environment variables, and a settings file for each product's \
         settings. An argument overrides its environment variable. The word in capitals names the value and its unit. \
         If an option takes several values, separate them by commas in its variable. For an option without a value, \
         the variable is `true` or `false`. `NO_COLOR` turns color off if it isn't empty.\n"
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
        "\n## The settings file\n\n`--config` or `STEAD_CONFIG` names the file. It's TOML, without secrets. Stead refuses unknown \
         keys, so you notice a misspelled one.\n\n| Key | Type | Meaning |\n|---|---|---|"
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
        "\nFor example, to send requests to Gmail through your own gateway:\n```toml\n{EXAMPLE}```"
    );
    line!(
        page,
        "\n### Origins\n\nThe names that you can use in `origins`, with the address that each one replaces. `{{host}}` depends on \
         the connection's settings.\n\n| Product | Origin | Address |\n|---|---|---|"
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

/// Whether an operator sets it. A secret counts too, although only its environment variable sets it.
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

/// The keys of the settings file with their schemas. The operator chooses the names in capitals.
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
