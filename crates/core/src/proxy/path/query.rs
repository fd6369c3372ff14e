//! The query. Stead checks its escapes and names; the values are up to the caller.

use std::borrow::Cow;

use percent_encoding::utf8_percent_encode;
use serde_json::{Map, Value};

use super::{MAX_ECHO, check_escape, invalid, refused_byte};
use crate::{
    Error, Result, error::push_segment, product::sent::undone, scrub::scrub, tool::UNRESERVED,
};

/// Maximum length of a query in bytes. RFC 9112, section 3 recommends that everyone accepts a request line of 8,000
/// bytes. Some accept more.
pub(crate) const MAX_QUERY: usize = 16 * 1024;

/// Names that would add another credential, turn the response into a script, or change the method or headers after the
/// checks. They are system parameters of a large family of APIs. For example, `httpHeaders` is for headers that a
/// browser can't send. Each name is also rejected with that family's `$`.
const DENIED: &[&str] = &[
    "access_token",
    "bearer_token",
    "callback",
    "httpHeaders",
    "httpMethod",
    "key",
    "oauth_token",
];

/// Adds `?` and the caller's query.
///
/// Quotes and angle brackets are escaped, as every browser does in a query (WHATWG URL, special-query percent-encode
/// set). HTTP clients that follow that standard can't send them unescaped.
///
/// # Errors
/// [`ErrorKind::PathInvalid`](crate::ErrorKind::PathInvalid).
pub(super) fn append(target: &mut String, query: &str) -> Result<()> {
    check_length(query)?;
    let mut to_escape = false;
    for (at, &byte) in query.as_bytes().iter().enumerate() {
        match byte {
            b'%' => check_escape(query.as_bytes(), at, "query")?,
            b'"' | b'\'' | b'<' | b'>' => to_escape = true,
            b'#' => return Err(refused_byte(query, at, "query")),
            b'!'..=b'~' => {}
            _ => return Err(refused_byte(query, at, "query")),
        }
    }
    // A semicolon once separated pairs as well (HTML 4.01, B.2.2), and some servers still accept it.
    for pair in query.split(['&', ';']) {
        check_name(pair.split('=').next().unwrap_or_default())?;
    }
    target.push('?');
    if !to_escape {
        target.push_str(query);
        return Ok(());
    }
    for character in query.chars() {
        match character {
            '"' => target.push_str("%22"),
            '\'' => target.push_str("%27"),
            '<' => target.push_str("%3C"),
            '>' => target.push_str("%3E"),
            other => target.push(other),
        }
    }
    Ok(())
}

/// Adds parameters to a path that may have a query: text, numbers and booleans, and lists of those as repeated names.
///
/// # Errors
/// [`ErrorKind::PathInvalid`](crate::ErrorKind::PathInvalid) for any other value, with a JSON pointer to it, and for
/// a name that the proxy does not pass.
pub(in crate::proxy) fn with_query(
    path_and_query: &str,
    query: &Map<String, Value>,
) -> Result<String> {
    let mut target = path_and_query.to_owned();
    let mut pairs = Pairs::after(&mut target);
    for (name, value) in query {
        check_name(name)?;
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let text = scalar(item).ok_or_else(|| unusable(name, Some(index)))?;
                    pairs.push(name, &text);
                }
            }
            single => {
                let text = scalar(single).ok_or_else(|| unusable(name, None))?;
                pairs.push(name, &text);
            }
        }
    }
    check_length(target.split_once('?').map_or("", |(_, query)| query))?;
    Ok(target)
}

/// Appends pairs to a path or to its query.
struct Pairs<'a> {
    target: &'a mut String,
    separator: &'static str,
}

impl<'a> Pairs<'a> {
    fn after(target: &'a mut String) -> Self {
        let separator = match target.split_once('?') {
            None => "?",
            Some((_, query)) if query.is_empty() || query.ends_with('&') => "",
            Some(_) => "&",
        };
        Self { target, separator }
    }

    fn push(&mut self, name: &str, text: &str) {
        self.target.push_str(self.separator);
        self.target.extend(utf8_percent_encode(name, UNRESERVED));
        self.target.push('=');
        self.target.extend(utf8_percent_encode(text, UNRESERVED));
        self.separator = "&";
    }
}

