//! Shared by Google's products: errors, the authorization server, ids in links, files, uploads, and the set-up.
//!
//! Each of Google's products depends on this crate and on core, and builds its description on top of [`BASE`]. Four copies
//! of the table of errors would drift apart, and core can't have it, because it names no company.

mod address;
mod errors;
mod file;
mod list;
mod multipart;
mod oauth;
mod retry_after;
mod upload;

use stead_core::product::{PermissionTexts, Product, ProxyRules};

pub use address::{NamedFile, named_file};
pub use errors::read_error;
pub use file::{decode_base64, guess_media_type, type_and_subtype};
pub use list::items;
pub use multipart::{boundary, related};
pub use oauth::{EMAIL, OPENID, oauth};
pub use upload::{Headers, Upload, cancels_upload, headers, upload};

/// The common part of the description of Google's products.
pub const BASE: Product = Product {
    // Google only compresses responses if the user agent also contains `gzip` (Calendar API guide, "Performance tips").
    headers: &[(
        "user-agent",
        concat!("stead/", env!("CARGO_PKG_VERSION"), " (gzip)"),
    )],
    read_error,
    // Prefixes of access tokens, refresh tokens, authorization codes, client secrets and API keys.
    token_prefixes: &["ya29.", "1//", "4/0A", "GOCSPX-", "AIza"],
    proxy: PROXY,
    reviews: REVIEWS,
    ..Product::BASE
};

/// Google's conditions for scopes (Google Cloud, "Verification requirements"), by the classes in each API's "Choose scopes":
/// restricted, sensitive and the others. Scopes whose class we don't know are left out.
const REVIEWS: &[(&str, &[&str])] = &[
    (
        "Google verifies public applications that ask for it, and demands a security assessment every year.",
        &[
            "https://mail.google.com/",
            "https://www.googleapis.com/auth/gmail.modify",
            "https://www.googleapis.com/auth/gmail.readonly",
            "https://www.googleapis.com/auth/gmail.metadata",
            "https://www.googleapis.com/auth/gmail.compose",
            "https://www.googleapis.com/auth/gmail.insert",
            "https://www.googleapis.com/auth/gmail.settings.basic",
            "https://www.googleapis.com/auth/gmail.settings.sharing",
            "https://www.googleapis.com/auth/drive",
            "https://www.googleapis.com/auth/drive.readonly",
            "https://www.googleapis.com/auth/drive.metadata",
            "https://www.googleapis.com/auth/drive.metadata.readonly",
            "https://www.googleapis.com/auth/drive.meet.readonly",
            "https://www.googleapis.com/auth/drive.scripts",
        ],
    ),
    (
        "Google verifies public applications that ask for it.",
        &[
            "https://www.googleapis.com/auth/gmail.send",
            "https://www.googleapis.com/auth/contacts",
            "https://www.googleapis.com/auth/contacts.readonly",
            "https://www.googleapis.com/auth/contacts.other.readonly",
            "https://www.googleapis.com/auth/calendar",
            "https://www.googleapis.com/auth/calendar.readonly",
            "https://www.googleapis.com/auth/calendar.events",
            "https://www.googleapis.com/auth/calendar.events.readonly",
            "https://www.googleapis.com/auth/calendar.events.owned",
            "https://www.googleapis.com/auth/calendar.calendarlist.readonly",
            "https://www.googleapis.com/auth/spreadsheets",
            "https://www.googleapis.com/auth/spreadsheets.readonly",
        ],
    ),
    (
        "Google asks for no verification.",
        &[
            "https://www.googleapis.com/auth/gmail.labels",
            "https://www.googleapis.com/auth/drive.file",
            "https://www.googleapis.com/auth/drive.appdata",
        ],
    ),
];

/// Texts about the scopes that identify the user. Each product adds its own.
pub static TEXTS: PermissionTexts = PermissionTexts::new(&[
    ("en", include_str!("permissions/en.json")),
    ("de", include_str!("permissions/de.json")),
    ("fr", include_str!("permissions/fr.json")),
    ("es", include_str!("permissions/es.json")),
    ("ja", include_str!("permissions/ja.json")),
]);

/// The common proxy rules of Google's APIs. Each product adds its routes.
pub const PROXY: ProxyRules = ProxyRules {
    takes_header,
    // google-api-python-client and google-api-java-client do this for addresses of more than 2,048 characters.
    takes_get_as_form: true,
    ..ProxyRules::BASE
};

/// Headers of Google's APIs in addition to those of HTTP: response fields, uploads (Drive API guide, "Upload file data")
/// and resource keys of shared links. `X-Goog-User-Project` isn't allowed, because Google charges the connection's own
/// project.
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
