//! The fields of a submitted form.

use axum::extract::{FromRequest, Request};
use secrecy::SecretString;
use url::form_urlencoded;

use crate::{extract::collect, problem::Problem, state::ServerState};

/// Maximum size of a form in bytes.
pub(super) const LIMIT: usize = 1024 * 1024;

/// The fields of a form. [`enter`](super::enter) has checked that a member's form comes from one of the member's own
/// pages.
#[derive(Debug)]
pub(super) struct Form(Vec<(String, String)>);

impl Form {
    pub(super) fn parse(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    /// A field without surrounding blanks. `None` if it's absent or empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let text = self.exact(name).map(str::trim);
        text.filter(|text| !text.is_empty())
    }

    /// The values of a repeated field.
    pub(super) fn texts<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let fields = self.0.iter().filter(move |(given, _)| given == name);
        fields.map(|(_, value)| value.as_str())
    }

    /// A secret field, exactly as typed. Empty if it's absent.
    pub(super) fn secret(&self, name: &str) -> SecretString {
        SecretString::from(self.exact(name).unwrap_or_default())
    }

    /// All values of a repeated field, without surrounding blanks.
    pub(super) fn all(&self, name: &str) -> Vec<String> {
        let fields = self.0.iter().filter(|(given, _)| given == name);
        let values = fields.map(|(_, value)| value.trim().to_owned());
        values.filter(|value| !value.is_empty()).collect()
    }

    /// The fields whose names start with `prefix`, by the rest of their names.
    pub(super) fn below(&self, prefix: &str) -> Vec<(String, String)> {
        let below = |(name, value): &(String, String)| {
            Some((name.strip_prefix(prefix)?.to_owned(), value.clone()))
        };
        self.0.iter().filter_map(below).collect()
    }

    fn exact(&self, name: &str) -> Option<&str> {
        let mut fields = self.0.iter().filter(|(given, _)| given == name);
        fields.next().map(|(_, value)| value.as_str())
    }
}

impl FromRequest<ServerState> for Form {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &ServerState) -> Result<Self, Problem> {
        let body = collect(request.into_body(), LIMIT, &state.environment).await?;
        Ok(Self::parse(&body))
    }
}
