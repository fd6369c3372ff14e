//! Parses encoded words and addresses in header values.

use mail_parser::{Addr, MessageParser};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mailbox in a header.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Address {
    /// Display name; `null` if there is none.
    pub name: Option<String>,
    /// Email address; `null` if the header contains only a name.
    pub email: Option<String>,
}

/// The mailboxes of an address header (RFC 5322, 3.4), including members of groups.
pub(crate) fn parse_addresses(value: &str) -> Vec<Address> {
    let header = format!("To: {}\r\n\r\n", without_false_groups(&on_one_line(value)));
    let message = MessageParser::new()
        .with_address_headers()
        .parse_headers(header.as_bytes());
    let parsed = message
        .as_ref()
        .and_then(|message| message.to())
        .map(|to| to.clone().into_list())
        .unwrap_or_default();
    rejoin(parsed)
}

/// Placeholders for a colon and a semicolon that belong to a name. They aren't Unicode characters.
const NAMED: [(char, char); 2] = [(':', '\u{fdd0}'), (';', '\u{fdd1}')];

/// Replaces colons and semicolons that belong to names. The product decodes `=?utf-8?q?Acme=3A_Billing?= <b@…>` to `Acme:
/// Billing <b@…>`, which looks like the start of a group. A real group ends with a semicolon, followed by a comma or
/// nothing. All other colons belong to names, and so does a semicolon without an address before it.
fn without_false_groups(value: &str) -> String {
    let mut places = Vec::new();
    let (mut is_quoted, mut depth, mut is_escaped) = (false, 0_usize, false);
    for (index, one) in value.char_indices() {
        match one {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '<' | '(' if !is_quoted => depth += 1,
            '>' | ')' if !is_quoted => depth = depth.saturating_sub(1),
            ':' | ';' | ',' if !is_quoted && depth == 0 => places.push((index, one)),
            _ => {}
        }
    }
    let mut value = value.to_owned();
    // The placeholders are longer than the characters that they replace, so work backwards.
    let mut closes = false;
    for (at, (index, one)) in places.iter().enumerate().rev() {
        let begin = at.checked_sub(1).map_or(0, |before| places[before].0 + 1);
        let (before, after) = (&value[begin..*index], value[index + 1..].trim_start());
        let is_syntax = match one {
            ';' if after.is_empty() || after.starts_with(',') => {
                closes = true;
                true
            }
            ';' => before.contains(['@', '>']),
            ':' => std::mem::take(&mut closes),
            _ => true,
        };
        if let Some((_, stand_in)) = NAMED.iter().find(|(own, _)| own == one && !is_syntax) {
            value.replace_range(*index..index + 1, &stand_in.to_string());
        }
    }
    value
}

/// Puts the colons and semicolons of names back.
fn with_own_marks(text: &str) -> String {
    NAMED.iter().fold(text.to_owned(), |text, (own, stand_in)| {
        text.replace(*stand_in, &own.to_string())
    })
}

/// Joins names that were split at a comma. The product decodes `=?utf-8?q?Doe=2C_Jane?= <jane@…>` to `Doe, Jane <jane@…>`,
/// in which the comma looks like the end of a mailbox. So a name without an address belongs to the next mailbox.
fn rejoin(parsed: Vec<Addr<'_>>) -> Vec<Address> {
    let mut addresses: Vec<Address> = Vec::with_capacity(parsed.len());
    let mut waiting: Option<String> = None;
    for one in parsed {
        let name = one
            .name
            .map(|name| with_own_marks(name.trim()))
            .filter(|name| !name.is_empty());
        let name = match (waiting.take(), name) {
            (Some(first), Some(second)) => Some(format!("{first}, {second}")),
            (first, second) => first.or(second),
        };
        match one.address {
            Some(email) => addresses.push(Address {
                name,
                email: Some(with_own_marks(&email)),
            }),
            None => waiting = name,
        }
    }
    addresses.extend(waiting.map(|name| Address {
        name: Some(name),
        email: None,
    }));
    addresses
}

/// Decodes the remaining encoded words in a header (RFC 2047). The product has already decoded most of them.
pub(crate) fn decode_words(value: &str) -> String {
    if !value.contains("=?") {
        return value.to_owned();
    }
    let header = format!("Subject: {}\r\n\r\n", on_one_line(value));
    let message = MessageParser::new()
        .header_text("Subject")
        .parse_headers(header.as_bytes());
    message
        .as_ref()
        .and_then(|message| message.subject())
        .unwrap_or(value)
        .to_owned()
}

/// A parameter of a `Content-Type` or `Content-Disposition` value, in one piece or in several (RFC 2231).
pub(crate) fn parameter(value: &str, name: &str) -> Option<String> {
    let header = format!("Content-Disposition: {}\r\n\r\n", on_one_line(value));
    let message = MessageParser::new()
        .with_mime_headers()
        .parse_headers(header.as_bytes())?;
    let parameter = mail_parser::MimeHeaders::content_disposition(&message)?
        .attribute(name)?
        .to_owned();
    Some(parameter)
}

