//! People whom the users know.

use serde::Deserialize;

/// A contact, or a person whom the user once wrote to.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Person {
    /// `people/c…` or `otherContacts/c…`.
    pub(crate) resource_name: String,
    pub(crate) given: &'static str,
    pub(crate) family: &'static str,
    pub(crate) nickname: &'static str,
    /// Address and type.
    #[serde(borrow)]
    pub(crate) emails: Vec<(&'static str, &'static str)>,
    /// Number as written, in canonical form, and type.
    #[serde(borrow)]
    pub(crate) phones: Vec<(&'static str, &'static str, &'static str)>,
    /// Name and title.
    #[serde(borrow)]
    pub(crate) organization: Option<(&'static str, &'static str)>,
    pub(crate) biography: &'static str,
    /// RFC 3339, UTC.
    pub(crate) modified: &'static str,
}

impl Person {
    /// Given and family name; empty if there is neither.
    pub(crate) fn display_name(&self) -> String {
        [self.given, self.family]
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }
}
