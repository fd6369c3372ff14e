//! The recipients of a mail (RFC 5322, 3.4 and 3.6). It refuses anything that two parsers could read differently.

use std::collections::BTreeSet;

use crate::address::{decode_words, parse_addresses};

/// Headers with recipients.
const HEADERS: [&str; 7] = [
    "to",
    "cc",
    "bcc",
    "resent-to",
    "resent-cc",
    "resent-bcc",
    "apparently-to",
];

/// The recipients of a mail, in lower case. `None` if they can't be read with certainty.
pub(crate) fn of_mail(mail: &[u8]) -> Option<BTreeSet<String>> {
    let (headers, _) = stead_google::headers(mail)?;
    let mut found = BTreeSet::new();
    for (name, value) in headers {
        if HEADERS.contains(&name.as_str()) {
            found.extend(of_header(&value)?);
        }
    }
    Some(found)
}

/// The address in lower case, if it's a plain one.
pub(super) fn address(text: &str) -> Option<String> {
    let (local, domain) = text.trim().split_once('@')?;
    let in_local =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&byte);
    let is_label = |label: &str| {
        let in_label = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !label.is_empty()
            && label.bytes().all(in_label)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    // `=?` starts an encoded word (RFC 2047). `%` and `!` are old forms of routing.
    let is_plain = !local.is_empty()
        && local.bytes().all(in_local)
        && !local.contains("=?")
        && !local.contains(['%', '!'])
        && domain.split('.').all(is_label);
    is_plain.then(|| format!("{local}@{domain}").to_ascii_lowercase())
}

/// The addresses of a header. The strict parser here and the one for reading mails must find the same addresses.
pub(crate) fn of_header(value: &str) -> Option<BTreeSet<String>> {
    // The result must not depend on whether encoded words are decoded before or after parsing.
    let decoded = decode_words(value);
    let marks = ['@', '<', '>', ';', ':'];
    let count = |text: &str, mark| text.matches(mark).count();
    let is_same = marks
        .iter()
        .all(|mark| count(&decoded, *mark) == count(value, *mark));
    let looks_alike = |one: char| {
        matches!(
            one,
            '\u{FF20}' | '\u{FE6B}' | '\u{FF0C}' | '\u{2028}' | '\u{2029}'
        )
    };
    if !is_same || decoded.chars().any(looks_alike) || value.chars().any(looks_alike) {
        return None;
    }
    let strict = Reader::default().read(value)?;
    let lenient: BTreeSet<String> = parse_addresses(value)
        .into_iter()
        .filter_map(|one| one.email)
        .map(|email| email.to_ascii_lowercase())
        .collect();
    (strict == lenient).then_some(strict)
}

/// Parses mailboxes and groups one character at a time.
#[derive(Default)]
struct Reader {
    found: BTreeSet<String>,
    /// The text outside quotes, comments and angle brackets. Each quoted text is replaced by a quotation mark.
    phrase: String,
    /// The text in this mailbox's angle brackets.
    angle: Option<String>,
    in_group: bool,
}

impl Reader {
    fn read(mut self, value: &str) -> Option<BTreeSet<String>> {
        let mut letters = value.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => {
                    loop {
                        match letters.next()? {
                            '"' => break,
                            '\\' => _ = letters.next()?,
                            _ => {}
                        }
                    }
                    self.outside('"')?;
                }
                '(' => comment(&mut letters)?,
                '<' if self.angle.is_none() => {
                    let mut inner = String::new();
                    loop {
                        match letters.next()? {
                            '>' => break,
                            other => inner.push(other),
                        }
                    }
                    self.angle = Some(inner);
                }
                ',' => self.end()?,
                ':' if !self.in_group && self.angle.is_none() && !self.phrase.contains('@') => {
                    self.in_group = true;
                    self.phrase.clear();
                }
                ';' if self.in_group => {
                    self.end()?;
                    self.in_group = false;
                }
                '<' | '>' | ')' | '[' | ']' | '\\' | ':' | ';' => return None,
                other => self.outside(other)?,
            }
        }
        self.end()?;
        (!self.in_group).then_some(self.found)
    }

    /// Only spaces may follow an address in angle brackets.
    fn outside(&mut self, letter: char) -> Option<()> {
        if self.angle.is_some() && !letter.is_ascii_whitespace() {
            return None;
        }
        self.phrase.push(letter);
        Some(())
    }

    /// Ends a mailbox. There may be none between two commas.
    fn end(&mut self) -> Option<()> {
        let phrase = std::mem::take(&mut self.phrase);
        match self.angle.take() {
            Some(inner) if !phrase.contains('@') => self.found.insert(address(&inner)?),
            Some(_) => return None,
            None if phrase.trim().is_empty() => return Some(()),
            None => self.found.insert(address(&phrase)?),
        };
        Some(())
    }
}

