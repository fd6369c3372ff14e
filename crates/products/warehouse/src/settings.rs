//! Settings of a connection: the account at the product, the role, and defaults for calls.

use serde_json::{Map, Value};
use stead_core::{Error, Result, error::Violation, product::DerivedSettings, tool::Call};

use crate::{scopes, sql::Name};

/// Domains of accounts, by the part of the world that hosts them.
const SUFFIXES: [&str; 2] = [".snowflakecomputing.com", ".snowflakecomputing.cn"];
/// The host of the web interface, which has addresses such as `/organization/account/`.
const SNOWSIGHT: &str = "app.snowflake.com";
const ACCOUNT_EXPECTED: &str = "expected an account's identifier (myorg-myaccount, MYORG.MYACCOUNT, or a locator with its region: xy12345.us-east-2.aws), its host below snowflakecomputing.com, or its address in the browser (https://app.snowflake.com/myorg/myaccount/)";
/// The setting that lets calls choose a role.
pub(crate) const ANY_ROLE: &str = "any_role";
/// Settings that are defaults for calls.
const SESSION: [&str; 3] = [WAREHOUSE, DATABASE, SCHEMA];
pub(crate) const WAREHOUSE: &str = "warehouse";
pub(crate) const DATABASE: &str = "database";
pub(crate) const SCHEMA: &str = "schema";

/// The name in a setting that is a default for calls.
pub(crate) fn name(call: &Call, setting: &str) -> Option<Name> {
    Name::read(call.settings.get(setting)?.as_str()?).ok()
}

/// Most labels of a host before the suffix: locator, region, cloud, `privatelink`.
const MOST_LABELS: usize = 4;

/// Reads the settings. They determine the host of all addresses of the connection, and the scopes that its links request.
///
/// # Errors
/// Returns [`stead_core::ErrorKind::InvalidRequest`] with the place of each fault.
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
        Some(_) => refuse("account", "format", ACCOUNT_EXPECTED),
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
    match settings.get(ANY_ROLE).map(truth) {
        None | Some(Some(false)) => {}
        Some(Some(true)) if settings.contains_key("role") => refuse(
            ANY_ROLE,
            "unused",
            "with a \"role\", all calls use it; omit one of the two settings",
        ),
        Some(Some(true)) => derived.scopes.push(scopes::SESSION_ROLE_ANY.to_owned()),
        Some(None) => refuse(ANY_ROLE, "type", "expected true or false"),
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
    let is_known =
        |name: &str| ["account", "role", ANY_ROLE].contains(&name) || SESSION.contains(&name);
    for name in settings.keys().filter(|name| !is_known(name)) {
        let name = name.replace('~', "~0").replace('/', "~1");
        refuse(
            &name,
            "additionalProperties",
            "there is no such setting; use one of: account, role, any_role, warehouse, database, schema, rate_limit",
        );
    }
    if violations.is_empty() {
        Ok(derived)
    } else {
        Err(Error::invalid(violations))
    }
}

/// A boolean, or its text as a form sends it.
fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::String(text) => text.to_ascii_lowercase().parse().ok(),
        value => value.as_bool(),
    }
}

/// The host of an account, from a host or an account identifier; `None` if it's neither.
///
/// Source: "Account identifiers".
fn host(account: &str) -> Option<String> {
    let given = account.to_ascii_lowercase();
    let rest = given.strip_prefix("https://").unwrap_or(&given);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let suffix = SUFFIXES
        .into_iter()
        .find_map(|suffix| Some((host.strip_suffix(suffix)?, suffix)));
    if let Some((name, suffix)) = suffix {
        // A private DNS may only know the name with underscores.
        let labels: Vec<&str> = name.split('.').collect();
        let is_account = labels.len() <= MOST_LABELS && labels.iter().all(|label| is_label(label));
        return is_account.then(|| format!("{name}{suffix}"));
    }
    if host == SNOWSIGHT {
        let mut parts = path.split(['/', '?', '#']);
        return of_names(parts.next()?, parts.next()?, "");
    }
    if !path.is_empty() {
        return None;
    }
    of_identifier(host)
}

