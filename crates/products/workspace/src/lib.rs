//! The workspace product of Stead: ten tools over Notion.
