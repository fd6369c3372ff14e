//! Reads the path, query and JSON of a request for policy rules. Anything that a product could read differently counts
//! as unclear.

use std::{borrow::Cow, fmt};

use http::Method;
use percent_encoding::percent_decode_str;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use super::classify::{Classification, SentRequest};

/// How often a server could decode escapes.
pub(crate) const ROUNDS: usize = 3;

/// A part of a request that is there or may be there, but can't be read reliably.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unclear;

/// A part of a request. `None` if it's absent.
pub type Part<T> = Result<Option<T>, Unclear>;

impl SentRequest<'_> {
    /// Whether the method is `GET` or `HEAD`.
    pub fn is_get(&self) -> bool {
        *self.method == Method::GET || *self.method == Method::HEAD
    }

    /// The segments of the path, decoded once. `None` if a product could read a different path. Examples are an empty
    /// segment, dots, an escape that doesn't decode to plain text, or one that hides a separator or another escape.
    pub fn segments(&self) -> Option<Vec<String>> {
        let path = self.path.strip_prefix('/')?;
        path.split('/').map(segment).collect()
    }

    /// The segments of the path as the most lenient server could read them.
    pub fn lenient_segments(&self) -> Vec<String> {
        let segments = self.path.split('/').filter(|segment| !segment.is_empty());
        segments.map(lenient).collect()
    }

    /// The values of a query parameter, in order.
    ///
    /// # Errors
    /// [`Unclear`] if the query can't be decoded, has a semicolon, or has the name in another form (`add_parents`,
    /// `ADDPARENTS`).
    pub fn query_values(&self, name: &str) -> Result<Vec<String>, Unclear> {
        let query = self.query.unwrap_or_default();
        if query.contains(';') {
            return Err(Unclear);
        }
        let mut values = Vec::new();
        for pair in query.split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let key = decode(&key.replace('+', " ")).ok_or(Unclear)?;
            if key == name {
                values.push(decode(&value.replace('+', " ")).ok_or(Unclear)?);
            } else if is_alike(&key, name) {
                return Err(Unclear);
            }
        }
        Ok(values)
    }

    /// The members of the body. None if it's empty.
    ///
    /// # Errors
    /// [`Unclear`] if it isn't what [`json`](Self::json) reads.
    pub fn members(&self) -> Result<Map<String, Value>, Unclear> {
        match self.body {
            Some([]) => Ok(Map::new()),
            _ => self.json().ok_or(Unclear),
        }
    }

    /// The body, if it's one JSON object in UTF-8 without repeated members and with a JSON content type.
    pub fn json(&self) -> Option<Map<String, Value>> {
        let is_json = self.content_type.is_some_and(is_json);
        json_object(self.body.filter(|_| is_json)?)
    }
}

/// Whether a content type is JSON in UTF-8.
pub fn is_json(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(str::trim);
    let is_json = parts
        .next()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    is_json
        && parts.all(|parameter| {
            let parameter = parameter.to_ascii_lowercase().replace('"', "");
            matches!(parameter.as_str(), "" | "charset=utf-8")
        })
}

/// One JSON object without repeated members at any depth.
pub fn json_object(bytes: &[u8]) -> Option<Map<String, Value>> {
    match serde_json::from_slice(bytes).ok()? {
        Strict(Value::Object(members)) => Some(members),
        Strict(_) => None,
    }
}

/// A member of an object. `null` counts as absent.
///
/// # Errors
/// [`Unclear`] if the object has the name in another form (`email_address`, `EmailAddress`), because a product may
/// accept it.
pub fn member<'a>(object: &'a Map<String, Value>, name: &str) -> Part<&'a Value> {
    if object.keys().any(|key| key != name && is_alike(key, name)) {
        return Err(Unclear);
    }
    Ok(object.get(name).filter(|value| !value.is_null()))
}

/// A text member of an object.
///
/// # Errors
/// [`Unclear`] if it isn't a text, and as for [`member`].
pub fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Part<&'a str> {
    member(object, name)?
        .map(|value| value.as_str().ok_or(Unclear))
        .transpose()
}

/// An object member of an object.
///
/// # Errors
/// [`Unclear`] if it isn't an object, and as for [`member`].
pub fn object<'a>(object: &'a Map<String, Value>, name: &str) -> Part<&'a Map<String, Value>> {
    member(object, name)?
        .map(|value| value.as_object().ok_or(Unclear))
        .transpose()
}

/// The items of a list member. Empty if it's absent.
///
/// # Errors
/// [`Unclear`] if it isn't a list, and as for [`member`].
pub fn list<'a>(object: &'a Map<String, Value>, name: &str) -> Result<&'a [Value], Unclear> {
    match member(object, name)? {
        None => Ok(&[]),
        Some(value) => value.as_array().map(Vec::as_slice).ok_or(Unclear),
    }
}

impl Classification {
    /// Adds a fact for this part. Adds nothing if it's absent, and an unknown fact if it's unclear.
    #[must_use]
    pub fn part<T: Into<String>>(self, kind: &'static str, part: Part<T>) -> Self {
        match part {
            Ok(Some(value)) => self.fact(kind, value),
            Ok(None) => self,
            Err(Unclear) => self.unknown(kind),
        }
    }

    /// Like [`part`](Self::part), but for a required part. If it's absent, the request concerns something that it
    /// doesn't name.
    #[must_use]
    pub fn must<T: Into<String>>(self, kind: &'static str, part: Part<T>) -> Self {
        self.part(kind, part.and_then(|value| value.ok_or(Unclear)).map(Some))
    }
}