/// The host of an account, from its identifier: `organization-account`, `organization.account` as in SQL, or
/// `locator[.region[.cloud]]`. Each can end with `.privatelink`.
fn of_identifier(identifier: &str) -> Option<String> {
    const PRIVATE: &str = ".privatelink";
    let (name, private) = match identifier.strip_suffix(PRIVATE) {
        Some(name) => (name, PRIVATE),
        None => (identifier, ""),
    };
    let labels: Vec<&str> = name.split('.').collect();
    let region = match labels.as_slice() {
        [_] => None,
        [_, region] | [_, region, "aws" | "azure" | "gcp"] if is_region(region) => Some(region),
        [organization, account] => return of_names(organization, account, private),
        _ => return None,
    };
    // Underscores in a name are hyphens in the host.
    let name = name.replace('_', "-");
    let is_in_china = region.is_some_and(|region| region.starts_with("cn-"));
    let suffix = SUFFIXES[usize::from(is_in_china)];
    let is_account = name.split('.').all(is_label);
    is_account.then(|| format!("{name}{private}{suffix}"))
}

/// The host of an account, from the names of organization and account, which contain no hyphens.
fn of_names(organization: &str, account: &str, private: &str) -> Option<String> {
    let is_name = |name: &str, others: &[u8]| {
        name.starts_with(|first: char| first.is_ascii_lowercase())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
    };
    let is_account = is_name(organization, b"")
        && is_name(account, b"_")
        // Looks like the domain of a website.
        && !["ai", "cn", "com", "io", "net", "org"].contains(&account);
    let name = format!("{organization}-{}", account.replace('_', "-"));
    (is_account && is_label(&name)).then(|| format!("{name}{private}{}", SUFFIXES[0]))
}

/// Whether a label is a cloud region, such as `us-east-2`, `west-europe` or `us-gov-virginia`. A region contains a
/// direction or `gov`.
fn is_region(label: &str) -> bool {
    let says_where = |part: &str| {
        let part = part.trim_end_matches(|digit: char| digit.is_ascii_digit());
        part == "gov"
            || ["north", "south", "east", "west", "central"]
                .iter()
                .any(|word| part.ends_with(word))
    };
    is_label(label)
        && !label.contains('_')
        && label.contains('-')
        && label.split('-').any(says_where)
}

