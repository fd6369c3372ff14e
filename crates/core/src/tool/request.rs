//! A request to a product, as a plain value that tests can compare and print.

use std::borrow::Cow;

use bytes::Bytes;
use http::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use super::Effect;
use crate::{Error, ErrorKind, Result};

/// One request to a product, as a plain value. It has no credentials and no host, which the executor adds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApiRequest {
    /// HTTP method.
    pub method: Method,
    /// Name of the product's origin. Empty means the first one.
    pub origin: &'static str,
    /// Path above the segments, instead of the origin's base: `/upload/drive/v3`.
    pub base: Option<&'static str>,
    /// Path segments below the base, not yet encoded.
    pub path: Vec<String>,
    /// Custom verb, added to the path after a colon (`people:searchContacts`).
    pub verb: Option<&'static str>,
    /// Query pairs in order, not yet encoded.
    pub query: Vec<(&'static str, String)>,
    /// Headers, in addition to those of the product and the executor.
    pub headers: Vec<(&'static str, String)>,
    /// Body.
    pub body: Option<Bytes>,
    /// Media type of the body.
    pub media_type: Cow<'static, str>,
    /// Statuses from 300 on that are results, not errors.
    pub accept: &'static [u16],
    /// Whether it can be retried.
    pub retry: Retry,
    /// Its effect, if the method doesn't determine it.
    pub effect: Option<Effect>,
    /// The next step of the tool, which depends on the response, in one sentence. A dry run stops there.
    pub then: Option<&'static str>,
}

/// Whether a request can be retried after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Retry {
    /// Only if the product certainly hasn't processed it.
    #[default]
    Unprocessed,
    /// Always, because a second request changes nothing more.
    Always,
    /// Always, and a retry adds this query pair. Requests of a call that is repeated after an interruption also add it.
    AlwaysWith(&'static str, &'static str),
}

impl ApiRequest {
    /// Media type of JSON.
    pub const JSON: &'static str = "application/json";

    /// A GET, which can always be retried.
    pub fn get<S: AsRef<str>>(path: impl IntoIterator<Item = S>) -> Self {
        Self::new(Method::GET, path).retry(Retry::Always)
    }
    /// A POST.
    pub fn post<S: AsRef<str>>(path: impl IntoIterator<Item = S>) -> Self {
        Self::new(Method::POST, path)
    }
    /// A PUT, which can always be retried.
    pub fn put<S: AsRef<str>>(path: impl IntoIterator<Item = S>) -> Self {
        Self::new(Method::PUT, path).retry(Retry::Always)
    }
    /// A PATCH.
    pub fn patch<S: AsRef<str>>(path: impl IntoIterator<Item = S>) -> Self {
        Self::new(Method::PATCH, path)
    }
    /// A DELETE.
    pub fn delete<S: AsRef<str>>(path: impl IntoIterator<Item = S>) -> Self {
        Self::new(Method::DELETE, path)
    }
    fn new<S: AsRef<str>>(method: Method, path: impl IntoIterator<Item = S>) -> Self {
        Self {
            method,
            origin: "",
            base: None,
            path: path
                .into_iter()
                .map(|segment| segment.as_ref().to_owned())
                .collect(),
            verb: None,
            query: Vec::new(),
            headers: Vec::new(),
            body: None,
            media_type: Cow::Borrowed(Self::JSON),
            accept: &[],
            retry: Retry::Unprocessed,
            effect: None,
            then: None,
        }
    }

    /// Sends to another of the product's origins.
    #[must_use]
    pub fn origin(mut self, name: &'static str) -> Self {
        self.origin = name;
        self
    }
    /// Sends to a path outside the origin's base, such as an upload. `base` starts with a slash and ends without one.
    #[must_use]
    pub fn base(mut self, base: &'static str) -> Self {
        self.base = Some(base);
        self
    }
    /// Adds a custom verb to the path, as in `people:searchContacts`.
    #[must_use]
    pub fn verb(mut self, verb: &'static str) -> Self {
        self.verb = Some(verb);
        self
    }
    /// Adds a query pair. Adds nothing for `None`, and one pair per item for a list.
    #[must_use]
    pub fn query(mut self, key: &'static str, value: impl IntoQuery) -> Self {
        value.each(&mut |value| self.query.push((key, value)));
        self
    }
    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
    /// Sets the JSON body.
    ///
    /// # Panics
    /// Never panics for values of `serde_json`, or for structs whose maps have string keys.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "tools pass serde_json values and plain structs"
    )]
    pub fn json(self, body: &(impl Serialize + ?Sized)) -> Self {
        let body = serde_json::to_vec(body).expect("a JSON body serializes");
        self.body(Self::JSON, body)
    }
    /// Sets a body of another media type, such as `multipart/related; boundary=b`.
    #[must_use]
    pub fn body(
        mut self,
        media_type: impl Into<Cow<'static, str>>,
        body: impl Into<Bytes>,
    ) -> Self {
        self.media_type = media_type.into();
        self.body = Some(body.into());
        self
    }
    /// Treats these statuses as results.
    #[must_use]
    pub fn accept(mut self, statuses: &'static [u16]) -> Self {
        self.accept = statuses;
        self
    }
    /// Sets whether it can be retried.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }
    /// Sets its effect, if the method doesn't determine it.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = Some(effect);
        self
    }

    /// Sets what the tool sends after this write depending on its response, such as `appends the other blocks`.
    #[must_use]
    pub fn then(mut self, then: &'static str) -> Self {
        self.then = Some(then);
        self
    }

    /// Media type of the body; `None` if there is no body.
    pub fn content_type(&self) -> Option<&str> {
        self.body.as_ref().map(|_| self.media_type.as_ref())
    }

    /// Effect of the request, as set or by its method.
    pub fn effect_of(&self) -> Effect {
        self.effect
            .unwrap_or_else(|| effect_of_method(&self.method))
    }

    /// Returns the encoded path and query. They start with the request's own base, or otherwise with `base`, such as
    /// `/calendar/v3`. `base` can be empty.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidRequest`] for a segment that is empty, `.` or `..`, because no encoding stops these from
    /// changing the path.
    pub fn target(&self, base: &str) -> Result<String> {
        let base = self.base.unwrap_or(base);
        let mut target = String::with_capacity(base.len() + 64);
        target.push_str(base);
        for segment in &self.path {
            if matches!(segment.as_str(), "" | "." | "..") {
                return Err(Error::new(
                    ErrorKind::InvalidRequest,
                    format!("{segment:?} can't be an ID or a name in a path"),
                ));
            }
            target.push('/');
            target.extend(utf8_percent_encode(segment, UNRESERVED));
        }
        if let Some(verb) = self.verb {
            target.push(':');
            target.push_str(verb);
        }
        let mut separator = '?';
        for (key, value) in &self.query {
            target.push(separator);
            target.extend(utf8_percent_encode(key, UNRESERVED));
            target.push('=');
            target.extend(utf8_percent_encode(value, UNRESERVED));
            separator = '&';
        }
        Ok(target)
    }
}

