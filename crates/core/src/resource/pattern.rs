//! Patterns of names, values and paths in policies.

use percent_encoding::percent_decode_str;

/// Whether a text matches a pattern. `*` matches any characters.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

/// The same, ignoring case.
pub(crate) fn fits_any_case(pattern: &str, text: &str) -> bool {
    fits(&pattern.to_lowercase(), &text.to_lowercase())
}

/// Whether a path matches a pattern segment by segment. `**` at the end matches all remaining segments.
pub(crate) fn path_fits(pattern: &str, path: &str) -> bool {
    let mut given = path.split('/');
    for segment in pattern.split('/') {
        if segment == "**" {
            return true;
        }
        let Some(given) = given.next() else {
            return false;
        };
        let Ok(given) = percent_decode_str(given).decode_utf8() else {
            return false;
        };
        // A `*` doesn't match an empty segment.
        if !fits(segment, &given) || (given.is_empty() && !segment.is_empty()) {
            return false;
        }
    }
    given.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, text) in [
            ("a", "a"),
            ("*", ""),
            ("*", "a"),
            ("a*", "a"),
            ("mail_*", "mail_send"),
            ("*@example.com", "ada@example.com"),
            ("a*b*c", "abc"),
            ("a*b*c", "a-b-b-c"),
            ("*b*", "abc"),
            ("**", "x"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("a", "ab"),
            ("a", "A"),
            ("", "a"),
            ("*@example.com", "ada@example.com.evil.test"),
            ("*@example.com", "ada@notexample.com"),
            ("ab*ba", "aba"),
            ("a*b*c", "acb"),
            ("mail_*", "email_x"),
        ] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
        assert!(fits_any_case("*@EXAMPLE.com", "Ada@example.COM"));
    }

    #[test]
    fn a_path_fits_by_its_segments() {
        for (pattern, path) in [
            ("/v1/notes", "/v1/notes"),
            ("/v1/*/x", "/v1/a%2Fb/x"),
            ("/v1/notes/ada@x", "/v1/notes/ada%40x"),
            ("/v1/**", "/v1/a/b"),
            ("/v1/**", "/v1"),
            ("/v1/people:*", "/v1/people:search"),
            ("/**", "/v1"),
        ] {
            assert!(path_fits(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("/v1/*", "/v1/a/b"),
            ("/v1/*", "/v1"),
            ("/v1/*", "/v1/"),
            ("/v1/notes", "/v1/notes/"),
            ("/v1/notes/**", "/v1/notesx/a"),
            ("/v1/a/b", "/v1/a%2Fb"),
            ("/v1/*", "/v1/%FF"),
        ] {
            assert!(!path_fits(pattern, path), "{pattern} {path}");
        }
    }
}