/// Skips a comment, unless it contains something that could be part of an address.
fn comment(letters: &mut std::str::Chars<'_>) -> Option<()> {
    loop {
        match letters.next()? {
            ')' => return Some(()),
            '(' | '\\' | '@' | ',' | ';' | ':' | '<' | '>' | '"' => return None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use stead_testkit::cases;

    use super::*;

    fn of(header: &str) -> Option<Vec<String>> {
        let mail = format!("Subject: x\r\n{header}\r\n\r\nTo: body@evil.example\r\n");
        Some(of_mail(mail.as_bytes())?.into_iter().collect())
    }

    #[test]
    fn recipients_are_read() {
        let table = r#"
            To: Ada@Example.COM => ada@example.com
            To: Ada <ada@example.com>, "B, C" <b@example.com> => ada@example.com b@example.com
            To: a@example.com / TO : b@example.com / cc: c@example.com / Bcc:d@example.com => a@example.com b@example.com c@example.com d@example.com
            To: a@example.com, /  b@evil.example => a@example.com b@evil.example
            To: a@example.com / Resent-Bcc: r@evil.example => a@example.com r@evil.example
            To: Team: a@example.com, b@evil.example; => a@example.com b@evil.example
            To: a@example.com (Ada) => a@example.com
            To: "eve@evil.example" <a@example.com> => a@example.com
            To: =?utf-8?q?Doe=2C_Jane?= <jane@example.com> => jane@example.com
            To: Zoë <zoe@example.com> => zoe@example.com
            To: a@example.com.evil.example => a@example.com.evil.example
            Bcc: undisclosed-recipients:; =>
            Reply-To: a@example.com =>
        "#;
        // A slash stands for a new line.
        for [header, expected] in cases(table) {
            let header = header.replace(" / ", "\r\n");
            let found = of(&header).map(|all| all.join(" "));
            assert_eq!(found.as_deref(), Some(expected), "{header}");
        }
    }

    #[test]
    fn ambiguous_recipients_are_not_read() {
        for header in [
            "To: =?utf-8?q?eve=40evil.example?=",
            "To: =?utf-8?q?eve=40evil.example=2C?= <ada@example.com>",
            "To: =?utf-8?b?ZXZlQGV2aWwuZXhhbXBsZQ==?= <ada@example.com>",
            "To: \"=?utf-8?q?eve=40evil.example?=\" <ada@example.com>",
            "To: ada@example.com <eve@evil.example>",
            "To: <ada@example.com> eve@evil.example",
            "To: <ada@example.com><eve@evil.example>",
            "To: <@example.com:eve@evil.example>",
            "To: <@example.com,@b.example:eve@evil.example>",
            "To: ada@example.com; eve@evil.example",
            "To: ada@example.com (, eve@evil.example)",
            "To: ada@example.com (\\), eve@evil.example)",
            "To: (a(b)c) ada@example.com",
            "To: \"ada@example.com, <eve@evil.example>",
            "To: \"eve@evil.example\"@example.com",
            "To: eve%evil.example@example.com",
            "To: evil.example!eve@example.com",
            "To: eve@evil.example@example.com",
            "To: eve@[10.0.0.1]",
            "To: eve@evil.example.",
            "To: eve@evil\u{3002}example",
            "To: eve\u{FF20}evil.example",
            "To: <eve\u{FF20}evil.example>, ada@example.com",
            "To: ada@example.com\u{FF0C}eve@evil.example",
            "To: ada@exämple.com",
            "To: Team: Inner: a@example.com;;",
            "To: Team: a@example.com",
            "To: ada",
            "To: =?utf-8?q?eve?=@evil.example",
            "To: ada@=?utf-8?q?evil.example?=",
            "To: <ada@example.com",
            "To: a@example.com\rBcc: eve@evil.example",
            "To: a@example.com\nBcc: eve@evil.example",
            "To: a@example.com\r\n \r\nBcc: eve@evil.example",
            "To: a@example.com\0",
            "no header",
        ] {
            assert_eq!(of(header), None, "{header:?}");
        }
        for mail in [
            "",
            "\r\nTo: a@example.com",
            "From a@b Mon\r\nTo: a@example.com",
        ] {
            assert_eq!(of_mail(mail.as_bytes()), None, "{mail:?}");
        }
    }
}
