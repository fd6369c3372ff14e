//! The settings file: its values by option, the settings that only the file has, and why a file is refused.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::{
    Arg, Command,
    builder::{PathBufValueParser, TypedValueParser, ValueParser},
};
use schemars::JsonSchema;
use serde::Deserialize;
use stead_core::{environment::ProductOptions, similar::did_you_mean};
use toml::Spanned;

use super::{all_options, key_of, name_of, options_of_service, texts_of};
use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    secrets,
};

/// Settings that no option has, because they're per product or long lists.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct FileOnly {
    /// A table per product, by its name. Without one, Stead uses the product's own addresses and the rate limit of its
    /// published quota.
    #[serde(default)]
    pub(crate) products: BTreeMap<String, ProductOptions>,
    /// Hosts of products and webhooks that may have private addresses. Webhooks to these hosts may also use plain http.
    /// A name that starts with a dot matches all names below it.
    #[serde(default)]
    pub(crate) private_hosts: Vec<String>,
    /// Your own sets of tools: names of tools by the name of the set. MCP sessions and lists of tools can name one.
    #[serde(default)]
    pub(crate) tool_sets: BTreeMap<String, Vec<String>>,
}

/// A file for the reference, with every key of `FileOnly`.
pub(crate) const EXAMPLE: &str = r#"public_url = "https://stead.corp.example"
verify_url = "https://app.corp.example/connected"
trusted_proxies = ["10.244.7.0/24"]
max_calls_per_product = 1024
private_hosts = ["hooks.internal", ".corp.example"]

[products.mail]
rate_limited = false
authorize_url = "https://login.corp.example/authorize"
token_url = "https://gateway.corp.example/oauth/token"
revoke_url = "https://gateway.corp.example/oauth/revoke"
issuer = "https://login.corp.example"

[products.mail.origins]
gmail = "https://gateway.corp.example/gmail"
people = "https://gateway.corp.example/people"

[tool_sets]
support = ["mail_fetch_mails", "mail_reply_to_message", "workspace_search"]
"#;

/// The remedy if a key is unknown.
const KEYS: &str = "See the keys in docs/reference/configuration.md. Keys of a product are in a table, such as [products.mail].";

/// A settings file. Before it's read, it only has a path.
#[derive(Debug, Clone)]
pub(crate) struct SettingsFile {
    path: PathBuf,
    contents: Arc<Contents>,
}

#[derive(Debug, Default)]
struct Contents {
    text: String,
    own: FileOnly,
    values: Vec<Value>,
}

/// A value for an option.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) key: String,
    /// The option's ID and flag.
    pub(super) id: String,
    pub(super) flag: String,
    texts: Vec<String>,
    line: usize,
}

impl SettingsFile {
    /// Takes the path of a file. The file is read later, because its keys follow from all options.
    pub(crate) fn unread() -> ValueParser {
        let parser = PathBufValueParser::new().map(|path| Self {
            path,
            contents: Arc::default(),
        });
        parser.into()
    }

    /// Takes any path as this file, which has been read.
    pub(super) fn parser(self) -> ValueParser {
        let parser = PathBufValueParser::new().map(move |_| self.clone());
        parser.into()
    }

    /// Reads the file. Its keys are those of the options of `command`, and of `FileOnly`.
    pub(super) fn read(self, command: &Command) -> Outcome<Self> {
        let text = secrets::read_text(&self.path, Exit::Configuration)?;
        let contents = Contents::read(&self.path, text, command)?;
        Ok(Self {
            contents: Arc::new(contents),
            ..self
        })
    }

    /// The settings that no option has.
    pub(crate) fn own(&self) -> &FileOnly {
        &self.contents.own
    }

    /// The texts of an option, by its key.
    pub(super) fn texts(&self, key: &str) -> Option<Vec<String>> {
        let mut values = self.contents.values.iter();
        let value = values.find(|value| value.key == key)?;
        Some(value.texts.clone())
    }

    /// A sentence for each of these values: where it stands.
    pub(super) fn places(&self, wanted: impl Fn(&Value) -> bool) -> Vec<String> {
        let values = self.contents.values.iter().filter(|value| wanted(value));
        let place = |value: &Value| {
            let Value { key, line, .. } = value;
            format!("{}, line {line}, sets {key}.", self.path.display())
        };
        values.map(place).collect()
    }

    /// The platform's error about a setting, such as `products.mail.token_url`, with its line in the file.
    pub(crate) fn refused(&self, setting: &str, why: &str) -> Failure {
        let line = line_of(&self.contents.text, setting);
        wrong(&self.path, line, &format!("{setting}: {why}"), KEYS)
    }
}