fn scalar(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(_) | Value::Number(_) => Some(Cow::Owned(value.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn unusable(name: &str, index: Option<usize>) -> Error {
    let mut pointer = String::from("/query");
    push_segment(&mut pointer, name);
    if let Some(index) = index {
        pointer.push_str(&format!("/{index}"));
    }
    invalid(format!(
        "{}: a query can contain strings, numbers, booleans, and lists of those",
        scrub(&pointer, MAX_ECHO)
    ))
}

fn check_length(query: &str) -> Result<()> {
    if query.len() > MAX_QUERY {
        let length = query.len();
        return Err(invalid(format!(
            "the query has {length} bytes; the maximum is {MAX_QUERY}"
        )));
    }
    Ok(())
}

/// Rejects the names in [`DENIED`] in any case, escaped, and surrounded by anything that isn't a letter or digit.
fn check_name(name: &str) -> Result<()> {
    let name = undone(name);
    let bare = name.trim_matches(|character: char| !character.is_ascii_alphanumeric());
    match DENIED
        .iter()
        .find(|denied| denied.eq_ignore_ascii_case(bare))
    {
        None => Ok(()),
        Some(denied) => Err(invalid(format!(
            "the proxy doesn't forward the query parameter {denied}; remove it"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};
    use serde_json::json;
    use url::Url;

    use super::*;
    use crate::{
        ErrorKind,
        proxy::path::{
            property::{ORIGIN, check_target},
            vectors::{check_passed, check_refused},
        },
    };

    #[test]
    fn denied_query_names_are_found_in_every_encoding() {
        for query in [
            "key=1",
            "KEY=1",
            "a&key",
            "a=1&Key=2",
            "a=1;key=2",
            "%6Bey=1",
            "%256bey=1",
            "%25256bey=1",
            "k%65y=1",
            "key%00=1",
            "+key=1",
            "%20key%20=1",
            "key[]=1",
            "$key=1",
            "%24key=1",
            "$.key=1",
            "Access_Token=1",
            "access%5Ftoken=1",
            "$access_token=1",
            "oauth_token=1",
            "bearer_token=1",
            "callback=alert",
            "$callback=alert",
            "$httpMethod=DELETE",
            "%24httpmethod=DELETE",
            "$httpHeaders=Authorization:x",
        ] {
            let message = check_refused(&format!("/v1/x?{query}"));
            assert!(message.contains("query parameter"), "{query}: {message}");
        }
    }

    #[test]
    fn quotes_in_a_query_go_as_browsers_send_them() {
        check_passed(
            "/drive/v3/files?q='root'%20in%20parents&a=\"b\"&c=<d>",
            "/drive/v3/files?q=%27root%27%20in%20parents&a=%22b%22&c=%3Cd%3E",
        );
    }

    #[test]
    fn a_query_map_becomes_pairs() {
        let query = json!({
            "text": "a b&c=d/é",
            "number": 5,
            "fraction": 0.5,
            "flag": true,
            "labelIds": ["A", 1, false],
            "none": [],
            "strange name&": "",
        });
        let pairs = "flag=true&fraction=0.5&labelIds=A&labelIds=1&labelIds=false&number=5&strange%20name%26=&text=a%20b%26c%3Dd%2F%C3%A9";
        for (given, expected) in [
            ("/x", format!("/x?{pairs}")),
            ("/x?", format!("/x?{pairs}")),
            ("/x?a=1", format!("/x?a=1&{pairs}")),
            ("/x?a=1&", format!("/x?a=1&{pairs}")),
        ] {
            let target = with_query(given, query.as_object().unwrap()).unwrap();
            assert_eq!(target, expected);
            check_target(&target);
        }
        assert_eq!(with_query("/x?a", &Map::new()).unwrap(), "/x?a");
    }

    #[test]
    fn a_query_map_has_its_limits() {
        for (query, part) in [
            (json!({"a": null}), "/query/a"),
            (json!({"a": {}}), "/query/a"),
            (json!({"a/b~c": null}), "/query/a~1b~0c"),
            (json!({"a": [1, null]}), "/query/a/1"),
            (json!({"a": [[1]]}), "/query/a/0"),
            (json!({"a": [{}]}), "/query/a/0"),
            (json!({"key": "1"}), "key"),
            (json!({"Access_Token": []}), "access_token"),
            (json!({"$httpMethod": "DELETE"}), "httpMethod"),
            (json!({"%6bey": "1"}), "key"),
            (json!({"a": "x".repeat(16 * 1024)}), "the maximum is 16384"),
            (json!({"n".repeat(500): null}), "/query/nnn"),
        ] {
            let error = with_query("/x", query.as_object().unwrap()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::PathInvalid);
            assert!(error.message().contains(part), "{error}");
            assert!(error.message().chars().count() <= 200, "{error}");
        }
    }

    proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn any_pair_arrives(name in "\\PC{1,8}", text in any::<String>()) {
        let query = json!({ (name.clone()): text });
        if let Ok(target) = with_query("/x?a=1", query.as_object().unwrap()) {
            check_target(&target);
            let url = Url::parse(&format!("{ORIGIN}{target}")).unwrap();
            let (last, value) = url.query_pairs().last().unwrap();
            prop_assert_eq!((last.as_ref(), value.as_ref()), (name.as_str(), text.as_str()));
        }
    }
    }
}