/// Replaces line breaks, so that a value can't start another header.
fn on_one_line(value: &str) -> String {
    value.replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use stead_testkit::cases;

    use super::*;

    /// Checks the addresses of headers. Each is a pair of name and email. An empty text means that the part is missing.
    fn check(table: &str) {
        for [header, expected] in cases(table) {
            let expected: Vec<[String; 2]> = serde_json::from_str(expected).unwrap();
            let expected = expected.into_iter().map(|pair| {
                let [name, email] = pair.map(|text| Some(text).filter(|text| !text.is_empty()));
                Address { name, email }
            });
            let expected: Vec<Address> = expected.collect();
            assert_eq!(parse_addresses(header), expected, "{header:?}");
        }
    }

    #[test]
    fn mailboxes() {
        check(
            r#"
             => []
            ada@example.com => [["", "ada@example.com"]]
            <ada@example.com> => [["", "ada@example.com"]]
            Ada Lovelace <ada@example.com> => [["Ada Lovelace", "ada@example.com"]]
            J. R. Doe <j@r.d>, b@y.org => [["J. R. Doe", "j@r.d"], ["", "b@y.org"]]
            "Doe, Jane" <j@x.org>, b@y.org => [["Doe, Jane", "j@x.org"], ["", "b@y.org"]]
            "O\"Neil" <o@n.ie> => [["O\"Neil", "o@n.ie"]]
            "a@b" <c@d.e> => [["a@b", "c@d.e"]]
            日本 太郎 <t@j.jp> => [["日本 太郎", "t@j.jp"]]
            a@b.c, , d@e.f => [["", "a@b.c"], ["", "d@e.f"]]
            ada@example.com (Ada) => [["Ada", "ada@example.com"]]
        "#,
        );
    }

    #[test]
    fn groups_give_their_members() {
        check(
            r#"
            Team: a@x.org, "B" <b@y.org>;, c@z.org => [["", "a@x.org"], ["B", "b@y.org"], ["", "c@z.org"]]
            undisclosed-recipients:; => []
            Team: Doe, Jane <j@x.org>, b@y.org ; => [["Doe, Jane", "j@x.org"], ["", "b@y.org"]]
        "#,
        );
    }

    #[test]
    fn colons_and_semicolons_of_names_make_no_group() {
        check(
            r#"
            Acme: Billing <b@acme.com> => [["Acme: Billing", "b@acme.com"]]
            Re: Acme: Billing <b@acme.com> => [["Re: Acme: Billing", "b@acme.com"]]
            Alerts; Ops <o@acme.com> => [["Alerts; Ops", "o@acme.com"]]
            Alerts; Ops => [["Alerts; Ops", ""]]
            Note: Alerts; Ops <o@acme.com> => [["Note: Alerts; Ops", "o@acme.com"]]
            "Acme: Billing" <b@acme.com> => [["Acme: Billing", "b@acme.com"]]
            <b:c@acme.com> => [["", "b:c@acme.com"]]
            Acme: Billing <b@acme.com>, Team: a@x.org, b@y.org;, Alerts; Ops <o@acme.com> => [["Acme: Billing", "b@acme.com"], ["", "a@x.org"], ["", "b@y.org"], ["Alerts; Ops", "o@acme.com"]]
            a@x.org; b@y.org => [["", "a@x.org"], ["", "b@y.org"]]
        "#,
        );
    }

    #[test]
    fn encoded_words_and_their_decoded_commas() {
        check(
            r#"
            =?utf-8?q?Doe=2C_Jane?= <j@x.org> => [["Doe, Jane", "j@x.org"]]
            Doe, Jane <j@x.org>, b@y.org => [["Doe, Jane", "j@x.org"], ["", "b@y.org"]]
            nobody in particular => [["nobody in particular", ""]]
        "#,
        );
    }

    #[test]
    fn a_line_break_starts_no_header() {
        let addresses = parse_addresses("a@b.c\r\nTo: evil@x.y");
        assert!(
            addresses
                .iter()
                .all(|one| one.email.as_deref() != Some("evil@x.y"))
                || addresses.len() == 1,
            "{addresses:?}"
        );
        assert_eq!(
            decode_words("=?utf-8?q?a?=\r\nSubject: b"),
            "aSubject: b".replace("aS", "a S")
        );
    }

    #[test]
    fn words() {
        for (value, expected) in [
            ("plain", "plain"),
            ("Grüße 日本", "Grüße 日本"),
            ("=?utf-8?Q?H=C3=A9llo_w=C3=B6rld?=", "Héllo wörld"),
            ("=?utf-8?B?w4Q=?= =?utf-8?B?w5Y=?=", "ÄÖ"),
            ("a =?iso-8859-1?q?=E4?= b", "a ä b"),
            ("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"),
            ("=?broken", "=?broken"),
            ("100% =?=", "100% =?="),
        ] {
            assert_eq!(decode_words(value), expected);
        }
    }

    #[test]
    fn parameters() {
        assert_eq!(
            parameter("text/plain; charset=\"UTF-8\"; format=flowed", "charset").as_deref(),
            Some("UTF-8")
        );
        assert_eq!(
            parameter("text/plain;\r\n charset=iso-8859-1", "charset").as_deref(),
            Some("iso-8859-1")
        );
        assert_eq!(parameter("text/plain", "charset"), None);
        assert_eq!(parameter("", "charset"), None);
    }
}
