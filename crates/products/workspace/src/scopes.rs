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

/// What the capabilities mean, for the page on which the user is asked.
pub(crate) const DESCRIPTIONS: &[(&str, &str)] = &[
    (
        "read_content",
        "Read the pages and databases that you choose",
    ),
    (
        "update_content",
        "Change the pages and databases that you choose",
    ),
    (
        "insert_content",
        "Add pages, rows and databases to those that you choose",
    ),
    (
        "read_comments",
        "Read comments on the pages that you choose",
    ),
    (
        "insert_comments",
        "Write comments on the pages that you choose",
    ),
    (
        "read_users",
        "See who works in your workspace, with mail addresses",
    ),
];