impl Contents {
    fn read(path: &Path, text: String, command: &Command) -> Outcome<Self> {
        let keys: BTreeMap<Spanned<String>, Spanned<toml::Value>> =
            toml::from_str(&text).map_err(|error| unreadable(path, &text, &error, command))?;
        let known_by_file = FileOnly::keys();
        let mut values = Vec::new();
        for (key, value) in keys {
            let line = line_at(&text, key.span().start);
            let key = key.into_inner();
            if known_by_file.contains(&key) {
                continue;
            }
            let option = options_of_service(command)
                .find(|option| key_of(option).as_ref() == Some(&key))
                .ok_or_else(|| unknown(path, line, &key, command))?;
            let texts = texts_of(option, value.get_ref()).map_err(|why| {
                let next = format!("Correct the value of {key}.");
                wrong(path, Some(line), &format!("{key}: {why}"), &next)
            })?;
            values.push(Value {
                id: option.get_id().to_string(),
                flag: option.get_long().unwrap_or_default().to_owned(),
                key,
                texts,
                line,
            });
        }
        let own =
            toml::from_str(&text).map_err(|error| unreadable(path, &text, &error, command))?;
        Ok(Self { text, own, values })
    }
}

impl FileOnly {
    fn keys() -> Vec<String> {
        let schema = schemars::schema_for!(Self);
        let members = schema.get("properties").and_then(|all| all.as_object());
        members
            .into_iter()
            .flat_map(|all| all.keys().cloned())
            .collect()
    }
}

/// Why a file isn't valid TOML, or why one of the file's own settings is wrong.
fn unreadable(path: &Path, text: &str, error: &toml::de::Error, command: &Command) -> Failure {
    // An older name of `rate_limited`. Stead reads it but doesn't suggest it.
    let why = error.message().replace("`paced`, ", "");
    let start = error.span().map(|span| span.start);
    let line = start.map(|start| line_at(text, start));
    let misplaced = options_of_service(command)
        .filter_map(key_of)
        .find(|key| why.starts_with(&format!("unknown field `{key}`")));
    let next = match misplaced {
        Some(key) => format!("Put {key} above the first table of the file."),
        None => KEYS.to_owned(),
    };
    let set = line.and_then(|line| text.lines().nth(line - 1)?.split_once('='));
    let why = match set {
        Some((key, _)) if why.starts_with("invalid type") => format!("{}: {why}", key.trim()),
        _ => why,
    };
    wrong(path, line, &why, &next)
}

/// Why a key isn't one.
fn unknown(path: &Path, line: usize, key: &str, command: &Command) -> Failure {
    let secret = all_options(command)
        .into_iter()
        .find(|option| option.is_hide_env_values_set() && name_of(option).as_deref() == Some(key));
    if let Some(secret) = secret {
        let why = format!("{key} is a secret, and this file must not have secrets");
        return wrong(path, Some(line), &why, &secrets::instead_of(secret));
    }
    let flag = key.replace('_', "-");
    let is_argument = |option: &Arg| option.get_long() == Some(&flag) && key_of(option).is_none();
    if options_of_service(command).any(is_argument) {
        let why = format!("{key} can't be set in a file");
        let next = format!("Use the argument --{flag}.");
        return wrong(path, Some(line), &why, &next);
    }
    let mut known = FileOnly::keys();
    known.extend(options_of_service(command).filter_map(key_of));
    let nearest = did_you_mean(key, known.iter().map(String::as_str));
    wrong(
        path,
        Some(line),
        &format!("unknown key {key}{nearest}"),
        KEYS,
    )
}

fn wrong(path: &Path, line: Option<usize>, why: &str, next: &str) -> Failure {
    let line = line.map_or_else(String::new, |line| format!(", line {line}"));
    Failure::configuration(
        format!("invalid settings in {}{line}: {why}", path.display()),
        next,
    )
}

/// The line number of a byte.
fn line_at(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or(text);
    before.matches('\n').count() + 1
}

/// The line that sets something, such as `products.mail.token_url`.
fn line_of(text: &str, setting: &str) -> Option<usize> {
    let mut table = "";
    for (line, number) in text.lines().zip(1..) {
        let header = line.trim().strip_prefix('[');
        if let Some(header) = header.and_then(|rest| rest.split(']').next()) {
            table = header.trim();
            if table == setting {
                return Some(number);
            }
        } else if let Some((key, _)) = line.split_once('=') {
            let key = format!("{table}.{}", key.trim());
            let rest = setting.strip_prefix(&key);
            // The setting is in an inline table.
            if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
                return Some(number);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_setting_is_found() {
        let text = "private_hosts = [\"mail\"]\n\n[products.drive]\ntoken_url = 1\n[products.mail]\nissuer = 2\n\
            token_url = 3\n[products.mail.origins]\ngmail = 4\n[products.sheets]\norigins.sheets = 5\n\
            [products.workspace]\norigins = { notion = 6 }\n";
        for (setting, line) in [
            ("products.mail", Some(5)),
            ("products.mail.token_url", Some(7)),
            ("products.mail.origins.gmail", Some(9)),
            ("products.sheets.origins.sheets", Some(11)),
            ("products.workspace.origins.notion", Some(13)),
            ("products.calendar.token_url", None),
        ] {
            assert_eq!(line_of(text, setting), line, "{setting}");
        }
    }
}
