//! The secrets of one request, to find them in its response.
//!
//! A response can repeat a secret truncated, or in the encoding in which it was sent. Percent-encoding and the escapes
//! of JSON and HTML don't change the unreserved characters of a URI, so a secret is recognized by its runs of these.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use url::form_urlencoded;
use zeroize::Zeroizing;

/// Minimum length of a run. A shorter one may be part of an ordinary word.
const RUN: usize = 8;
/// Number of characters at the start of a run that identify it, so that a truncated secret is also found.
const BEGINNING: usize = 12;
/// Minimum length of a secret to search for. A shorter one would also match ordinary words.
const SHORTEST: usize = 6;

/// Secrets of one request.
#[derive(Default)]
pub(crate) struct Secrets(Vec<Zeroizing<String>>);

impl Secrets {
    /// Adds a secret, and the forms that it takes inside base64 text.
    pub(crate) fn add(&mut self, secret: &str) {
        if secret.len() < SHORTEST {
            return;
        }
        let known = self.0.len();
        self.add_runs(secret);
        if self.0.len() == known {
            let encoded = form_urlencoded::byte_serialize(secret.as_bytes()).collect::<String>();
            self.0.push(encoded.into());
            self.0.push(secret.to_owned().into());
        }
        // A group of four characters encodes three bytes, so the encoding depends on the bytes before the secret.
        for before in 0..3 {
            let text = Zeroizing::new([&[b' '; 3][..before], secret.as_bytes()].concat());
            let encoded = Zeroizing::new(STANDARD.encode(&text));
            // The groups at both ends also contain other bytes.
            let inner = encoded.get(4..encoded.len().saturating_sub(4));
            self.add_runs(inner.unwrap_or_default());
        }
    }

    /// Adds the secret of an OAuth client, and the ID and secret as encoded in a `Basic` header (RFC 6749, 2.3.1).
    pub(crate) fn add_client(&mut self, id: &str, secret: &str) {
        self.add(secret);
        let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let [id, secret]: [String; 2] = [encode(id), encode(secret)];
        let pair = Zeroizing::new(format!("{id}:{secret}"));
        self.add_runs(&Zeroizing::new(STANDARD.encode(pair.as_bytes())));
    }

    fn add_runs(&mut self, text: &str) {
        let runs = text.split(|c: char| !(c.is_ascii_alphanumeric() || "-._~".contains(c)));
        let runs = runs.filter(|run| run.len() >= RUN);
        self.0
            .extend(runs.map(|run| run[..run.len().min(BEGINNING)].to_owned().into()));
    }

    /// Replaces each word that contains a secret with `[removed]`.
    pub(crate) fn mask(&self, text: &str) -> String {
        let words = text.split_inclusive(is_end);
        let masked = words.map(|word| match self.is_in(word) {
            true => "[removed] ",
            false => word,
        });
        masked.collect()
    }

    /// Replaces each character of such a word with `*`, so the text keeps its length. `None` if the text contains no
    /// secret.
    pub(crate) fn overwritten(&self, text: &str) -> Option<String> {
        if !self.is_in(text) {
            return None;
        }
        let words = text.split_inclusive(is_end).map(|word| {
            let end = word.trim_end_matches(is_end).len();
            match self.is_in(&word[..end]) {
                true => "*".repeat(end) + &word[end..],
                false => word.to_owned(),
            }
        });
        Some(words.collect())
    }

    fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|mark| text.contains(mark.as_str()))
    }
}

/// Whether a character ends a word, also in a text with JSON escapes.
fn is_end(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\'' | ',' | ';' | '<' | '>' | '(' | ')' | '{' | '}' | '\\'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(secret: &str) -> Secrets {
        let mut secrets = Secrets::default();
        secrets.add(secret);
        secrets
    }

    #[test]
    fn a_secret_is_masked_in_every_encoding_that_is_sent() {
        let secret = "4/0AbCdEfGh+ijKLMNOP==";
        let percent = "4%2F0AbCdEfGh%2BijKLMNOP%3D%3D";
        for shown in [
            secret,
            percent,
            &percent.to_lowercase().replace("abcdefgh", "AbCdEfGh"),
            r"4\/0AbCdEfGh+ijKLMNOP==",
            "4&#x2F;0AbCdEfGh&#43;ijKLMNOP==",
            // Truncated, as a product may show it.
            "4/0AbCdEfGh…",
            &STANDARD.encode(format!("code={secret}&x=y")),
            &STANDARD.encode(format!("a code={secret}")),
            &STANDARD.encode(format!("the code={secret}")),
        ] {
            let masked = secrets(secret).mask(&format!("the grant {shown} is used"));
            assert!(
                masked.contains("[removed]") && !masked.contains("0AbC"),
                "{shown}: {masked}"
            );
            assert!(masked.starts_with("the grant ") && masked.ends_with("is used"));
        }
    }

    #[test]
    fn client_credentials_are_masked_in_every_encoding() {
        let mut secrets = Secrets::default();
        secrets.add_client("id", "s3&t!?");
        for shown in ["s3&t!?", "s3%26t%21%3F", "Basic aWQ6czMlMjZ0JTIxJTNG"] {
            let masked = secrets.mask(&format!("bad {shown}"));
            assert!(masked.ends_with("[removed] "), "{masked}");
        }
    }

    #[test]
    fn text_without_secrets_is_unchanged() {
        let text = "invalid_grant: the token is revoked";
        assert_eq!(secrets("token").mask(text), text);
        assert_eq!(secrets("tok9.AbCdEfGhIjKl").mask(text), text);
    }

    #[test]
    fn a_body_keeps_its_length_and_its_form() {
        let secrets = secrets("tok9.AbCdEfGhIjKl");
        let body = r#"{"message":"bad tok9.AbCdEfGhIjKl, or \"tok9.AbCdEfGhIjKl\"","x":"ü"}"#;
        let shown = r#"{"message":"bad *****************, or \"*****************\"","x":"ü"}"#;
        assert_eq!(secrets.overwritten(body).unwrap(), shown);
        assert!(secrets.overwritten(shown).is_none());
    }
}
