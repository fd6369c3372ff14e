//! The caller's path: checked byte by byte as given, matched to a route of the product, and rewritten.
//!
//! No URL parser reads the path before that. Parsers repair it (they resolve dot segments, drop line breaks, or read a
//! backslash as a slash), and the product, its front end and Stead's client each repair it differently. Stead refuses
//! any path that one of them could read differently, so the path that it checked is the path that is served.

#[cfg(test)]
mod properties;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod property;
mod query;
#[cfg(test)]
mod vectors;

use std::borrow::Cow;

use http::Method;
use percent_encoding::percent_decode_str;

use crate::{
    Error, ErrorKind, Result,
    product::{
        ProxyRoute, ProxyRules,
        sent::{ROUNDS, lenient},
    },
    scrub::scrub,
};
pub(crate) use query::MAX_QUERY;
pub(super) use query::with_query;

/// Maximum length of a path in bytes.
const MAX_PATH: usize = 4096;

/// Maximum number of characters of the caller's text in a message.
const MAX_ECHO: usize = 80;

/// The destination of a checked path.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    pub(super) route: &'static ProxyRoute,
    /// Path and query as sent.
    pub(super) path_and_query: String,
}

/// Checks the caller's path, which may have a query, and finds its destination.
///
/// # Errors
/// [`ErrorKind::PathInvalid`]; the message says what is wrong at which byte.
pub(super) fn resolve(rules: &ProxyRules, raw: &str) -> Result<Resolved> {
    let (path, query) = match raw.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (raw, None),
    };
    let has_escapes = check_bytes(path)?;
    let (route, rest) = find(rules, path)?;
    if has_escapes {
        check_escapes(path, route.encoded_slash_after)?;
    }
    let room = route.rewrite.len() + rest.len() + query.map_or(0, |query| query.len() + 1);
    let mut path_and_query = String::with_capacity(room);
    path_and_query.push_str(route.rewrite);
    path_and_query.push_str(rest);
    check_bytes(&path_and_query)?;
    if rules
        .refused
        .is_some_and(|place| is_below(&path_and_query, place))
    {
        return Err(invalid(
            "the proxy doesn't forward requests to the product's OAuth endpoints",
        ));
    }
    if let Some(query) = query {
        query::append(&mut path_and_query, query)?;
    }
    Ok(Resolved {
        route,
        path_and_query,
    })
}

/// The inverse of [`resolve`]: the caller's path that leads to a path of the product, if there is one.
pub(super) fn unresolve(rules: &ProxyRules, origin: &str, path_and_query: &str) -> Option<String> {
    let routes = rules.routes.iter().filter(|route| route.origin == origin);
    let mut given = routes.filter_map(|route| {
        let rest = path_and_query.strip_prefix(route.rewrite)?;
        Some(format!("{}{rest}", route.prefix))
    });
    given.find(|given| {
        resolve(rules, given).is_ok_and(|resolved| {
            resolved.route.origin == origin && resolved.path_and_query == path_and_query
        })
    })
}

/// Whether a path is `place` or below it, as the most lenient server could read it: with escapes decoded, without
/// parameters, in any case.
fn is_below(path: &str, place: &str) -> bool {
    let mut segments = path.split('/').map(lenient);
    place
        .split('/')
        .all(|wanted| segments.next().is_some_and(|segment| segment == wanted))
}

/// Parses a method name in capitals. Rejects methods that open a tunnel or echo the request, and methods that a product
/// invented.
///
/// # Errors
/// [`ErrorKind::MethodNotAllowed`].
pub(super) fn method(text: &str) -> Result<Method> {
    match text {
        "GET" => Ok(Method::GET),
        "HEAD" => Ok(Method::HEAD),
        "POST" => Ok(Method::POST),
        "PUT" => Ok(Method::PUT),
        "PATCH" => Ok(Method::PATCH),
        "DELETE" => Ok(Method::DELETE),
        other => Err(Error::new(
            ErrorKind::MethodNotAllowed,
            format!(
                "the proxy doesn't forward the method {:?}; use GET, HEAD, POST, PUT, PATCH or DELETE in upper case",
                scrub(other, 20)
            ),
        )),
    }
}

