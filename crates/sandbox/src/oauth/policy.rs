//! What is special about one authorization server: its properties, and what it does in its own way.

use axum::http::StatusCode;

use super::grants::{Asked, Issued, Terms};

use crate::{
    faults::RotationMode,
    pages::{self, Choice, Permission},
    request::Query,
    request::Request,
    response::Response,
    shared::Ids,
};

/// Why an authorization request or a submitted page is refused.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) code: &'static str,
    pub(crate) text: String,
    /// Told to the client, not on a page.
    pub(crate) goes_back: bool,
}

/// An error of the token endpoint (RFC 6749, section 5.2).
#[derive(Debug)]
pub(crate) struct TokenError {
    pub(crate) status: StatusCode,
    pub(crate) error: &'static str,
    pub(crate) description: String,
    /// The client used Basic, so the response has to ask for it.
    pub(crate) by_basic: bool,
}

/// What a consent page shows.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// What the client does: `asks for …`.
    pub(crate) asks: String,
    pub(crate) people: Vec<Choice>,
    pub(crate) permissions: Vec<Permission>,
}

/// What an authorization server does in its own way.
pub(crate) trait Policy {
    /// Reads the parameters of its own.
    fn read(&self, query: &Query, asked: &mut Asked) -> Result<(), Wrong>;

    /// The consent page.
    fn page(&self, query: &Query, asked: &Asked) -> Page;

    /// Whether there is a user of this email address.
    fn has_user(&self, email: &str) -> bool;

    /// What the user allows by a submitted page.
    fn allow(&mut self, form: &Query, asked: &Asked, user: &str) -> Result<Terms, Wrong>;

    /// Parameters of the redirect in addition to the code.
    fn redirect_parameters(&self, _: &Terms) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// An error on a page of its own.
    fn problem(&self, wrong: &Wrong) -> Response;

    /// What a token request needs besides client and body.
    fn check(&self, _: &Request) -> Result<(), Box<Response>> {
        Ok(())
    }

    /// The terms that a refresh asks for by its `scope`; nothing where that is not read.
    fn narrowed(&self, _: &str) -> Option<Result<Terms, TokenError>> {
        None
    }

    /// The response with tokens.
    fn tokens(&self, ids: &mut Ids, issued: &Issued) -> Response;

    /// The response without.
    fn refused(&self, error: &TokenError) -> Response;

    /// The response to a known address with a method that it does not have.
    fn wrong_method(&self, request: &Request) -> Response {
        pages::wrong_method(request)
    }
}

impl Wrong {
    /// Said on a page, because the client is not trusted yet.
    pub(crate) fn here(code: &'static str, text: impl Into<String>) -> Self {
        Self {
            code,
            text: text.into(),
            goes_back: false,
        }
    }

    /// Told to the client.
    pub(crate) fn back(code: &'static str) -> Self {
        Self {
            code,
            text: String::new(),
            goes_back: true,
        }
    }
}

impl TokenError {
    /// 400.
    pub(crate) fn new(error: &'static str, description: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            error,
            description: description.into(),
            by_basic: false,
        }
    }

    /// 400 `invalid_request`.
    pub(crate) fn request(description: impl Into<String>) -> Self {
        Self::new("invalid_request", description)
    }

    /// 401 `invalid_client`.
    pub(crate) fn client(description: &str, by_basic: bool) -> Self {
        Self {
            status: StatusCode::UNAUTHORIZED,
            by_basic,
            ..Self::new("invalid_client", description)
        }
    }
}

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
