//! The static description of the product.

use std::time::Duration;

use stead_core::{
    ports::Limits,
    product::{
        ClientAuthentication, OAuth, Origin, PermissionTexts, Permissions, Product, ProxyRoute,
        ProxyRules, Quota, Rotation, SettingField, SubjectSource, TestCall, TokenFormat,
    },
};

use crate::{
    classify,
    errors::{read_error, read_token_error},
    settings,
    tools::TOOLS,
    version,
};

/// Name of the only host, the Notion API.
const NOTION: &str = "notion";
/// A header that every request needs, also to the token endpoint.
const VERSION: &[(&str, &str)] = &[(version::HEADER, version::DEFAULT)];

/// Workspace: the Notion API.
pub static PRODUCT: Product = Product {
    name: "workspace",
    title: "Notion",
    origins: &[Origin {
        name: NOTION,
        url: "https://api.notion.com",
        base: "/v1",
    }],
    headers: VERSION,
    read_error,
    token_prefixes: &["ntn_", "nrt_", "secret_"],
    // Notion API, "Request limits": the lowest published rate, since Stead doesn't know the user's plan. Every request
    // counts as one.
    quota: Quota {
        units_per_minute: 180,
        writes_per_minute: None,
        concurrency: 4,
    },
    settings: settings::derive,
    setting_fields: &[SettingField {
        name: version::SETTING,
        title: "Version of the API",
        about: "The API version for tools and raw requests that don’t name one. It’s a date, such as 2025-09-03 for databases with several data sources. Empty: 2022-06-28, or 2026-03-11 for newer tools.",
        is_required: false,
    }],
    proxy: ProxyRules {
        routes: &[
            ProxyRoute::new("/v1", NOTION),
            ProxyRoute::new("/search", NOTION).rewrite("/v1/search"),
        ],
        refused: Some("/v1/oauth"),
        takes_header: |name| name == version::HEADER,
        // Notion API, "Search by title", "Query a database", "Query a data source".
        reading_posts: &[
            "/v1/search",
            "/v1/databases/*/query",
            "/v1/data_sources/*/query",
        ],
        path_words: "blocks children comments complete data_sources databases file_uploads introspect markdown me move oauth \
            pages properties query revoke search send templates token users v1",
        ..ProxyRules::BASE
    },
    // The product's own client uses the same timeout.
    limits: Limits {
        first_byte: Duration::from_secs(60),
        ..Limits::DEFAULT
    },
    classify: classify::classify,
    fact_kinds: classify::KINDS,
    oauth: OAUTH,
    permission_texts: &[&TEXTS],
    // "Capabilities": the capability that each endpoint needs.
    capabilities: &[
        (
            "read_content",
            &[
                "workspace_fetch_database",
                "workspace_query_data_source",
                "workspace_query_database",
                "workspace_query_database_properties",
                "workspace_search",
            ],
        ),
        (
            "insert_content",
            &[
                "workspace_append_blocks",
                "workspace_create_database",
                "workspace_create_page",
                "workspace_insert_database_row",
            ],
        ),
        (
            "read_comments",
            &["workspace_get_comment", "workspace_list_comments"],
        ),
        ("insert_comments", &["workspace_create_comment"]),
    ],
    test_calls: &[TestCall {
        tool: "workspace_search",
        input: r#"{"page_size":1}"#,
        about: "Lists a shared page.",
        finds_nothing: false,
    }],
    tools: TOOLS,
    core_tools: &[
        "workspace_search",
        "workspace_create_page",
        "workspace_append_blocks",
        "workspace_query_data_source",
    ],
    docs: include_str!("docs.md"),
    ..Product::BASE
};

/// Texts about the capabilities for the consent page.
static TEXTS: PermissionTexts = PermissionTexts::new(&[
    ("en", include_str!("permissions/en.json")),
    ("de", include_str!("permissions/de.json")),
    ("fr", include_str!("permissions/fr.json")),
    ("es", include_str!("permissions/es.json")),
    ("ja", include_str!("permissions/ja.json")),
]);

/// Notion API, "Authorization" and the OAuth section of its OpenAPI description. Access tokens have no known lifetime, so
/// Stead refreshes them when the product refuses them. Every refresh returns a new refresh token.
const OAUTH: OAuth = OAuth {
    authorize: "https://api.notion.com/v1/oauth/authorize",
    token: "https://api.notion.com/v1/oauth/token",
    token_headers: VERSION,
    read_token_error,
    revoke: Some("https://api.notion.com/v1/oauth/revoke"),
    // Only this one of the documented codes of a 400 is about the token (others are `invalid_request` or
    // `unauthorized_client`).
    revoked_already: |status, body| {
        status == 400 && body.get("code").is_some_and(|code| code == "invalid_grant")
    },
    client_authentication: ClientAuthentication::Basic,
    token_format: TokenFormat::Json,
    pkce: false,
    authorize_parameters: &[("owner", "user")],
    rotation: Rotation::Strict,
    permissions: Permissions::Capabilities,
    default_lifetime: None,
    subject: SubjectSource::TokenResponse {
        id: "/bot_id",
        display: Some("/workspace_name"),
    },
    ..OAuth::BASE
};
