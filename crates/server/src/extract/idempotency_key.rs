//! The header `Idempotency-Key`.

use axum::extract::FromRequestParts;
use http::request::Parts;
use stead::Error;

use super::invalid;
use crate::problem::Problem;

/// The key: 1 to 255 printable ASCII characters, as a string of RFC 8941 or bare.
#[derive(Debug)]
pub(crate) struct IdempotencyKey(pub(crate) Option<String>);

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let mut given = parts.headers.get_all("idempotency-key").iter();
        match (given.next(), given.next()) {
            (None, _) => Ok(Self(None)),
            (Some(value), None) => Ok(Self(Some(read(value.as_bytes())?))),
            (Some(_), Some(_)) => Err(refusal().into()),
        }
    }
}

fn read(value: &[u8]) -> Result<String, Error> {
    let key = match value {
        [b'"', quoted @ .., b'"'] => unescape(quoted).ok_or_else(refusal)?,
        [b'"', ..] => return Err(refusal()),
        bare => bare.to_vec(),
    };
    let well_formed =
        (1..=255).contains(&key.len()) && key.iter().all(|byte| matches!(byte, b' '..=b'~'));
    String::from_utf8(key)
        .ok()
        .filter(|_| well_formed)
        .ok_or_else(refusal)
}

/// The characters of a quoted string (RFC 8941, section 4.2.5). A quote or a backslash has a backslash before it.
fn unescape(quoted: &[u8]) -> Option<Vec<u8>> {
    let mut key = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter().copied();
    while let Some(byte) = bytes.next() {
        key.push(match byte {
            b'\\' => bytes
                .next()
                .filter(|escaped| matches!(escaped, b'"' | b'\\'))?,
            b'"' => return None,
            plain => plain,
        });
    }
    Some(key)
}

fn refusal() -> Error {
    invalid(
        "/Idempotency-Key",
        "format",
        "expected one key of 1 to 255 printable ASCII characters",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_make_no_difference() {
        assert_eq!(read(b"k-1").unwrap(), "k-1");
        assert_eq!(read(b"\"k-1\"").unwrap(), "k-1");
        assert_eq!(read(br#""a \"b\" \\""#).unwrap(), r#"a "b" \"#);
        for bad in [
            &b""[..],
            b"\"\"",
            br#""a"b""#,
            br#""a\b""#,
            b"\xc3\xbc",
            &[b'x'; 256],
        ] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
