//! Capabilities of an integration. They are set in the integration's settings in the product, and apply to all its users. A
//! user only chooses pages, and no request names capabilities.
//!
//! Source: Notion API, "Connection capabilities". The names are Stead's, because the product only shows descriptions.

/// Read pages, databases and their rows.
pub const READ_CONTENT: &str = "read_content";
/// Change pages and databases.
pub const UPDATE_CONTENT: &str = "update_content";
/// Create pages, rows and databases.
pub const INSERT_CONTENT: &str = "insert_content";
/// Read comments. Off by default in a new integration.
pub const READ_COMMENTS: &str = "read_comments";
/// Write comments. Off by default in a new integration.
pub const INSERT_COMMENTS: &str = "insert_comments";
/// Read users with their email addresses.
pub const READ_USERS: &str = "read_users";
