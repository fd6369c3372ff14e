//! The people who live in the sandbox. Each product stores what they own there.

use std::sync::LazyLock;

use serde::Deserialize;

static USERS: LazyLock<Vec<User>> = LazyLock::new(|| parse_seed(include_str!("users.json")));

#[derive(Debug, Deserialize)]
pub(crate) struct User {
    pub(crate) email: &'static str,
    pub(crate) name: &'static str,
    /// OpenID Connect's `sub`: decimal digits.
    pub(crate) subject: &'static str,
    pub(crate) picture: &'static str,
}

/// All people.
pub(crate) fn all() -> &'static [User] {
    &USERS
}

/// The user with this email address.
pub(crate) fn find(email: &str) -> Option<&'static User> {
    all().iter().find(|user| user.email == email)
}

/// Reads a seed file. A test reads them all.
pub(crate) fn parse_seed<T: Deserialize<'static>>(text: &'static str) -> T {
    serde_json::from_str(text).expect("the seed is valid")
}