/// The role of a byte in a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Plain,
    Slash,
    Escape,
    Refused,
}

/// A table with one look-up per byte. Plain bytes are those that RFC 3986, section 3.3 allows in a segment. Parsers
/// disagree about the rest.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Refused; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'/' => Class::Slash,
            b'%' => Class::Escape,
            b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+'
            | b',' | b';' | b'=' | b':' | b'@' => Class::Plain,
            byte if byte.is_ascii_alphanumeric() => Class::Plain,
            _ => Class::Refused,
        };
        byte += 1;
    }
    classes
};

/// Checks everything that needs no decoding. Returns whether anything has to be decoded.
fn check_bytes(path: &str) -> Result<bool> {
    if !path.starts_with('/') {
        return Err(invalid("the path must start with a slash"));
    }
    if path.len() > MAX_PATH {
        let length = path.len();
        return Err(invalid(format!(
            "the path has {length} bytes; the maximum is {MAX_PATH}"
        )));
    }
    let bytes = path.as_bytes();
    let mut has_escapes = false;
    let mut start = 1;
    for (at, &byte) in bytes.iter().enumerate().skip(1) {
        match CLASSES[usize::from(byte)] {
            Class::Plain => {}
            Class::Slash => {
                check_segment(&path[start..at], start)?;
                if is_nameless(&path[start..at]) {
                    return Err(invalid(format!("the segment at byte {start} is empty")));
                }
                start = at + 1;
            }
            Class::Escape => {
                check_escape(bytes, at, "path")?;
                has_escapes = true;
            }
            Class::Refused => return Err(refused_byte(path, at, "path")),
        }
    }
    check_segment(&path[start..], start)?;
    Ok(has_escapes)
}

fn check_segment(segment: &str, at: usize) -> Result<()> {
    if is_dots(segment) {
        return Err(invalid(format!(
            "the segment at byte {at} is a dot segment"
        )));
    }
    Ok(())
}

/// Whether a segment is empty without its parameters. A product that drops parameters would see two slashes.
fn is_nameless(segment: &str) -> bool {
    segment.is_empty() || segment.starts_with(';')
}

/// Whether a segment is `.` or `..`, also with parameters (`..;a=b`), with blanks, or in one of the characters that
/// compatibility normalization (Unicode, NFKC) turns into those.
fn is_dots(segment: &str) -> bool {
    let mut dots = 0;
    for character in segment.chars() {
        dots += match character {
            '.' | '\u{2024}' | '\u{FE52}' | '\u{FF0E}' => 1,
            '\u{2025}' | '\u{FE30}' => 2,
            ';' | '\u{037E}' | '\u{FF1B}' => break,
            blank if blank.is_whitespace() => 0,
            _ => return false,
        };
    }
    matches!(dots, 1 | 2)
}

