//! The hosts of Google.

/// Gmail API.
pub(super) const GMAIL: &str = "gmail.googleapis.com";
/// People API.
pub(super) const PEOPLE: &str = "people.googleapis.com";
/// Sheets API.
pub(super) const SHEETS: &str = "sheets.googleapis.com";
/// The host that several older APIs share: Drive is one of them.
pub(super) const APIS: &str = "www.googleapis.com";
/// Google's OpenID Connect endpoint that says who the user is.
pub(super) const USERINFO: &str = "openidconnect.googleapis.com";
/// Google's authorization page.
pub(super) const ACCOUNTS: &str = "accounts.google.com";
/// Google's token endpoints.
pub(super) const TOKENS: &str = "oauth2.googleapis.com";
