//! Settings of a connection: which account of the product, and in which role.

use serde_json::{Map, Value};
use stead_core::{Error, Result, error::Violation, product::DerivedSettings, tool::Call};

use crate::{scopes, sql::Name};

/// Where the accounts are, by the part of the world that hosts them.
const SUFFIXES: [&str; 2] = [".snowflakecomputing.com", ".snowflakecomputing.cn"];
/// Clouds that an identifier may name after its region.
const CLOUDS: [&str; 3] = ["aws", "azure", "gcp"];
/// Settings that stand in for what a call leaves out.
const SESSION: [&str; 3] = [WAREHOUSE, DATABASE, SCHEMA];
pub(crate) const WAREHOUSE: &str = "warehouse";
pub(crate) const DATABASE: &str = "database";
pub(crate) const SCHEMA: &str = "schema";

/// The name that a setting holds for what a call leaves out.
pub(crate) fn name(call: &Call, setting: &str) -> Option<Name> {
    Name::read(call.settings.get(setting)?.as_str()?).ok()
}

/// Labels of a host before the suffix: locator, region, cloud, `privatelink`.
const MOST_LABELS: usize = 4;

/// Reads the settings: the host that every address of the connection has, and the scopes that its links ask for.
///
/// # Errors
/// [`stead_core::ErrorKind::InvalidRequest`] with the place of each fault.
pub(crate) fn derive(settings: &Map<String, Value>) -> Result<DerivedSettings> {
    let mut violations = Vec::new();
    let mut refuse = |name: &str, keyword: &str, message: &str| {
        violations.push(Violation::new(
            format!("/settings/{name}"),
            keyword,
            message,
        ));
    };
    let mut derived = DerivedSettings::default();
    derived.scopes.push(scopes::REFRESH_TOKEN.to_owned());
    match settings
        .get("account")
        .map(|account| account.as_str().map(host))
    {
        None => refuse(
            "account",
            "required",
            "\"account\" is required: the account's identifier, such as myorg-myaccount, or its host",
        ),
        Some(Some(Some(host))) => derived.host = Some(host),
        Some(_) => refuse(
            "account",
            "format",
            "expected an account's identifier, such as myorg-myaccount, or its host below snowflakecomputing.com",
        ),
    }
    match settings
        .get("role")
        .map(|role| role.as_str().map(Name::read))
    {
        None => {}
        Some(Some(Ok(role))) => derived.scopes.push(scopes::session_role(&role)),
        Some(Some(Err(message))) => refuse("role", "format", message),
        Some(None) => refuse("role", "type", "expected a role's name"),
    }
    for name in SESSION {
        match settings
            .get(name)
            .map(|value| value.as_str().map(Name::read))
        {
            None | Some(Some(Ok(_))) => {}
            Some(Some(Err(message))) => refuse(name, "format", message),
            Some(None) => refuse(name, "type", "expected a name"),
        }
    }
    let is_known = |name: &str| ["account", "role"].contains(&name) || SESSION.contains(&name);
    for name in settings.keys().filter(|name| !is_known(name)) {
        let name = name.replace('~', "~0").replace('/', "~1");
        refuse(
            &name,
            "additionalProperties",
            "this is not known here; known: account, role, warehouse, database, schema, rate_limit",
        );
    }
    if violations.is_empty() {
        Ok(derived)
    } else {
        Err(Error::invalid(violations))
    }
}

/// The host of an account, by identifier or full host name; nothing for what could lead elsewhere.
///
/// Source: "Account identifiers"; the underscores of an account's name are hyphens in its host.
fn host(account: &str) -> Option<String> {
    let given = account.to_ascii_lowercase().replace('_', "-");
    let given = given.strip_prefix("https://").unwrap_or(&given);
    let given = given.strip_suffix('/').unwrap_or(given);
    let suffix = SUFFIXES.into_iter().find(|suffix| given.ends_with(suffix));
    let labels: Vec<&str> = given
        .strip_suffix(suffix.unwrap_or_default())
        .unwrap_or(given)
        .split('.')
        .collect();
    let well_formed = labels.len() <= MOST_LABELS
        && labels
            .iter()
            .all(|label| is_label(label) && *label != "snowflakecomputing");
    if !well_formed || (suffix.is_none() && !is_identifier(&labels)) {
        return None;
    }
    let in_china = labels
        .get(1)
        .is_some_and(|region| region.starts_with("cn-"));
    Some(format!(
        "{}{}",
        labels.join("."),
        suffix.unwrap_or(SUFFIXES[usize::from(in_china)])
    ))
}

