//! The authorization server of all Google's products.

use std::time::Duration;

use stead_core::product::{
    ClientAuthentication, OAuth, Permissions, Rotation, SubjectSource, TokenFormat,
};

/// Signs the user in, so that Stead knows which account was connected.
pub const OPENID: &str = "openid";
/// Shows the account's email address. If you request the short name `email`, Google returns this one.
pub const EMAIL: &str = "https://www.googleapis.com/auth/userinfo.email";

/// Shows the account's name and picture. If you request the short name `profile`, Google returns this one.
const PROFILE: &str = "https://www.googleapis.com/auth/userinfo.profile";

/// Google's authorization server, with these scopes for connections that don't name any. Sources: Google Identity, "Using
/// OAuth 2.0 for Web Server Applications", and the discovery document of `https://accounts.google.com`.
pub const fn oauth(default: &'static [&'static str]) -> OAuth {
    OAuth {
        issuer: Some("https://accounts.google.com"),
        authorize: "https://accounts.google.com/o/oauth2/v2/auth",
        token: "https://oauth2.googleapis.com/token",
        temporary_errors: &["internal_failure"],
        revoke: Some("https://oauth2.googleapis.com/revoke"),
        // "Revocation removes all OAuth 2.0 scopes previously granted to a project" (same guide, "Revoking a token").
        revocation_ends_grant: true,
        project_of_client,
        client_authentication: ClientAuthentication::Body,
        token_format: TokenFormat::Form,
        pkce: true,
        // Google only returns a refresh token reliably with both. `include_granted_scopes` isn't set: it would add scopes
        // that the user granted to other connections of the project.
        authorize_parameters: &[("access_type", "offline"), ("prompt", "consent")],
        // "An email address or sub identifier" (same guide, "Redirect to Google's OAuth 2.0 server").
        login_hint: Some("login_hint"),
        rotation: Rotation::Stable,
        // A refresh token expires if it isn't used for six months.
        keep_alive: Some(Duration::from_secs(90 * 24 * 3600)),
        permissions: Permissions::Scopes {
            always: &[OPENID, EMAIL],
            default,
        },
        scope_prefix: "https://www.googleapis.com/auth/",
        scope_aliases: &[("email", EMAIL), ("profile", PROFILE)],
        default_lifetime: Some(Duration::from_secs(3600)),
        // Both forms are valid, with and without the scheme (OpenID Connect, "Validating an ID token").
        subject: SubjectSource::IdToken {
            issuers: &["https://accounts.google.com", "accounts.google.com"],
        },
        ..OAuth::BASE
    }
}

/// The project number, with which a client id begins (`123456-name.apps.googleusercontent.com`).
fn project_of_client(client_id: &str) -> &str {
    client_id
        .split_once('-')
        .map_or(client_id, |(project, _)| project)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_of_one_project_begin_with_its_number() {
        for (client_id, project) in [
            (
                "446044970320-a1b2.apps.googleusercontent.com",
                "446044970320",
            ),
            (
                "446044970320.apps.googleusercontent.com",
                "446044970320.apps.googleusercontent.com",
            ),
            ("", ""),
        ] {
            assert_eq!(project_of_client(client_id), project);
        }
    }
}