/// Whether names differ only in case and in `_` and `-`. The products accept more than one form.
fn is_alike(one: &str, other: &str) -> bool {
    let plain = |name: &str| -> String {
        let letters = name.chars().filter(|letter| letter.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    plain(one) == plain(other)
}

fn segment(raw: &str) -> Option<String> {
    let text = decode(raw)?;
    let is_plain = text
        .bytes()
        .all(|byte| matches!(byte, b'!'..=b'~') && !matches!(byte, b'/' | b'\\' | b'%' | b';'));
    (is_plain && !matches!(text.as_str(), "" | "." | "..")).then_some(text)
}

/// A segment of a path as the most lenient server could read it: with escapes decoded, without parameters, in lower
/// case.
pub(crate) fn lenient(segment: &str) -> String {
    let text = undone(segment);
    let name = text.split(';').next().unwrap_or_default();
    name.trim().to_lowercase()
}

/// A text with its escapes decoded as often as a server could do that.
pub(crate) fn undone(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for _ in 0..ROUNDS {
        if text.contains('%') {
            text = Cow::Owned(percent_decode_str(&text).decode_utf8_lossy().into_owned());
        }
    }
    text
}

/// Decodes percent-encoding. `None` if an escape isn't well-formed.
pub(super) fn decode(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut escapes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%');
    let is_sound = escapes.all(|(at, _)| is_digit(at + 1) && is_digit(at + 2));
    let decoded = percent_decode_str(text).decode_utf8().ok()?;
    is_sound.then(|| decoded.into_owned())
}

/// A JSON value without repeated members.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Strict(value))) = members.next_entry::<String, _>()? {
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a member appears twice"));
            }
        }
        Ok(object.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent<'a>(path: &'a str, query: Option<&'a str>, body: &'a [u8]) -> SentRequest<'a> {
        SentRequest {
            method: &Method::POST,
            path,
            query,
            content_type: Some("application/json; charset=UTF-8"),
            body: Some(body),
        }
    }

    #[test]
    fn a_path_is_decoded_once_or_not_read() {
        let segments = |path| sent(path, None, b"").segments();
        assert_eq!(
            segments("/v3/a%40b.example%23x").unwrap(),
            ["v3", "a@b.example#x"]
        );
        for path in [
            "",
            "v3",
            "/",
            "/v3/",
            "/v3//a",
            "/v3/.",
            "/v3/..",
            "/v3/%2e%2E",
            "/v3/a%2Fb",
            "/v3/a%5cb",
            "/v3/a%252Fb",
            "/v3/a;b=c",
            "/v3/a%3Bb",
            "/v3/a%",
            "/v3/a%4",
            "/v3/a%zz",
            "/v3/%ff",
            "/v3/a%00",
            "/v3/a%0a",
            "/v3/a%20b",
            "/v3/%EF%BC%8F",
            "/v3/é",
        ] {
            assert_eq!(segments(path), None, "{path}");
        }
    }

    #[test]
    fn a_parameter_in_another_form_is_not_read() {
        let values = |query| sent("/", Some(query), b"").query_values("addParents");
        assert_eq!(
            values("a=1&addParents=x+%26&addParents=y").unwrap(),
            ["x &", "y"]
        );
        assert_eq!(values("a=1").unwrap(), [""; 0]);
        for query in [
            "add_parents=x",
            "AddParents=x",
            "addparents=x",
            "a=1;addParents=x",
            "addParents=%",
            "%=x",
            "%61dd%50arents=%ff",
        ] {
            assert_eq!(values(query), Err(Unclear), "{query}");
        }
        assert_eq!(values("%61dd%50arents=x").unwrap(), ["x"]);
    }

    #[test]
    fn json_is_read_only_if_it_is_unambiguous() {
        let json = |body: &[u8]| sent("/", None, body).json();
        assert!(json(br#"{"a":[1,-1,1.5,true,null,{"b":"c"}]}"#).is_some());
        for body in [
            "",
            "[]",
            "7",
            "{",
            r#"{"a":1}x"#,
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"x":[{"a":1,"a":1}]}"#,
            "\u{feff}{}",
            r#"{'a':1}"#,
            "{a:1}",
            "/**/{}",
        ] {
            assert_eq!(json(body.as_bytes()), None, "{body}");
        }
        assert_eq!(json(b"{\"a\":\"\xff\"}"), None);
        for (content_type, is) in [
            ("application/json", true),
            ("Application/JSON;charset=\"utf-8\"", true),
            ("application/json; charset=utf-7", false),
            ("application/json, text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("text/json", false),
        ] {
            assert_eq!(is_json(content_type), is, "{content_type}");
        }
        let bare = SentRequest {
            content_type: None,
            ..sent("/", None, b"{}")
        };
        assert_eq!(bare.json(), None);
    }

    #[test]
    fn members_in_another_form_are_unclear() {
        let body = |text: &str| json_object(text.as_bytes()).unwrap();
        let of = |given: &str| text(&body(given), "emailAddress").map(|one| one.map(str::to_owned));
        assert_eq!(of(r#"{"emailAddress":"a"}"#), Ok(Some("a".to_owned())));
        assert_eq!(of(r#"{"emailAddress":null}"#), Ok(None));
        assert_eq!(of("{}"), Ok(None));
        for given in [
            r#"{"email_address":"a"}"#,
            r#"{"EmailAddress":"a"}"#,
            r#"{"emailAddress":"a","email_address":"b"}"#,
            r#"{"emailAddress":["a"]}"#,
            r#"{"emailAddress":{"a":"b"}}"#,
        ] {
            assert_eq!(of(given), Err(Unclear), "{given}");
        }
        assert_eq!(list(&body(r#"{"a":{}}"#), "a"), Err(Unclear));
        assert_eq!(object(&body(r#"{"a":[]}"#), "a"), Err(Unclear));
    }
}