/// A label of a host name (RFC 1035, 2.3.1, with digits first as RFC 1123 allows).
fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// `name[.region[.cloud]][.privatelink]`. A region has a hyphen, which tells it from the rest of another domain.
fn is_identifier(labels: &[&str]) -> bool {
    let labels = labels.strip_suffix(&["privatelink"]).unwrap_or(labels);
    match labels {
        [_] => true,
        [_, region] => region.contains('-'),
        [_, region, cloud] => region.contains('-') && CLOUDS.contains(cloud),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use stead_core::ErrorKind;

    use super::*;

    fn derived(settings: &Value) -> Result<DerivedSettings> {
        derive(settings.as_object().unwrap())
    }

    #[test]
    fn an_identifier_or_a_host_names_the_host() {
        for (account, expected) in [
            ("myorg-acct1", "myorg-acct1.snowflakecomputing.com"),
            (
                "MYORG-My_Account",
                "myorg-my-account.snowflakecomputing.com",
            ),
            (
                "xy12345.us-east-2.aws",
                "xy12345.us-east-2.aws.snowflakecomputing.com",
            ),
            (
                "xy12345.us-east-2.aws.privatelink",
                "xy12345.us-east-2.aws.privatelink.snowflakecomputing.com",
            ),
            (
                "myorg-acct1.privatelink",
                "myorg-acct1.privatelink.snowflakecomputing.com",
            ),
            (
                "xy12345.cn-northwest-1.aws",
                "xy12345.cn-northwest-1.aws.snowflakecomputing.cn",
            ),
            ("x.snowflakecomputing.cn", "x.snowflakecomputing.cn"),
            (
                "https://MyOrg-Acct1.snowflakecomputing.com/",
                "myorg-acct1.snowflakecomputing.com",
            ),
            (
                "myorg-conn.global.snowflakecomputing.com",
                "myorg-conn.global.snowflakecomputing.com",
            ),
        ] {
            assert_eq!(host(account).as_deref(), Some(expected), "{account}");
        }
    }

    #[test]
    fn what_could_lead_elsewhere_is_refused() {
        for account in [
            "",
            ".",
            "-a",
            "a-",
            "a..snowflakecomputing.com",
            "-a.snowflakecomputing.com",
            ".snowflakecomputing.com",
            "snowflakecomputing.com",
            "evil.com",
            "a.snowflakecomputing.com.evil.net",
            "a.snowflakecomputing.com.evil",
            "a.b.c.d.e.snowflakecomputing.com",
            "myorg-acct1.snowflakecomputing.com:443",
            "myorg-acct1.snowflakecomputing.com.",
            "myorg-acct1.snowflakecomputing.com\n",
            "myorg-acct1.snowflakecomputing.com//",
            "myorg-acct1/../evil",
            "myorg-acct1?x=.snowflakecomputing.com",
            "evil.net#.snowflakecomputing.com",
            "evil.net/.snowflakecomputing.com",
            "user@myorg-acct1",
            "user:pass@myorg-acct1.snowflakecomputing.com",
            "http://myorg-acct1.snowflakecomputing.com",
            "https://https://myorg-acct1",
            "169.254.169.254",
            "127.0.0.1",
            "[::1]",
            "localhost:8080",
            "myörg",
            "\u{212a}elvin",
            "a b",
            "%61",
            "{host}",
        ] {
            assert_eq!(host(account), None, "{account}");
        }
    }

    #[test]
    fn settings_become_host_and_scopes() {
        let plain = derived(&json!({"account": "sandbox-acme"})).unwrap();
        assert_eq!(
            plain.host.as_deref(),
            Some("sandbox-acme.snowflakecomputing.com")
        );
        assert_eq!(plain.scopes, ["refresh_token"]);
        let in_role = derived(&json!({"account": "sandbox-acme", "role": "analyst"})).unwrap();
        assert_eq!(in_role.scopes, ["refresh_token", "session:role:ANALYST"]);
    }

    #[test]
    fn every_fault_of_the_settings_has_its_place() {
        for (settings, places) in [
            (json!({}), vec![("/settings/account", "required")]),
            (json!({"account": 7}), vec![("/settings/account", "format")]),
            (
                json!({"account": "a", "role": ""}),
                vec![("/settings/role", "format")],
            ),
            (
                json!({"account": "a", "warehouse": 7, "database": "", "schema": "s"}),
                vec![
                    ("/settings/warehouse", "type"),
                    ("/settings/database", "format"),
                ],
            ),
            (
                json!({"account": "a", "role": null}),
                vec![("/settings/role", "type")],
            ),
            (
                json!({"account": "evil.com", "a/b": 1}),
                vec![
                    ("/settings/account", "format"),
                    ("/settings/a~1b", "additionalProperties"),
                ],
            ),
        ] {
            let error = derived(&settings).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest);
            let found: Vec<(&str, &str)> = error
                .violation_list()
                .iter()
                .map(|one| (one.path.as_str(), one.keyword.as_str()))
                .collect();
            assert_eq!(found, places, "{settings}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_taken_stays_at_the_product(account in "\\PC{0,60}|[a-z0-9._/:@%#?-]{0,40}(\\.snowflakecomputing\\.com)?") {
            if let Some(host) = host(&account) {
                proptest::prop_assert!(SUFFIXES.iter().any(|suffix| host.ends_with(suffix)));
                proptest::prop_assert!(host.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte)));
                proptest::prop_assert!(host.split('.').all(is_label));
            }
        }
    }
}
