//! A request as the simulated hosts see it.

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, Method, header},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use percent_encoding::percent_decode_str;
use url::form_urlencoded;

/// Bodies above this many bytes are refused.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// An API call with an access token.
    Api,
    /// A POST to the token endpoint.
    Token,
    /// Another endpoint of the authorization server that accepts tokens, such as revocation.
    Credentials,
    /// A page for people, or an unknown path.
    Page,
}

/// A request. Its host comes from the first path segment.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The simulated host, which is the first path segment.
    pub(crate) host: String,
    /// The rest of the path as it came, starting with `/`.
    pub(crate) path: String,
    /// The query as it came.
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Request {
    /// Reads the whole request. `None` if its body is cut off or too large.
    pub(crate) async fn read(request: axum::http::Request<Body>) -> Option<Self> {
        let (mut parts, body) = request.into_parts();
        let body = to_bytes(body, MAX_BODY_BYTES).await.ok()?;
        // In HTTP/2, the host is in the URL.
        if let Some(authority) = parts.uri.authority()
            && let Ok(value) = authority.as_str().parse()
        {
            parts.headers.entry(header::HOST).or_insert(value);
        }
        let (path, query) = (parts.uri.path(), parts.uri.query());
        Some(Self::new(parts.method, path, query, parts.headers, body))
    }

    /// A request for a path of the sandbox.
    pub(crate) fn new(
        method: Method,
        path: &str,
        query: Option<&str>,
        headers: HeaderMap,
        body: Bytes,
    ) -> Self {
        let path = path.trim_start_matches('/');
        let (host, rest) = path.split_once('/').unwrap_or((path, ""));
        Self {
            method,
            host: host.to_owned(),
            path: format!("/{rest}"),
            query: query.map(str::to_owned),
            headers,
            body,
        }
    }

    pub(crate) fn query_parameters(&self) -> Query {
        Query::parse(self.query.as_deref().unwrap_or_default().as_bytes())
    }

    /// The body's pairs. `None` if the content type isn't a form.
    pub(crate) fn form_parameters(&self) -> Option<Query> {
        self.has_media_type("application/x-www-form-urlencoded")
            .then(|| Query::parse(&self.body))
    }

    /// The texts in the body's object. `None` if the content type isn't JSON, or the body isn't an object.
    pub(crate) fn json_parameters(&self) -> Option<Query> {
        if !self.has_media_type("application/json") {
            return None;
        }
        let body: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(&self.body).ok()?;
        let texts = body
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())));
        Some(Query::of(texts.collect()))
    }

    /// Whether the body has this content type.
    pub(crate) fn has_media_type(&self, media_type: &str) -> bool {
        let given = self
            .header(header::CONTENT_TYPE.as_str())
            .unwrap_or_default();
        let given = given.split(';').next().unwrap_or_default().trim();
        given.eq_ignore_ascii_case(media_type)
    }

    /// The bearer token (RFC 6750, section 2.1).
    pub(crate) fn bearer_token(&self) -> Option<&str> {
        self.authorization("bearer")
    }

    /// The ID and the secret of a client. Each is encoded like a form's value before base64 (RFC 6749, section 2.3.1).
    pub(crate) fn basic_credentials(&self) -> Option<(String, String)> {
        let text = String::from_utf8(STANDARD.decode(self.authorization("basic")?).ok()?).ok()?;
        let (id, secret) = text.split_once(':')?;
        let decode = |text: &str| {
            let spaced = text.replace('+', " ");
            Some(percent_decode_str(&spaced).decode_utf8().ok()?.into_owned())
        };
        Some((decode(id)?, decode(secret)?))
    }

    fn authorization(&self, scheme: &str) -> Option<&str> {
        let (given, credentials) = self.header("authorization")?.split_once(' ')?;
        given.eq_ignore_ascii_case(scheme).then_some(credentials)
    }

    /// A text in the body's JSON object. `None` if there's none.
    pub(crate) fn json_text(&self, name: &str) -> Option<String> {
        let body: serde_json::Value = serde_json::from_slice(&self.body).ok()?;
        Some(body.get(name)?.as_str()?.to_owned())
    }

    /// A header's value as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Matches a path with a template such as `v1/pages/{page_id}`, and returns the variables. Fixed segments must have the
