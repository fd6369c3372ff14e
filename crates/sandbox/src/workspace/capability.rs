//! What an integration may do (Notion API, "Connection capabilities").

/// One capability. An integration has all of them until it loses one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Capability {
    ReadContent,
    InsertContent,
    ReadComments,
    InsertComments,
    ReadUsers,
}

impl Capability {
    /// The capability of this name, in snake_case.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "read_content" => Self::ReadContent,
            "insert_content" => Self::InsertContent,
            "read_comments" => Self::ReadComments,
            "insert_comments" => Self::InsertComments,
            "read_users" => Self::ReadUsers,
            _ => return None,
        })
    }
}
