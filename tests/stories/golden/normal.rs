//! Replaces what differs in every run: IDs become `hook_1`, `hook_2` and so on, in order of appearance.

use std::collections::BTreeMap;

use serde_json::{Map, Value, value::RawValue};

use crate::stage::Stage;

/// Members with random values, and the names that replace the values, also where a value occurs again.
const RANDOM: [(&str, &str); 8] = [
    ("request_id", "request"),
    ("cursor", "cursor"),
    ("next_page_token", "page"),
    ("secret_id", "secret"),
    ("ring", "ring"),
    ("ring_key", "ring"),
    ("etag", "etag"),
    ("process", "process"),
];
/// Members whose values depend on the machine's speed, or are too short to be recognized later.
const DROPPED: [(&str, &str); 4] = [
    ("duration_micros", "(micros)"),
    ("durations", "(durations)"),
    ("ends_with", "(end)"),
    ("next_attempt_at", "(time)"),
];

/// The replacements so far.
#[derive(Default)]
pub struct Normal {
    literals: Vec<(String, String)>,
    names: BTreeMap<String, String>,
    counts: BTreeMap<String, usize>,
}

impl Normal {
    /// Replaces the addresses of a stage.
    pub fn of(stage: &Stage) -> Self {
        let mut normal = Self::default();
        normal.address(&stage.url, 8484);
        normal.address(&stage.sandbox.url, 8485);
        normal
    }

    /// Replaces the port of an address on this machine.
    pub fn address(&mut self, url: &str, port: u16) {
        let given = url.rsplit(':').next().unwrap();
        for colon in [":", "%3A"] {
            self.literal(&format!("{colon}{given}"), &format!("{colon}{port}"));
        }
    }

    pub fn literal(&mut self, text: &str, name: &str) {
        if !text.is_empty() && !self.literals.iter().any(|(known, _)| known == text) {
            self.literals.push((text.to_owned(), name.to_owned()));
        }
    }

    /// Normalizes a JSON body, and keeps the spelling of its numbers.
    pub fn json(&mut self, body: &[u8]) -> Value {
        let raw: &RawValue = serde_json::from_slice(body).unwrap();
        let value = exact(raw);
        self.value("", &value)
    }

    pub fn value(&mut self, member: &str, value: &Value) -> Value {
        if let Some((_, name)) = DROPPED.iter().find(|(dropped, _)| *dropped == member) {
            return Value::from(*name);
        }
        match value {
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| {
                    let value = self.value(name, value);
                    (self.text(name), value)
                });
                Value::Object(members.collect::<Map<_, _>>())
            }
            Value::Array(items) => items.iter().map(|item| self.value(member, item)).collect(),
            Value::String(text) => {
                if let Some((_, name)) = RANDOM.iter().find(|(random, _)| *random == member)
                    && looks_random(text)
                    && !self.literals.iter().any(|(known, _)| known == text)
                {
                    let name = self.next(name);
                    self.literal(text, &name);
                }
                Value::from(self.text(text))
            }
            _ => value.clone(),
        }
    }

    pub fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for (literal, name) in &self.literals {
            text = text.replace(literal, name);
        }
        let (mut out, mut rest) = (String::new(), text.as_str());
        while !rest.is_empty() {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (mut word, mut after) = rest.split_at(end);
            if word.starts_with("whsec_") {
                let more = |c| is_word(c) || matches!(c, '+' | '/' | '=');
                let end = rest.find(|c| !more(c)).unwrap_or(rest.len());
                (word, after) = rest.split_at(end);
            }
            match self.name(word) {
                Some(name) => out.push_str(&name),
                None => out.push_str(word),
            }
            let between = after.find(is_word).unwrap_or(after.len());
            out.push_str(&after[..between]);
            rest = &after[between..];
        }
        out
    }

    fn name(&mut self, word: &str) -> Option<String> {
        if let Some(name) = self.names.get(word) {
            return Some(name.clone());
        }
        let kind = kind(word)?;
        let name = self.next(&kind);
        self.names.insert(word.to_owned(), name.clone());
        Some(name)
    }

    fn next(&mut self, kind: &str) -> String {
        let count = self.counts.entry(kind.to_owned()).or_default();
        *count += 1;
        format!("{kind}_{count}")
    }
}

/// The kind of a random word. `None` if it isn't random.
fn kind(word: &str) -> Option<String> {
    let is_hex = |text: &str| text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if let Some((prefix, rest)) = word.rsplit_once('_')
        && rest.len() == 32
        && is_hex(rest)
        && prefix.bytes().all(|b| b.is_ascii_lowercase())
    {
        // Made-up IDs, which consist of zeros, stay as they are.
        return (rest.trim_matches('0').len() > 1).then(|| prefix.to_owned());
    }
    for prefix in [
        "stead_token_",
        "stead_secret_",
        "stead_account_",
        "stead_mcp_",
        "stead_invitation_",
        "whsec_",
        "file_",
    ] {
        if word
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.len() >= 24)
        {
            return Some(prefix.trim_end_matches('_').to_owned());
        }
    }
    match word.len() {
        32 if is_hex(word) => Some(String::from("hex")),
        64 if is_hex(word) => Some(String::from("sha256")),
        43 if word.bytes().any(|b| b.is_ascii_uppercase())
            && word.bytes().any(|b| b.is_ascii_digit()) =>
        {
            Some(String::from("random"))
        }
        _ => None,
    }
}

/// Whether a value can be replaced wherever it occurs. IDs already have names, and a short word may have another
/// meaning elsewhere.
fn looks_random(text: &str) -> bool {
    let is_id = text
        .rsplit_once('_')
        .is_some_and(|(_, rest)| rest.len() == 32);
    text.len() >= 7 && !is_id && text.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// A JSON value that keeps the spelling of its numbers. A number that would be written differently becomes a text.
fn exact(raw: &RawValue) -> Value {
    let text = raw.get();
    match text.as_bytes()[0] {
        b'{' => {
            let members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).unwrap();
            let members = members
                .iter()
                .map(|(name, value)| (name.clone(), exact(value)));
            Value::Object(members.collect())
        }
        b'[' => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(text).unwrap();
            items.iter().map(|item| exact(item)).collect()
        }
        _ => {
            let value: Value = serde_json::from_str(text).unwrap();
            let written = value.to_string();
            if value.is_number() && written != text {
                return Value::from(format!("(number) {text}"));
            }
            value
        }
    }
}
