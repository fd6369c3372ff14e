//! The dashboard's style sheet and script, each under a name with its digest, so that browsers can keep it forever.

use std::sync::LazyLock;

use axum::response::{IntoResponse as _, Response};
use http::header;
use sha2::{Digest as _, Sha256};
use stead::{Error, ErrorKind};

use crate::{
    extract::Path,
    problem::Result,
    routes::{Route, get},
};

struct Asset {
    /// Its name in the source, such as `style.css`.
    source: &'static str,
    /// Its name in the address, such as `style.1f2e3d4c.css`.
    name: String,
    content_type: &'static str,
    text: &'static str,
}

static ASSETS: LazyLock<[Asset; 3]> = LazyLock::new(|| {
    [
        asset(
            "style.css",
            "text/css; charset=utf-8",
            include_str!("style.css"),
        ),
        asset(
            "dashboard.js",
            "text/javascript; charset=utf-8",
            include_str!("dashboard.js"),
        ),
        asset(
            "activity.js",
            "text/javascript; charset=utf-8",
            include_str!("activity.js"),
        ),
    ]
});

fn asset(source: &'static str, content_type: &'static str, text: &'static str) -> Asset {
    let digest = Sha256::digest(text);
    let digest: String = digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let (stem, end) = source.split_once('.').unwrap_or((source, ""));
    Asset {
        source,
        name: format!("{stem}.{digest}.{end}"),
        content_type,
        text,
    }
}

/// The files that pages name in their head. The sign-in page needs them too.
pub(crate) fn routes() -> Vec<Route> {
    vec![get("/dashboard/assets/{name}", show)]
}

/// The path of an asset below the public URL. Empty if it doesn't exist.
pub(super) fn path(source: &str) -> String {
    let found = ASSETS.iter().find(|asset| asset.source == source);
    found.map_or_else(String::new, |asset| {
        format!("/dashboard/assets/{}", asset.name)
    })
}

async fn show(Path(name): Path<String>) -> Result<Response> {
    let found = ASSETS.iter().find(|asset| asset.name == name);
    let asset = found.ok_or_else(|| Error::new(ErrorKind::NotFound, "there is no such asset"))?;
    let headers = [
        (header::CONTENT_TYPE, asset.content_type),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, asset.text).into_response())
}
