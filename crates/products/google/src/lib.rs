//! What Google's products share: their errors, their authorization server, ids in their addresses, and the set-up.
//!
//! A product of Google depends on this crate and on core, and fills its own description up from [`BASE`]. Four copies of
//! the table of errors would drift apart, and core can't have it, because it names no company.

mod address;
mod errors;
mod list;
mod oauth;
mod retry_after;
mod upload;

use stead_core::product::{PermissionTexts, Product, ProxyRules};

pub use address::{NamedFile, named_file};
pub use errors::read_error;
pub use list::items;
pub use oauth::{EMAIL, OPENID, oauth};
pub use upload::{Headers, Upload, headers, upload};

/// What all of Google's products have in common.
pub const BASE: Product = Product {
    // Google compresses only where the user agent says `gzip` too (Calendar API guide, "Performance tips").
    headers: &[(
        "user-agent",
        concat!("stead/", env!("CARGO_PKG_VERSION"), " (gzip)"),
    )],
    read_error,
    // Access tokens, refresh tokens, and the secrets of OAuth clients.
    token_prefixes: &["ya29.", "1//", "4/0A", "GOCSPX-", "AIza"],
    proxy: PROXY,
    ..Product::BASE
};

/// What the scopes mean that say who the user is; next to those of each product.
pub static TEXTS: PermissionTexts = PermissionTexts::new(&[
    ("en", include_str!("permissions/en.json")),
    ("de", include_str!("permissions/de.json")),
    ("fr", include_str!("permissions/fr.json")),
    ("es", include_str!("permissions/es.json")),
    ("ja", include_str!("permissions/ja.json")),
]);

/// What Google's APIs have in common at the proxy; a product adds its routes.
pub const PROXY: ProxyRules = ProxyRules {
    takes_header,
    // google-api-python-client and google-api-java-client, for addresses of more than 2,048 characters.
    takes_get_as_form: true,
    ..ProxyRules::BASE
};

/// Headers of Google's APIs besides those of HTTP: fields of a response, uploads (Drive API guide, "Upload file data"), and
/// resource keys of shared links. The project that is charged, `X-Goog-User-Project`, is the connection's own.
fn takes_header(name: &str) -> bool {
    matches!(
        name,
        "content-encoding"
            | "content-range"
            | "x-goog-drive-resource-keys"
            | "x-goog-fieldmask"
            | "x-upload-content-length"
            | "x-upload-content-type"
    )
}
