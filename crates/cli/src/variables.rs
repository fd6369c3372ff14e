//! Finds environment variables that look like settings of Stead but that no option reads, such as misspelled ones.

use std::collections::BTreeSet;

use clap::Command;
use stead_core::similar::did_you_mean;

use crate::settings::all_options;

/// Names that the guides use for variables of an application, a shell or a test.
const OTHERS: &[&str] = &[
    "STEAD_TEST_POSTGRES",
    "STEAD_TEST_STORE",
    "STEAD_TOKEN",
    "STEAD_WEBHOOK_ID",
    "STEAD_WEBHOOK_SECRET",
];

/// A sentence for each variable of this process whose name begins with `STEAD_` and that no option reads.
pub(crate) fn unknown(command: &Command) -> Vec<String> {
    let given = std::env::vars_os().map(|(name, value)| {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        (text(name), text(value))
    });
    unknown_of(command, given)
}

fn unknown_of(command: &Command, given: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let options = all_options(command).into_iter();
    let known: BTreeSet<String> = options
        .filter_map(|option| option.get_env()?.to_str().map(str::to_owned))
        .collect();
    let mut unknown: Vec<String> = given
        .into_iter()
        .filter(|(name, value)| name.starts_with("STEAD_") && !is_of_kubernetes(name, value))
        .map(|(name, _)| name)
        .filter(|name| !known.contains(name) && !OTHERS.contains(&name.as_str()))
        .collect();
    unknown.sort();
    let said = unknown.into_iter().map(|name| {
        // All names share the prefix, so only the rest is compared.
        let own = known
            .iter()
            .filter_map(|known| known.strip_prefix("STEAD_"));
        let nearest = did_you_mean(name.trim_start_matches("STEAD_"), own);
        let nearest = nearest
            .replace("mean ", "mean STEAD_")
            .replace(", ", ", STEAD_");
        format!("{name} is not a setting of this Stead, and has no effect{nearest}")
    });
    said.collect()
}

/// Whether Kubernetes set it. For a service named `stead`, it sets such variables in every container.
fn is_of_kubernetes(name: &str, value: &str) -> bool {
    ["_SERVICE_HOST", "_SERVICE_PORT"]
        .iter()
        .any(|part| name.contains(part))
        || (name.contains("_PORT_") && name.bytes().any(|byte| byte.is_ascii_digit()))
        || (name.ends_with("_PORT") && value.contains("://"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn said(given: &[(&str, &str)]) -> Vec<String> {
        let given = given
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        unknown_of(&crate::CommandLine::command(), given)
    }

    #[test]
    fn a_misspelled_variable_is_named_with_the_nearest_one() {
        let all = said(&[
            ("STEAD_METRIC_LISTEN", "127.0.0.1:9000"),
            ("STEAD_TRUSTED_PROXY", "10.0.0.7"),
            ("STEAD_WEATHER", "rain"),
        ]);
        assert!(
            all[0].starts_with("STEAD_METRIC_LISTEN is not a setting")
                && all[0].contains("did you mean STEAD_METRICS_LISTEN"),
            "{all:?}"
        );
        assert!(all[1].contains("STEAD_TRUSTED_PROXIES"), "{all:?}");
        assert!(!all[2].contains("did you mean"), "{all:?}");
    }

    #[test]
    fn settings_other_names_and_those_of_kubernetes_pass() {
        for (name, value) in [
            ("STEAD_PUBLIC_URL", "https://stead.example.com"),
            ("STEAD_CLIENT_SECRET", "hush"),
            ("STEAD_COPY_FROM", "sqlite:a"),
            ("STEAD_TOKEN", "hush"),
            ("STEAD_SERVICE_HOST", "10.0.0.1"),
            ("STEAD_SERVICE_PORT_HTTP", "8484"),
            ("STEAD_PORT", "tcp://10.0.0.1:8484"),
            ("STEAD_PORT_8484_TCP_ADDR", "10.0.0.1"),
            ("STEADY", "yes"),
        ] {
            assert_eq!(said(&[(name, value)]), [""; 0], "{name}");
        }
        assert_eq!(said(&[("STEAD_PORT", "8484")]).len(), 1);
    }
}
