//! The parts of an authorization server that differ between products.

use axum::http::StatusCode;

use super::grants::{Asked, Issued, Terms};
use crate::{
    pages::{self, Choice, Permission},
    request::Query,
    request::Request,
    response::Response,
    shared::Ids,
};

/// Why an authorization request or a submitted form is refused.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) code: &'static str,
    pub(crate) text: String,
    /// Whether to report it to the client instead of on a page.
    pub(crate) goes_back: bool,
}

/// An error of the token endpoint (RFC 6749, section 5.2).
#[derive(Debug)]
pub(crate) struct TokenError {
    pub(crate) status: StatusCode,
    pub(crate) error: &'static str,
    pub(crate) description: String,
    /// Whether the client used Basic. The response must then ask for it.
    pub(crate) by_basic: bool,
}

/// The contents of a consent page.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// What the client asks for: `asks for …`.
    pub(crate) asks: String,
    pub(crate) people: Vec<Choice>,
    pub(crate) permissions: Vec<Permission>,
}

/// The parts of an authorization server that differ between products.
pub(crate) trait Policy {
    /// Reads the product's own parameters.
    fn read(&self, query: &Query, asked: &mut Asked) -> Result<(), Wrong>;

    /// The consent page.
    fn page(&self, query: &Query, asked: &Asked) -> Page;

    /// Whether there's a user with this email address.
    fn has_user(&self, email: &str) -> bool;

    /// What the user allows with a submitted form.
    fn allow(&mut self, form: &Query, asked: &Asked, user: &str) -> Result<Terms, Wrong>;

    /// Parameters of the redirect in addition to the code.
    fn redirect_parameters(&self, _: &Terms) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Shows an error on a page.
    fn problem(&self, wrong: &Wrong) -> Response;

    /// Checks a token request, in addition to the client and the body.
    fn check(&self, _: &Request) -> Result<(), Box<Response>> {
        Ok(())
    }

    /// The terms that a refresh asks for with `scope`. `None` if the product ignores it.
    fn narrowed(&self, _: &str) -> Option<Result<Terms, TokenError>> {
        None
    }

    /// The response with tokens.
    fn tokens(&self, ids: &mut Ids, issued: &Issued) -> Response;

    /// The response without tokens.
    fn refused(&self, error: &TokenError) -> Response;

    /// The response to a known path with a wrong method.
    fn wrong_method(&self, request: &Request) -> Response {
        pages::wrong_method(request)
    }
}

impl Wrong {
    /// An error on a page, because the client isn't trusted yet.
    pub(crate) fn here(code: &'static str, text: impl Into<String>) -> Self {
        Self {
            code,
            text: text.into(),
            goes_back: false,
        }
    }

    /// An error for the client.
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
