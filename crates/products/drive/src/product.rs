//! The static description of the product.

use http::Method;
use stead_core::product::{
    Origin, PermissionTexts, Preset, Product, ProxyRoute, ProxyRules, Quota, TestCall,
};

use crate::{classify, errors::read_error, guards::GUARDS, scopes, tools::TOOLS};

/// Host of the Drive API.
const DRIVE: &str = "drive";

/// Drive: the Google Drive API, version 3.
pub static PRODUCT: Product = Product {
    name: "drive",
    title: "Google Drive",
    origins: &[Origin {
        name: DRIVE,
        url: "https://www.googleapis.com",
        base: "/drive/v3",
    }],
    read_error,
    cost,
    // Drive API, "Usage limits": per minute per user per project.
    quota: Quota {
        units_per_minute: 325_000,
        writes_per_minute: None,
        concurrency: 8,
    },
    proxy: ProxyRules {
        routes: &[
            ProxyRoute::new("/drive/v3", DRIVE),
            // The discovery document's `useMediaDownloadService`: client libraries put this prefix before the path of a
            // download.
            ProxyRoute::new("/download/drive/v3", DRIVE),
            ProxyRoute::new("/upload/drive/v3", DRIVE).upload(),
            ProxyRoute::new("/resumable/upload/drive/v3", DRIVE).upload(),
            ProxyRoute::new("/batch/drive/v3", DRIVE).batch(),
        ],
        path_words: "about accessproposals approvals approve apps batch cancel changes channels comment comments copy decline \
            download drive drives export files generateCseToken generateIds hide listLabels modifyLabels operations \
            permissions reassign replies resolve resumable revisions start startPageToken stop teamdrives trash \
            unhide upload v3 watch",
        ..stead_google::PROXY
    },
    classify: classify::classify,
    fact_kinds: classify::KINDS,
    guards: GUARDS,
    oauth: stead_google::oauth(&[scopes::DRIVE_READONLY]),
    permission_texts: &[&TEXTS, &stead_google::TEXTS],
    presets: &[
        Preset {
            name: "read",
            about: "Search and read all files.",
            scopes: &[scopes::DRIVE_READONLY],
        },
        Preset {
            name: "files",
            about: "Add files, and change only files that your application added or that the user picked.",
            scopes: &[scopes::DRIVE_FILE],
        },
    ],
    test_calls: &[TestCall {
        tool: "drive_search_files",
        input: r#"{"page_size":1}"#,
        about: "Lists one file.",
        finds_nothing: false,
    }],
    tools: TOOLS,
    core_tools: &[
        "drive_search_files",
        "drive_search_content",
        "drive_upload_file",
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

/// Quota units of a request (Drive API, "Usage limits": a list 100, a download 200, a change 50, any other read 5). A
/// download with `alt=media` has the same path as a read, so it counts as one.
fn cost(method: &Method, path: &str) -> u32 {
    if *method != Method::GET {
        return 50;
    }
    let path = path.trim_end_matches('/');
    let collection = [
        "/files",
        "/drives",
        "/changes",
        "/permissions",
        "/comments",
        "/replies",
        "/revisions",
    ];
    let is_download = path.starts_with("/download/");
    if is_download || path.ends_with("/export") || path.ends_with("/download") {
        200
    } else if collection.iter().any(|name| path.ends_with(name)) {
        100
    } else {
        5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_table() {
        for (path, units) in [
            ("/drive/v3/files", 100),
            ("/drive/v3/files/", 100),
            ("/drive/v3/files/1x", 5),
            ("/drive/v3/files/1x/export", 200),
            ("/download/drive/v3/files/1x", 200),
            ("/drive/v3/files/1x/permissions", 100),
            ("/drive/v3/drives", 100),
            ("/drive/v3/about", 5),
        ] {
            assert_eq!(cost(&Method::GET, path), units, "{path}");
        }
        assert_eq!(cost(&Method::PATCH, "/drive/v3/files/1x"), 50);
    }
}
