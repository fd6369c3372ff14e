//! The static description of the product.

use std::time::Duration;

use stead_core::{
    ports::Limits,
    product::{
        ClientAuthentication, OAuth, Origin, PermissionTexts, Permissions, Product, ProxyRoute,
        ProxyRules, Quota, Rotation, SettingField, SubjectSource, TestCall, TokenFormat,
    },
};

use crate::{classify, errors::read_error, guards::GUARDS, settings, tools::TOOLS};

/// The only host, which is the account's.
const SQL_API: &str = "sql_api";

/// Warehouse: the SQL API.
pub static PRODUCT: Product = Product {
    name: "warehouse",
    title: "Snowflake",
    origins: &[Origin {
        name: SQL_API,
        url: "https://{host}",
        base: "/api/v2",
    }],
    // SQL API, "Headers". Tools send their own Accept; raw requests may not have one.
    headers: &[
        ("accept", "application/json"),
        ("x-snowflake-authorization-token-type", "OAUTH"),
    ],
    read_error,
    // The product doesn't publish a quota. A warehouse queues statements above its MAX_CONCURRENCY_LEVEL, 8 by default.
    quota: Quota::UNLIMITED,
    token_prefixes: &["ver:", "ETMsDg"],
    settings: settings::derive,
    schemas_take_null: true,
    proxy: ProxyRules {
        routes: &[ProxyRoute::new("/api/v2", SQL_API)],
        path_words: "api cancel statements v2",
        ..ProxyRules::BASE
    },
    // A statement that is still running gets a response after 45 seconds (SQL API, parameter `async`).
    limits: Limits {
        first_byte: Duration::from_secs(75),
        total: Duration::from_secs(120),
        response_bytes: 64 * 1024 * 1024,
        ..Limits::DEFAULT
    },
    // Snowflake OAuth, "Configure Snowflake OAuth for custom clients". There is no revocation endpoint, so an administrator
    // must remove the delegated authorization.
    classify: classify::classify,
    fact_kinds: classify::KINDS,
    guards: GUARDS,
    oauth: OAuth {
        authorize: "https://{host}/oauth/authorize",
        token: "https://{host}/oauth/token-request",
        client_authentication: ClientAuthentication::Basic,
        token_format: TokenFormat::Form,
        pkce: true,
        // With this parameter, each refresh returns a new refresh token with its full lifetime. So an account that is used
        // never expires (docs.snowflake.com, "Single-use refresh tokens"). An integration that doesn't allow it ignores the
        // parameter.
        code_parameters: &[("enable_single_use_refresh_tokens", "true")],
        rotation: Rotation::Stable,
        // OAUTH_REFRESH_TOKEN_VALIDITY is 90 days by default.
        keep_alive: Some(Duration::from_secs(45 * 24 * 3600)),
        permissions: Permissions::None,
        default_lifetime: Some(Duration::from_secs(600)),
        subject: SubjectSource::TokenResponse {
            id: "/username",
            display: Some("/username"),
        },
        ..OAuth::BASE
    },
    permission_texts: &[&TEXTS],
    setting_fields: &[
        SettingField {
            name: "account",
            title: "Account",
            about: "The account’s identifier, such as myorg-myaccount, its host below snowflakecomputing.com, or its address in the browser.",
            is_required: true,
        },
        SettingField {
            name: "role",
            title: "Role",
            about: "The role for all users. Empty: each user’s default role, which must not be ACCOUNTADMIN or SECURITYADMIN.",
            is_required: false,
        },
        SettingField {
            name: settings::ANY_ROLE,
            title: "Any role",
            about: "true: each call can choose any of the user’s roles. Not with a role. Empty: all calls use the role that the user authorized.",
            is_required: false,
        },
        SettingField {
            name: settings::WAREHOUSE,
            title: "Warehouse",
            about: "The warehouse for statements, if a call doesn’t name one. Empty: each user’s default warehouse.",
            is_required: false,
        },
        SettingField {
            name: settings::DATABASE,
            title: "Database",
            about: "The database of the session, if a call doesn’t name one. Empty: each user’s default namespace.",
            is_required: false,
        },
        SettingField {
            name: settings::SCHEMA,
            title: "Schema",
            about: "The schema of the session, if a call names neither database nor schema.",
            is_required: false,
        },
    ],
    test_calls: &[TestCall {
        tool: "warehouse_show_warehouses",
        input: r#"{}"#,
        about: "Lists the warehouses. This works without a running warehouse.",
        finds_nothing: false,
    }],
    tools: TOOLS,
    core_tools: &[
        "warehouse_get_tables",
        "warehouse_run_select",
        "warehouse_get_query_status",
    ],
    docs: include_str!("docs.md"),
    ..Product::BASE
};

/// Texts about the scopes for the consent page.
static TEXTS: PermissionTexts = PermissionTexts::new(&[
    ("en", include_str!("permissions/en.json")),
    ("de", include_str!("permissions/de.json")),
    ("fr", include_str!("permissions/fr.json")),
    ("es", include_str!("permissions/es.json")),
    ("ja", include_str!("permissions/ja.json")),
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_name_the_integration_of_the_connection() {
        let steps = |redirect_uri: &str| PRODUCT.set_up("my-dwh", redirect_uri).unwrap();
        let with_tls = steps("https://stead.example.com/callback");
        assert!(
            with_tls.contains("CREATE SECURITY INTEGRATION STEAD_MY_DWH\n"),
            "{with_tls}"
        );
        assert!(with_tls.contains("OAUTH_REDIRECT_URI = 'https://stead.example.com/callback'"));
        assert!(with_tls.contains("SHOW_OAUTH_CLIENT_SECRETS('STEAD_MY_DWH')"));
        assert!(!with_tls.contains("NON_TLS"), "{with_tls}");
        let without = steps("http://127.0.0.1:8484/callback");
        assert!(
            without.contains("OAUTH_ALLOW_NON_TLS_REDIRECT_URI = TRUE\n"),
            "{without}"
        );
    }
}
