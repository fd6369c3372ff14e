//! Google's OAuth scopes, and which of them each tool takes.
//!
//! Source: `auth.oauth2.scopes` and each method's `scopes` in the discovery document `sheets:v4`.

use stead_core::tool::RequiredScopes;

/// Read and write every spreadsheet.
pub const SPREADSHEETS: &str = "https://www.googleapis.com/auth/spreadsheets";
/// Read every spreadsheet.
pub const SPREADSHEETS_READONLY: &str = "https://www.googleapis.com/auth/spreadsheets.readonly";
/// Read and write every file of Drive, spreadsheets among them.
pub const DRIVE: &str = "https://www.googleapis.com/auth/drive";
/// Read every file of Drive, spreadsheets among them.
pub const DRIVE_READONLY: &str = "https://www.googleapis.com/auth/drive.readonly";
/// Read and write only the files that the application made or that the user picked for it.
pub const DRIVE_FILE: &str = "https://www.googleapis.com/auth/drive.file";

/// `spreadsheets.get` and `spreadsheets.values.get`.
pub(crate) const READ: RequiredScopes = RequiredScopes(&[
    SPREADSHEETS_READONLY,
    SPREADSHEETS,
    DRIVE_FILE,
    DRIVE_READONLY,
    DRIVE,
]);
/// `spreadsheets.create` and `spreadsheets.values.update`.
pub(crate) const WRITE: RequiredScopes = RequiredScopes(&[SPREADSHEETS, DRIVE_FILE, DRIVE]);