fn check_escape(bytes: &[u8], at: usize, place: &str) -> Result<()> {
    match bytes.get(at + 1..at + 3) {
        Some([high, low]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => Ok(()),
        _ => Err(invalid(format!(
            "the percent sign at byte {at} of the {place} isn't followed by two hexadecimal digits; write %25 for the sign itself"
        ))),
    }
}

fn refused_byte(text: &str, at: usize, place: &str) -> Error {
    let character = text.get(at..).and_then(|rest| rest.chars().next());
    invalid(match character.unwrap_or(char::REPLACEMENT_CHARACTER) {
        '\\' => format!("the {place} has a backslash at byte {at}; percent-encode it or remove it"),
        control if control.is_control() => {
            format!("the {place} has a control character at byte {at}")
        }
        other => format!("{other:?} at byte {at} of the {place} must be percent-encoded"),
    })
}

/// Finds the first route whose prefix matches, and the rest of the path.
fn find<'a>(rules: &ProxyRules, path: &'a str) -> Result<(&'static ProxyRoute, &'a str)> {
    let fits = |route: &'static ProxyRoute| {
        let rest = path.strip_prefix(route.prefix)?;
        (rest.is_empty() || rest.starts_with(['/', ':'])).then_some((route, rest))
    };
    rules.routes.iter().find_map(fits).ok_or_else(|| {
        if rules.routes.is_empty() {
            return invalid("the product doesn't support raw paths");
        }
        let prefixes: Vec<&str> = rules.routes.iter().map(|route| route.prefix).collect();
        invalid(format!(
            "the product has no route for {:?}; its paths start with {}",
            scrub(path, MAX_ECHO),
            prefixes.join(", ")
        ))
    })
}

/// Checks what the escapes of each segment stand for, decoded as often as a product could.
fn check_escapes(path: &str, encoded_slash_after: Option<&str>) -> Result<()> {
    let mut previous = "";
    let mut at = 1;
    for segment in path[1..].split('/') {
        if segment.contains('%') {
            let slash_is_data = encoded_slash_after == Some(previous);
            check_decoded(segment, at, slash_is_data)?;
        }
        previous = segment;
        at += segment.len() + 1;
    }
    Ok(())
}

fn check_decoded(segment: &str, at: usize, slash_is_data: bool) -> Result<()> {
    let mut text = segment.to_owned();
    for _ in 0..ROUNDS {
        if let Some(character) = needless_escape(&text) {
            return Err(invalid(format!(
                "the segment at byte {at} has an escape for {character:?}; write the character itself"
            )));
        }
        text = match percent_decode_str(&text).decode_utf8() {
            Ok(Cow::Borrowed(_)) => return Ok(()),
            Ok(Cow::Owned(decoded)) => decoded,
            Err(_) => {
                return Err(invalid(format!(
                    "the escapes of the segment at byte {at} aren't UTF-8"
                )));
            }
        };
        check_text(&text, at, slash_is_data)?;
    }
    match Cow::from(percent_decode_str(&text)) {
        Cow::Borrowed(_) => Ok(()),
        Cow::Owned(_) => Err(invalid(format!(
            "the segment at byte {at} is escaped more than {ROUNDS} times"
        ))),
    }
}

/// Finds an escaped letter or digit. No client needs that (RFC 3986, section 2.3), and the policy would see a different
/// path than the product.
fn needless_escape(text: &str) -> Option<char> {
    let (_, escapes) = text.split_once('%')?;
    escapes
        .split('%')
        .filter_map(|escape| u8::from_str_radix(escape.get(..2)?, 16).ok())
        .map(char::from)
        .find(char::is_ascii_alphanumeric)
}

/// Checks the text that a product could see instead of a segment.
fn check_text(text: &str, at: usize, slash_is_data: bool) -> Result<()> {
    if text.contains('\\') {
        return Err(invalid(format!(
            "the segment at byte {at} has an escaped backslash"
        )));
    }
    if text.chars().any(char::is_control) {
        return Err(invalid(format!(
            "the segment at byte {at} has an escaped control character"
        )));
    }
    if text.contains('/') && !slash_is_data {
        return Err(invalid(format!(
            "the segment at byte {at} has an escaped slash, which this path doesn't allow"
        )));
    }
    text.split(is_slash)
        .try_for_each(|part| check_segment(part, at))
}

/// Slashes and backslashes, also those that normalization or a "best fit" conversion turns into one.
fn is_slash(character: char) -> bool {
    matches!(
        character,
        '/' | '\u{2044}'
            | '\u{2215}'
            | '\u{2216}'
            | '\u{29F8}'
            | '\u{FE68}'
            | '\u{FF0F}'
            | '\u{FF3C}'
    )
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::PathInvalid, message)
}