/// template's spelling, so `people:searchContacts` with an encoded colon doesn't match.
pub(crate) fn match_path(template: &str, path: &str) -> Option<Vec<String>> {
    let mut variables = Vec::new();
    let mut expected = template.trim_start_matches('/').split('/');
    let mut given = path.strip_prefix('/')?.split('/');
    loop {
        match (expected.next(), given.next()) {
            (None, None) => return Some(variables),
            (Some(expected), Some(given)) if expected.starts_with('{') => {
                // A custom verb follows the variable, as in `{range}:append`.
                let (_, verb) = expected.split_once('}')?;
                let given = given.strip_suffix(verb)?;
                let value = percent_decode_str(given).decode_utf8().ok()?;
                variables.push(value.into_owned());
            }
            (Some(expected), Some(given)) if expected == given => {}
            _ => return None,
        }
    }
}

/// Pairs in their original order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query(Vec<(String, String)>);

/// A name occurs more than once, but only one value is allowed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Repeated<'name>(pub(crate) &'name str);

impl Query {
    /// Reads `application/x-www-form-urlencoded` text.
    pub(crate) fn parse(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// Pairs from another source.
    pub(crate) fn of(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// The only value of `name`. An empty value counts.
    pub(crate) fn one<'name>(&self, name: &'name str) -> Result<Option<&str>, Repeated<'name>> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            _ => Err(Repeated(name)),
        }
    }

    /// The first value of `name`.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// The first value of `name`, unless it is empty.
    pub(crate) fn filled(&self, name: &str) -> Option<&str> {
        self.first(name).filter(|value| !value.is_empty())
    }

    /// A name that occurs more than once.
    pub(crate) fn repeated_name(&self) -> Option<&str> {
        let mut names = self.0.iter().map(|(name, _)| name.as_str());
        names.find(|name| self.one(name).is_err())
    }

    pub(crate) fn all<'pairs>(&'pairs self, name: &str) -> impl Iterator<Item = &'pairs str> {
        self.0
            .iter()
            .filter(move |(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_credentials_are_decoded_twice() {
        let request = |authorization: String| {
            let header = (header::AUTHORIZATION, authorization.parse().unwrap());
            let headers = HeaderMap::from_iter([header]);
            Request::new(Method::POST, "/", None, headers, Bytes::new())
        };
        let basic = request(format!("Basic {}", STANDARD.encode("a%3Ab:c+d%2B")));
        let expected = ("a:b".to_owned(), "c d+".to_owned());
        assert_eq!(basic.basic_credentials(), Some(expected));
        assert_eq!(basic.bearer_token(), None);
        let bearer = request("bearer x".to_owned());
        assert_eq!(bearer.basic_credentials(), None);
        assert_eq!(bearer.bearer_token(), Some("x"));
    }

    #[test]
    fn a_template_matches_segment_by_segment() {
        let template = "gmail/v1/users/{userId}/messages/{id}";
        let variables = match_path(template, "/gmail/v1/users/me/messages/a%2Fb");
        assert_eq!(variables, Some(vec!["me".to_owned(), "a/b".to_owned()]));
        for other in [
            "/gmail/v1/users/me/messages",
            "/gmail/v1/users/me/messages/a/b",
            "/gmail/v1/users/me/Messages/a",
            "/gmail/v1/users/me/messages/%FF",
        ] {
            assert_eq!(match_path(template, other), None, "{other}");
        }
        let template = "v4/spreadsheets/{spreadsheetId}/values/{range}:append";
        let variables = match_path(template, "/v4/spreadsheets/s/values/A1%3AB2:append");
        assert_eq!(variables, Some(vec!["s".to_owned(), "A1:B2".to_owned()]));
        assert_eq!(match_path(template, "/v4/spreadsheets/s/values/A1"), None);
        let template = "v1/people:searchContacts";
        assert!(match_path(template, "/v1/people:searchContacts").is_some());
        assert!(match_path(template, "/v1/people%3AsearchContacts").is_none());
    }

    #[test]
    fn one_refuses_a_repeated_name() {
        let pairs = Query::parse(b"a=1&b=&b=x+y%2B");
        assert_eq!(pairs.one("a"), Ok(Some("1")));
        assert_eq!(pairs.one("c"), Ok(None));
        assert_eq!(pairs.one("b"), Err(Repeated("b")));
        assert_eq!(pairs.all("b").collect::<Vec<_>>(), ["", "x y+"]);
    }
}
