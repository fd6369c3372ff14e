//! Capabilities: what an integration may do. They are set at the product, on the integration, and hold for all its
//! users; the user chooses pages and nothing else. No request names them.
//!
//! Source: Notion API, "Connection capabilities". The names are Stead's: the product shows words.

/// Read pages, databases and their rows.
pub const READ_CONTENT: &str = "read_content";
/// Change pages and databases.
pub const UPDATE_CONTENT: &str = "update_content";
/// Make pages, rows and databases.
pub const INSERT_CONTENT: &str = "insert_content";
/// Read comments; off in a new integration.
pub const READ_COMMENTS: &str = "read_comments";
/// Write comments; off in a new integration.
pub const INSERT_COMMENTS: &str = "insert_comments";
/// See users with their mail addresses.
pub const READ_USERS: &str = "read_users";
