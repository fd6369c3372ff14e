//! The settings file: what is not said by an option, because it is said per product or is a long list.

use std::{collections::BTreeMap, path::Path};

use schemars::JsonSchema;
use serde::Deserialize;
use stead::core::environment::ProductOptions;

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    secrets,
};

/// The settings file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Settings {
    /// A table per product, by its name. A product without one has its own addresses and the rate limit of its published
    /// quota.
    #[serde(default)]
    pub(crate) products: BTreeMap<String, ProductOptions>,
    /// Hosts that may have private addresses: of products, and of webhooks, which there may also be plain http. A name that
    /// begins with a dot stands for all names below it.
    #[serde(default)]
    pub(crate) private_hosts: Vec<String>,
}

/// A file with every key, for the reference.
pub(crate) const EXAMPLE: &str = r#"private_hosts = ["hooks.internal", ".corp.example"]

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
    /// What a file says, where one is given.
    pub(crate) fn read(path: Option<&Path>) -> Outcome<Self> {
        let Some(path) = path else {
            return Ok(Self::default());
        };
        toml::from_str(&secrets::read_text(path, Exit::Configuration)?).map_err(|error| {
            // Another name of `rate_limited`, which is read and not offered.
            let why = error.message().replace("`paced`, ", "");
            Failure::configuration(
                format!("the settings in {} are wrong: {why}", path.display()),
                "It holds tables such as [products.mail] with origins, authorize_url, token_url, revoke_url, issuer, rate_limited, and the list private_hosts.",
            )
        })
    }
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
            .in_memory();
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
