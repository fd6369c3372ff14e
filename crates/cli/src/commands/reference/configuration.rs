//! The page of the configuration: options of `stead serve`, and keys of the settings file.

use std::fmt::Write as _;

use clap::{Arg, CommandFactory as _};
use serde_json::Value;
use stead_core::tool::schema_of;

use super::{GENERATED_BY, cells, meaning_of, shape_of};
use crate::{
    CommandLine,
    settings::{EXAMPLE, FileOnly, key_of},
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
         You configure `stead serve` with arguments, environment variables, and [a settings file](#the-settings-file). \
         An argument overrides its environment variable, and both override the file. The word in capitals names the \
         value and its unit. If an option takes several values, separate them by commas in its variable, and use a \
         list in the file. For an option without a value, the variable and the key are `true` or `false`. `NO_COLOR` \
         turns color off if it isn't empty.\n"
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
        "\n## The settings file\n\n`--config` or `STEAD_CONFIG` names the file. It's TOML. The tables above show the key of each option. Write \
         these keys above the first table of the file. The other commands read their options from the same file. \
         Stead refuses unknown keys, so you notice a misspelled one. It also refuses secrets: put them into their \
         environment variables, or into files of their own.\n\nThese settings have only a key:\n\n\
         | Key | Type | Meaning |\n|---|---|---|"
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
        "\nFor example, to send requests to Gmail through your own gateway, and name a set of tools:\n```toml\n{EXAMPLE}```"
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

/// The table of some options.
fn options<'a>(page: &mut String, options: impl Iterator<Item = &'a Arg>) {
    line!(
        page,
        "| Argument | Environment | Key | Default | Meaning |\n|---|---|---|---|---|"
    );
    for option in options {
        let [argument, environment, default, meaning] = cells(option);
        let key = key_of(option).map_or_else(String::new, |key| format!("`{key}`"));
        line!(
            page,
            "| {argument} | {environment} | {key} | {default} | {meaning} |"
        );
    }
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
    let mut keys = Vec::new();
    add_keys("", &schema_of::<FileOnly>().to_value(), &mut keys);
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
    use clap::Args;

    use super::*;
    use crate::settings::Settings;

    #[test]
    fn the_example_has_every_key_of_the_file() {
        let example: toml::Value = toml::from_str(EXAMPLE).unwrap();
        let keys = keys();
        assert!(keys.len() >= 8, "{keys:?}");
        for (key, _) in keys {
            let found = key.split('.').try_fold(&example, |at, step| match step {
                "PRODUCT" => at.get("mail"),
                "ORIGIN" => at.get("gmail"),
                "TOOL_SET" => at.get("support"),
                step => at.get(step),
            });
            assert!(found.is_some(), "{key}");
        }
    }

    #[test]
    fn every_setting_has_a_meaning_and_every_setting_but_secrets_has_a_key() {
        let page = page();
        assert!(page.contains("|  | `STEAD_KEY` |  |  | The key"), "{page}");
        for row in page.lines().filter(|line| line.starts_with("| `")) {
            assert!(!row.ends_with("|  |"), "{row}");
        }
        let mut command = CommandLine::command();
        command.build();
        let serve = command.find_subcommand("serve").unwrap();
        let keys: Vec<String> = serve.get_arguments().filter_map(key_of).collect();
        assert!(keys.len() > 40, "{keys:?}");
        for key in keys {
            let row = format!("` | `STEAD_{}` | `{key}` | ", key.to_uppercase());
            assert_eq!(page.matches(&row).count(), 1, "{row}");
        }
    }

    #[test]
    fn a_new_setting_is_one_field() {
        #[derive(Debug, Args)]
        struct New {
            /// Most pigeons.
            #[arg(long, value_name = "NUMBER", default_value_t = 7)]
            max_pigeons: u32,
        }

        let serve = Settings::<New>::augment_args(clap::Command::new("serve"));
        let mut page = String::new();
        options(&mut page, serve.get_arguments());
        let row = page.lines().last().unwrap();
        assert_eq!(
            row,
            "| `--max-pigeons NUMBER` | `STEAD_MAX_PIGEONS` | `max_pigeons` | `7` | Most pigeons. |"
        );
        let of_file = crate::settings::parse_with::<New>(serve, "max_pigeons = 9");
        assert_eq!(of_file.max_pigeons, 9);
    }
}
