//! Google's authorization server, which all of its products share.

use std::time::Duration;

use stead_core::product::{
    ClientAuthentication, OAuth, Permissions, Rotation, SubjectSource, TokenFormat,
};

/// Signs the user in, so that it is known which account was connected.
pub const OPENID: &str = "openid";
/// Shows the account's address. The short name `email` comes back from Google as this one.
pub const EMAIL: &str = "https://www.googleapis.com/auth/userinfo.email";

/// Shows the account's name and picture. The short name `profile` comes back from Google as this one.
const PROFILE: &str = "https://www.googleapis.com/auth/userinfo.profile";

/// Google's authorization server (Google Identity, "Using OAuth 2.0 for Web Server Applications", and the discovery
/// document of `https://accounts.google.com`), asking for these scopes where a connection names none.
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
        // Both are needed to be sure of a refresh token. `include_granted_scopes` stays out: it would mix the grants of
        // other connections of the project into this one. What this connection holds is asked for by name.
        authorize_parameters: &[("access_type", "offline"), ("prompt", "consent")],
        // "An email address or sub identifier" (same guide, "Redirect to Google's OAuth 2.0 server").
        login_hint: Some("login_hint"),
        rotation: Rotation::Stable,
        // A refresh token that is not used for six months stops working.
        keep_alive: Some(Duration::from_secs(90 * 24 * 3600)),
        permissions: Permissions::Scopes {
            always: &[OPENID, EMAIL],
            default,
        },
        scope_prefix: "https://www.googleapis.com/auth/",
        scope_aliases: &[("email", EMAIL), ("profile", PROFILE)],
        default_lifetime: Some(Duration::from_secs(3600)),
        // OpenID Connect, "Validating an ID token": with or without the scheme.
        subject: SubjectSource::IdToken {
            issuers: &["https://accounts.google.com", "accounts.google.com"],
        },
        ..OAuth::BASE
    }
}

/// A client id begins with the number of its project (`123456-name.apps.googleusercontent.com`).
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