/// A label of a host name (RFC 1035, 2.3.1; RFC 1123 also allows a digit first). Private host names can also contain
/// underscores.
fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte))
        && !label.starts_with('-')
        && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use stead_core::ErrorKind;
    use stead_testkit::cases;

    use super::*;

    fn derived(settings: &Value) -> Result<DerivedSettings> {
        derive(settings.as_object().unwrap())
    }

    #[test]
    fn an_identifier_or_a_host_names_the_host() {
        let table = "
            myorg-acct1 => myorg-acct1.snowflakecomputing.com
            MYORG-My_Account => myorg-my-account.snowflakecomputing.com
            xy12345.us-east-2.aws => xy12345.us-east-2.aws.snowflakecomputing.com
            xy12345.us-east-2.aws.privatelink => xy12345.us-east-2.aws.privatelink.snowflakecomputing.com
            myorg-acct1.privatelink => myorg-acct1.privatelink.snowflakecomputing.com
            xy12345.cn-northwest-1.aws => xy12345.cn-northwest-1.aws.snowflakecomputing.cn
            x.snowflakecomputing.cn => x.snowflakecomputing.cn
            https://MyOrg-Acct1.snowflakecomputing.com/ => myorg-acct1.snowflakecomputing.com
            myorg-conn.global.snowflakecomputing.com => myorg-conn.global.snowflakecomputing.com
            acme-sub_dev.privatelink.snowflakecomputing.com => acme-sub_dev.privatelink.snowflakecomputing.com
            MyOrg-My_Account.snowflakecomputing.com => myorg-my_account.snowflakecomputing.com
            MYORG.MYACCOUNT => myorg-myaccount.snowflakecomputing.com
            myorg.my_account => myorg-my-account.snowflakecomputing.com
            myorg.my_account.privatelink => myorg-my-account.privatelink.snowflakecomputing.com
            https://app.snowflake.com/myorg/myaccount/ => myorg-myaccount.snowflakecomputing.com
            app.snowflake.com/MYORG/my_account/#/homepage => myorg-my-account.snowflakecomputing.com
            https://myorg-acct1.snowflakecomputing.com/console/login#/ => myorg-acct1.snowflakecomputing.com
            xy12345 => xy12345.snowflakecomputing.com
            xy12345.us-gov-virginia.azure => xy12345.us-gov-virginia.azure.snowflakecomputing.com
            xy12345.west-europe.azure => xy12345.west-europe.azure.snowflakecomputing.com
            xy12345.us-central1.gcp => xy12345.us-central1.gcp.snowflakecomputing.com
            myorg-acct1.snowflakecomputing.cn => myorg-acct1.snowflakecomputing.cn
        ";
        for [account, expected] in cases(table) {
            assert_eq!(host(account).as_deref(), Some(expected), "{account}");
        }
    }

    #[test]
    fn accounts_that_could_lead_to_another_host_are_refused() {
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
            // Neither a region nor a name in SQL.
            "myorg.my-account",
            "xy12345.us-east-2.alibaba",
            "org.account.more",
            "https://app.snowflake.com/",
            "https://app.snowflake.com/myorg",
            "https://app.snowflake.com/us-east-2.aws/xy12345/",
            "https://app.snowflake.com.evil.net/myorg/myaccount",
            "https://evil.net/myorg-acct1.snowflakecomputing.com",
            "evil.net\\.snowflakecomputing.com",
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
        for (any_role, scopes) in [
            (json!(true), &["refresh_token", "session:role-any"][..]),
            (json!("True"), &["refresh_token", "session:role-any"]),
            (json!(false), &["refresh_token"]),
            (json!("false"), &["refresh_token"]),
        ] {
            let settings = json!({"account": "sandbox-acme", "any_role": any_role});
            assert_eq!(derived(&settings).unwrap().scopes, scopes, "{settings}");
        }
    }

    #[test]
    fn every_fault_of_the_settings_has_a_place() {
        let table = r#"
            {} => /settings/account required
            {"account": 7} => /settings/account format
            {"account": "a", "role": ""} => /settings/role format
            {"account": "a", "warehouse": 7, "database": "", "schema": "s"} => /settings/warehouse type, /settings/database format
            {"account": "a", "role": null} => /settings/role type
            {"account": "a", "any_role": "perhaps"} => /settings/any_role type
            {"account": "a", "role": "analyst", "any_role": true} => /settings/any_role unused
            {"account": "evil.com", "a/b": 1} => /settings/account format, /settings/a~1b additionalProperties
        "#;
        for [settings, places] in cases(table) {
            let settings: Value = serde_json::from_str(settings).unwrap();
            let error = derived(&settings).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidRequest);
            let found = error.violation_list().iter();
            let found: Vec<String> = found
                .map(|one| format!("{} {}", one.path, one.keyword))
                .collect();
            assert_eq!(found.join(", "), places, "{settings}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_accepted_host_belongs_to_the_product(account in "\\PC{0,60}|[a-z0-9._/:@%#?-]{0,40}(\\.snowflakecomputing\\.com)?") {
            if let Some(host) = host(&account) {
                proptest::prop_assert!(SUFFIXES.iter().any(|suffix| host.ends_with(suffix)));
                proptest::prop_assert!(host.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte)));
                proptest::prop_assert!(host.split('.').all(is_label));
            }
        }
    }
}
