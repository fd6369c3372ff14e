//! The static description of the product.

use stead_core::product::{
    Origin, PermissionTexts, Preset, Product, ProxyRoute, ProxyRules, Quota, TestCall,
};

use crate::{classify, errors::read_error, scopes, tools::TOOLS};

/// Host of the Sheets API.
const SHEETS: &str = "sheets";

/// Sheets: the Google Sheets API, version 4.
pub static PRODUCT: Product = Product {
    name: "sheets",
    title: "Google Sheets",
    origins: &[Origin {
        name: SHEETS,
        url: "https://sheets.googleapis.com",
        base: "/v4/spreadsheets",
    }],
    read_error,
    // Sheets API, "Usage limits": 60 reads and 60 writes per minute per user per project.
    quota: Quota {
        units_per_minute: 60,
        writes_per_minute: Some(60),
        concurrency: 8,
    },
    proxy: ProxyRules {
        routes: &[
            // A sheet's title, and so a range, can contain a slash.
            ProxyRoute::new("/v4/spreadsheets", SHEETS).encoded_slash_after("values"),
            ProxyRoute::new("/batch", SHEETS).batch(),
        ],
        // Sheets API, spreadsheets.getByDataFilter, values.batchGetByDataFilter, developerMetadata.search.
        reading_posts: &[
            "/v4/spreadsheets/*:getByDataFilter",
            "/v4/spreadsheets/*/values:batchGetByDataFilter",
            "/v4/spreadsheets/*/developerMetadata:search",
        ],
        path_words: "append batch batchClear batchClearByDataFilter batchGet batchGetByDataFilter batchUpdate \
            batchUpdateByDataFilter clear copyTo developerMetadata getByDataFilter search sheets spreadsheets v4 \
            values",
        ..stead_google::PROXY
    },
    classify: classify::classify,
    fact_kinds: classify::KINDS,
    oauth: stead_google::oauth(&[scopes::SPREADSHEETS]),
    permission_texts: &[&TEXTS, &stead_google::TEXTS],
    presets: &[
        Preset {
            name: "read",
            about: "Read all spreadsheets.",
            scopes: &[scopes::SPREADSHEETS_READONLY],
        },
        Preset {
            name: "edit",
            about: "Read, create and change all spreadsheets.",
            scopes: &[scopes::SPREADSHEETS],
        },
        Preset {
            name: "files",
            about: "Create spreadsheets, and change only those that your application created or that the user picked.",
            scopes: &[scopes::DRIVE_FILE],
        },
    ],
    test_calls: &[TestCall {
        tool: "sheets_read_spreadsheet",
        input: r#"{"spreadsheet_id":"stead-connection-test"}"#,
        about: "Reads a spreadsheet that doesn't exist. Google Sheets can't list spreadsheets, and reports a missing one only to a valid token.",
        finds_nothing: true,
    }],
    tools: TOOLS,
    core_tools: &[
        "sheets_get_values",
        "sheets_update_values",
        "sheets_append_values",
        "sheets_create_spreadsheet",
    ],
    docs: include_str!("docs.md"),
    ..stead_google::BASE
};

/// Texts about the scopes for the consent page.
static TEXTS: PermissionTexts = PermissionTexts::new(&[
    ("en", include_str!("permissions/en.json")),
    ("de", include_str!("permissions/de.json")),
    ("fr", include_str!("permissions/fr.json")),
    ("es", include_str!("permissions/es.json")),
    ("ja", include_str!("permissions/ja.json")),
]);
