//! The properties of one authorization server.

use crate::faults::RotationMode;

/// The properties of one authorization server.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) authorize_path: &'static str,
    /// What the path of a submitted page begins with; the request's id follows.
    pub(crate) consent_path: &'static str,
    /// Purpose of a consent page's id.
    pub(crate) consent: &'static str,
    pub(crate) code: TokenKind,
    pub(crate) access: TokenKind,
    pub(crate) refresh: TokenKind,
    /// How long a code can be exchanged.
    pub(crate) code_seconds: i64,
    /// Lifetime of access tokens; without one they live until they are revoked or expired by a fault.
    pub(crate) access_seconds: Option<i64>,
    /// Lifetime of refresh tokens.
    pub(crate) refresh_seconds: Option<i64>,
    /// Live refresh tokens of one user and client; the oldest dies without a word.
    pub(crate) most_refresh_tokens: Option<usize>,
    /// Whether a user who has consented before gives no other refresh token, unless it is forced.
    pub(crate) refresh_token_once: bool,
    pub(crate) rotation: RotationMode,
    /// The parameter with which the exchange of a code asks for refresh tokens that serve once.
    pub(crate) single_use_parameter: Option<&'static str>,
    /// Whether faults can change rotation and lifetime.
    pub(crate) is_adjustable: bool,
    /// Whether tokens are good only at the host that gave them.
    pub(crate) is_bound_to_host: bool,
    pub(crate) pkce: Pkce,
    pub(crate) client_authentication: ClientAuthentication,
    /// Whether the body of a token request is JSON; otherwise it is a form.
    pub(crate) takes_json: bool,
    /// Whether redirect URIs are compared without their parameters.
    pub(crate) ignores_redirect_query: bool,
    /// Whether wrong parameters are told to a client that is known (RFC 6749, section 4.1.2.1), or on a page.
    pub(crate) tells_the_client: bool,
    pub(crate) longest_state: Option<usize>,
    /// Sent with every redirect (RFC 9207).
    pub(crate) issuer: Option<&'static str>,
}

/// Proof Key for Code Exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pkce {
    Ignored,
    Optional,
    Required,
}

/// How a client proves itself (RFC 6749, section 2.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClientAuthentication {
    Basic,
    /// By Basic or in the form, not both.
    BasicOrForm,
}

/// How a code or token looks: what it starts with, and how many random bytes follow.
#[derive(Debug)]
pub(crate) struct TokenKind(pub(crate) &'static str, pub(crate) usize);

impl Profile {
    /// The part of a redirect URI that is compared.
    pub(super) fn compared<'uri>(&self, uri: &'uri str) -> &'uri str {
        match uri.split_once('?') {
            Some((before, _)) if self.ignores_redirect_query => before,
            _ => uri,
        }
    }
}