/// Effect of a method (RFC 9110, section 9).
pub(crate) fn effect_of_method(method: &Method) -> Effect {
    match *method {
        Method::GET | Method::HEAD => Effect::Read,
        Method::DELETE => Effect::Delete,
        _ => Effect::Write,
    }
}

/// Encodes everything except RFC 3986 unreserved characters. This includes `:`, which would start a custom verb after
/// an ID.
pub const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A value of a query pair: text, number, boolean, an option of those, or a list (one pair per item).
pub trait IntoQuery {
    /// Hands every text to `push`.
    fn each(self, push: &mut dyn FnMut(String));
}

macro_rules! by_display {
    ($($type:ty),+) => { $(
        impl IntoQuery for $type {
            fn each(self, push: &mut dyn FnMut(String)) { push(self.to_string()); }
        }
        impl IntoQuery for Option<$type> {
            fn each(self, push: &mut dyn FnMut(String)) { if let Some(value) = self { push(value.to_string()); } }
        }
        impl IntoQuery for &Option<$type> {
            fn each(self, push: &mut dyn FnMut(String)) { if let Some(value) = self { push(value.to_string()); } }
        }
    )+ };
}
by_display!(&str, String, bool, u32, u64, i32, i64);

impl IntoQuery for &String {
    fn each(self, push: &mut dyn FnMut(String)) {
        push(self.clone());
    }
}

impl IntoQuery for &[String] {
    fn each(self, push: &mut dyn FnMut(String)) {
        self.iter().cloned().for_each(push);
    }
}

impl IntoQuery for &Vec<String> {
    fn each(self, push: &mut dyn FnMut(String)) {
        self.as_slice().each(push);
    }
}

impl IntoQuery for &Option<Vec<String>> {
    fn each(self, push: &mut dyn FnMut(String)) {
        self.iter().flatten().cloned().for_each(push);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_and_queries_are_encoded() {
        let request = ApiRequest::get(["calendars", "en.usa#holiday@group", "a/b %2F@ü"])
            .query("q", "a&b=c d")
            .query("labelIds", &vec![String::from("A"), String::from("B")])
            .query("none", None::<u32>);
        assert_eq!(
            request.target("/v3").unwrap(),
            "/v3/calendars/en.usa%23holiday%40group/a%2Fb%20%252F%40%C3%BC?q=a%26b%3Dc%20d&labelIds=A&labelIds=B"
        );
    }

    #[test]
    fn only_a_verb_has_a_colon() {
        let request = ApiRequest::get(["v1", "people"])
            .verb("searchContacts")
            .query("query", "a");
        assert_eq!(
            request.target("").unwrap(),
            "/v1/people:searchContacts?query=a"
        );
        assert_eq!(
            ApiRequest::get(["messages", "x:delete"])
                .target("")
                .unwrap(),
            "/messages/x%3Adelete"
        );
    }

    #[test]
    fn a_request_can_have_its_own_base_and_media_type() {
        let request = ApiRequest::post(["files"]).base("/upload/v3");
        assert_eq!(request.target("/v3").unwrap(), "/upload/v3/files");
        assert_eq!(request.content_type(), None);
        let json = request.json(&7);
        assert_eq!(json.content_type(), Some("application/json"));
        let text = json.body("text/plain", "seven");
        assert_eq!(text.content_type(), Some("text/plain"));
        assert_eq!(text.body.as_deref(), Some(&b"seven"[..]));
    }

    #[test]
    fn dots_and_nothing_are_not_segments() {
        for segment in ["", ".", ".."] {
            assert_eq!(
                ApiRequest::get(["a", segment])
                    .target("")
                    .unwrap_err()
                    .kind(),
                ErrorKind::InvalidRequest
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_stays_one_segment(text in "\\PC+") {
            proptest::prop_assume!(text != "." && text != "..");
            let target = ApiRequest::get(["a", &text, "z"]).target("").unwrap();
            let segments: Vec<&str> = target.split('/').collect();
            proptest::prop_assert_eq!(segments.len(), 4);
            proptest::prop_assert!(!target.contains(['?', '#', '\\', ' ']));
            let back = percent_encoding::percent_decode_str(segments[2]).decode_utf8().unwrap();
            proptest::prop_assert_eq!(back.as_ref(), text.as_str());
        }
    }
}
