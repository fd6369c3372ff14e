//! Removes from outputs what differs in every run: IDs become `hook_1`, `hook_2` and so on, in order of appearance.

use std::collections::BTreeMap;

use serde_json::Value;

/// Members whose values are random or as long as the machine is slow.
const DROPPED: [&str; 9] = [
    "request_id",
    "cursor",
    "next_page_token",
    "secret_id",
    "ends_with",
    "duration_micros",
    "durations",
    "process",
    "ring_key",
];

#[derive(Default)]
pub(super) struct Normal {
    literals: Vec<(String, String)>,
    names: BTreeMap<String, String>,
    counts: BTreeMap<String, usize>,
}

impl Normal {
    pub(super) fn literal(&mut self, text: &str, name: &str) {
        self.literals.push((text.to_owned(), name.to_owned()));
    }

    pub(super) fn value(&mut self, member: &str, value: &Value) -> Value {
        if DROPPED.contains(&member) && !value.is_null() {
            return Value::from(format!("({member})"));
        }
        match value {
            Value::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| (name.clone(), self.value(name, value)));
                Value::Object(members.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.value("", item)).collect(),
            Value::String(text) => Value::from(self.text(text)),
            _ => value.clone(),
        }
    }

    /// A line for people; the width of its columns doesn't count.
    pub(super) fn line(&mut self, line: &str) -> String {
        let mut line = self.text(line.trim_end());
        while line.contains("   ") {
            line = line.replace("   ", "  ");
        }
        line
    }

    fn text(&mut self, text: &str) -> String {
        let text = self
            .literals
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        let (mut out, mut rest) = (String::new(), text.as_str());
        while !rest.is_empty() {
            if let Some(length) = time(rest) {
                out.push_str("(time)");
                rest = &rest[length..];
                continue;
            }
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (mut word, mut after) = rest.split_at(end);
            if word.starts_with("whsec_") {
                let end = rest
                    .find(|c| !(is_word(c) || matches!(c, '+' | '/' | '=')))
                    .unwrap_or(rest.len());
                (word, after) = rest.split_at(end);
            }
            if out.ends_with('…') && word.len() == 4 {
                out.push_str("(end)");
            } else if out.ends_with("127.0.0.1:") && (word.len() == 5 || word == "8486") {
                out.push_str("(port)");
            } else {
                out.push_str(&self.name(word));
            }
            let between = after.find(is_word).unwrap_or(after.len());
            out.push_str(&after[..between]);
            rest = &after[between..];
        }
        out
    }

    fn name(&mut self, word: &str) -> String {
        let Some(kind) = kind(word) else {
            return word.to_owned();
        };
        if let Some(name) = self.names.get(word) {
            return name.clone();
        }
        let count = self.counts.entry(kind.clone()).or_default();
        *count += 1;
        let name = format!("{kind}_{count}");
        self.names.insert(word.to_owned(), name.clone());
        name
    }
}

/// How long the time of day is with which a text begins.
fn time(text: &str) -> Option<usize> {
    let shape = b"dddd-dd-dd?dd:dd";
    let head = text.as_bytes().get(..shape.len())?;
    let fits = head.iter().zip(shape).all(|(byte, shape)| match shape {
        b'd' => byte.is_ascii_digit(),
        b'?' => matches!(byte, b'T' | b' '),
        _ => byte == shape,
    });
    let more = |c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | 'Z'));
    fits.then(|| {
        text.find(|c| more(c) && !matches!(c, 'T' | '-' | ' '))
            .map_or(text.len(), |end| end.max(shape.len()))
    })
    .map(|end| {
        let rest = &text[shape.len()..end.max(shape.len())];
        shape.len() + rest.find(more).unwrap_or(rest.len())
    })
}

/// Which kind of random word this is, if it is one.
fn kind(word: &str) -> Option<String> {
    let is_hex = |text: &str| text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    if let Some((prefix, rest)) = word.rsplit_once('_')
        && rest.len() == 32
        && is_hex(rest)
    {
        return Some(prefix.to_owned());
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
    if let Some(rest) = word.strip_prefix("req_")
        && rest.len() == 16
    {
        return Some(String::from("req"));
    }
    match word.len() {
        12 | 32 | 64 if is_hex(word) && has_digit => Some(format!("hex{}", word.len())),
        43 if has_digit => Some(String::from("random")),
        _ => None,
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
