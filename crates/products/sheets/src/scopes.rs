//! Google's OAuth scopes, and the scopes that each tool needs.
//!
//! Source: `auth.oauth2.scopes` and each method's `scopes` in the discovery document `sheets:v4`.

use stead_core::tool::RequiredScopes;

/// Read and write every spreadsheet.
pub const SPREADSHEETS: &str = "https://www.googleapis.com/auth/spreadsheets";
/// Read every spreadsheet.
pub const SPREADSHEETS_READONLY: &str = "https://www.googleapis.com/auth/spreadsheets.readonly";
/// Read and write every file in Drive, including spreadsheets.
pub const DRIVE: &str = "https://www.googleapis.com/auth/drive";
/// Read every file in Drive, including spreadsheets.
pub const DRIVE_READONLY: &str = "https://www.googleapis.com/auth/drive.readonly";
/// Read and write only files that the application created or that the user picked for it.
pub const DRIVE_FILE: &str = "https://www.googleapis.com/auth/drive.file";

/// For `spreadsheets.get` and `spreadsheets.values.get`.
pub(crate) const READ: RequiredScopes = RequiredScopes(&[
    SPREADSHEETS_READONLY,
    SPREADSHEETS,
    DRIVE_FILE,
    DRIVE_READONLY,
    DRIVE,
]);
/// For `spreadsheets.create`, `spreadsheets.values.update` and `spreadsheets.values.append`.
pub(crate) const WRITE: RequiredScopes = RequiredScopes(&[SPREADSHEETS, DRIVE_FILE, DRIVE]);
