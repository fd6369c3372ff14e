//! What a form sent.

use axum::extract::{FromRequest, Request};
use stead::{Error, ErrorKind};
use url::form_urlencoded;

use super::session::SignedIn;
use crate::{extract::collect, openapi::Argument, problem::Problem, state::ServerState};

/// Most bytes of a form.
const LIMIT: usize = 1024 * 1024;

/// The fields of a form that one of the member's own pages has sent.
#[derive(Debug)]
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    /// A field without blanks at its ends; none where it is absent or empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let mut fields = self.0.iter().filter(|(given, _)| given == name);
        let text = fields.next().map(|(_, value)| value.trim());
        text.filter(|text| !text.is_empty())
    }
}

impl FromRequest<ServerState> for Form {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &ServerState) -> Result<Self, Problem> {
        let member = request.extensions().get::<SignedIn>().cloned();
        let body = collect(request.into_body(), LIMIT, state.environment.runtime()).await?;
        let form = Self(form_urlencoded::parse(&body).into_owned().collect());
        let sent = form.text("csrf").unwrap_or_default();
        if member.is_some_and(|member| member.sent(sent)) {
            return Ok(form);
        }
        Err(Error::new(
            ErrorKind::OriginRejected,
            "the form is not from a page of this session; load the page again and repeat it",
        )
        .into())
    }
}

impl Argument for Form {}
