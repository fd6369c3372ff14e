//! The settings file, for settings that are per product or long lists.

use std::{collections::BTreeMap, path::Path};

use schemars::JsonSchema;
use serde::Deserialize;
use stead_core::environment::ProductOptions;

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    secrets,
};

/// The settings file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// A table per product, by its name. Without one, Stead uses the product's own addresses and the rate limit of its
    /// published quota.
    #[serde(default)]
    pub(crate) products: BTreeMap<String, ProductOptions>,
    /// Hosts of products and webhooks that may have private addresses. Webhooks to these hosts may also use plain http.
    /// A name that starts with a dot matches all names below it.
    #[serde(default)]
    pub(crate) private_hosts: Vec<String>,
    /// Page to which a link sends the user's browser, if the link doesn't set a `verify_url`. The option --verify-url
    /// overrides it.
    pub(crate) verify_url: Option<String>,
}

/// A file with every key, for the reference.
pub(crate) const EXAMPLE: &str = r#"private_hosts = ["hooks.internal", ".corp.example"]
verify_url = "https://app.corp.example/connected"

[products.mail]
rate_limited = false
authorize_url = "https://login.corp.example/authorize"
token_url = "https://gateway.corp.example/oauth/token"
revoke_url = "https://gateway.corp.example/oauth/revoke"
issuer = "https://login.corp.example"

[products.mail.origins]
gmail = "https://gateway.corp.example/gmail"
people = "https://gateway.corp.example/people"
"#;

impl Settings {
    /// Reads the file, if one is given.
    pub(crate) fn read(path: Option<&Path>) -> Outcome<Self> {
        let Some(path) = path else {
            return Ok(Self::default());
        };
        let text = secrets::read_text(path, Exit::Configuration)?;
        toml::from_str(&text).map_err(|error| {
            // An older name of `rate_limited`. Stead reads it but doesn't suggest it.
            let why = error.message().replace("`paced`, ", "");
            let line = error.span().map(|span| line_at(&text, span.start));
            wrong(path, line, &why)
        })
    }

    /// The platform's error about a setting, such as `products.mail.token_url`, with its line in the file.
    pub(crate) fn refused(path: &Path, setting: &str, why: &str) -> Failure {
        let text = secrets::read_text(path, Exit::Configuration).unwrap_or_default();
        wrong(path, line_of(&text, setting), &format!("{setting}: {why}"))
    }
}

fn wrong(path: &Path, line: Option<usize>, why: &str) -> Failure {
    let line = line.map_or_else(String::new, |line| format!(", line {line}"));
    Failure::configuration(
        format!("invalid settings in {}{line}: {why}", path.display()),
        "The file can have private_hosts, verify_url and a table for each product, such as [products.mail]. A table can have origins, authorize_url, token_url, revoke_url, issuer and rate_limited.",
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
    use stead::Platform;

    use super::*;

    #[tokio::test]
    async fn a_platform_takes_the_example() {
        let settings: Settings = toml::from_str(EXAMPLE).unwrap();
        let mut builder = Platform::builder("https://stead.example.com")
            .ephemeral_key()
            .in_memory()
            .verify_url(settings.verify_url.unwrap());
        for (name, options) in settings.products {
            builder = builder.product(&name, options);
        }
        builder.build().await.unwrap();
    }

    #[test]
    fn a_wrong_key_is_answered_with_the_keys_to_use() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.toml");
        std::fs::write(&file, "[products.mail]\npace = 1\n").unwrap();
        let failure = Settings::read(Some(&file)).unwrap_err();
        let Failure::CommandLine { what, .. } = failure else {
            panic!("another failure")
        };
        assert!(what.contains("`issuer`, `rate_limited`"), "{what}");
        assert!(what.contains("settings.toml, line 2: "), "{what}");
    }

    #[test]
    fn a_setting_is_found_where_it_stands() {
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

    #[test]
    fn settings_name_products_and_refuse_unknown_members() {
        let settings: Settings = toml::from_str(EXAMPLE).unwrap();
        let mail = &settings.products["mail"];
        assert_eq!(mail.rate_limited, Some(false));
        assert_eq!(mail.origins["gmail"], "https://gateway.corp.example/gmail");
        assert!(toml::from_str::<Settings>("[products.mail]\npace = 1\n").is_err());
        assert!(toml::from_str::<Settings>("[mail]\n").is_err());
    }
}
