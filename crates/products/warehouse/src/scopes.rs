//! The product's OAuth scopes, which follow from the connection's settings. No tool needs a scope of its own, because the
//! role decides what a user can do.
//!
//! Source: Snowflake OAuth, "Scope".

use percent_encoding::utf8_percent_encode;
use stead_core::tool::UNRESERVED;

use crate::sql::Name;

/// Requests a refresh token.
pub const REFRESH_TOKEN: &str = "refresh_token";

/// Lets each call choose among the user's roles.
pub const SESSION_ROLE_ANY: &str = "session:role-any";

/// The scope for sessions with this role. A role's name with special characters is encoded.
pub(crate) fn session_role(role: &Name) -> String {
    let plain = role
        .stored()
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain {
        format!("session:role:{}", role.stored())
    } else {
        format!(
            "session:role-encoded:{}",
            utf8_percent_encode(role.stored(), UNRESERVED)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_becomes_a_scope() {
        for (role, scope) in [
            ("analyst", "session:role:ANALYST"),
            ("\"Data Team\"", "session:role-encoded:Data%20Team"),
            ("a:b+c", "session:role-encoded:a%3Ab%2Bc"),
            ("r$1", "session:role-encoded:R%241"),
        ] {
            assert_eq!(session_role(&Name::read(role).unwrap()), scope);
        }
    }
}
