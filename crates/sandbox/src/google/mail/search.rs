//! The search language of `q`: a useful part of Gmail's.
//!
//! It has words and "phrases" in the subject, the text and the people; `from: to: subject: label: in: is: has:
//! filename: after: before: newer_than: older_than: rfc822msgid:`; `-` to negate; and `OR` between neighbours. The
//! sandbox refuses the rest of Gmail's language with 501 instead of returning a wrong response.

use jiff::{SignedDuration, Timestamp, civil::Date, tz::TimeZone};

use crate::google::{
    ApiError,
    world::{Mailbox, mime::Message},
};

const DAY_HOURS: i64 = 24;

/// A parsed search. A message must match one term in every group.
#[derive(Debug)]
pub(super) struct Search {
    groups: Vec<Vec<Term>>,
}

#[derive(Debug)]
struct Term {
    negated: bool,
    test: Test,
}

#[derive(Debug)]
enum Test {
    /// Words in sequence.
    Anywhere(Vec<String>),
    From(Vec<String>),
    To(Vec<String>),
    Subject(Vec<String>),
    Filename(Vec<String>),
    MessageId(String),
    /// A label by ID, or by name in the spelling of the search box.
    Label(String),
    Attachment,
    /// Messages without this label.
    Without(&'static str),
    /// Also searches spam and trash.
    Everywhere,
    /// Received at or after.
    Since(Timestamp),
    /// Received before.
    Before(Timestamp),
}

impl Search {
    pub(super) fn parse(query: &str, now: Timestamp) -> Result<Self, ApiError> {
        let mut groups: Vec<Vec<Term>> = Vec::new();
        let mut joins = false;
        for word in words(query) {
            if word == "OR" && !groups.is_empty() {
                joins = true;
                continue;
            }
            let term = Term::parse(&word, now)?;
            match groups.last_mut() {
                Some(group) if joins => group.push(term),
                _ => groups.push(vec![term]),
            }
            joins = false;
        }
        Ok(Self { groups })
    }

    /// Whether to search spam and trash too.
    pub(super) fn searches_everywhere(&self) -> bool {
        self.groups.iter().flatten().any(|term| {
            let hidden = match &term.test {
                Test::Everywhere => true,
                Test::Label(name) => matches!(name.as_str(), "spam" | "trash"),
                _ => false,
            };
            hidden && !term.negated
        })
    }

    /// Whether the search finds the message.
    pub(super) fn matches(&self, message: &Message, mailbox: &Mailbox) -> bool {
        self.groups.iter().all(|group| {
            group
                .iter()
                .any(|term| term.test.matches(message, mailbox) != term.negated)
        })
    }
}

impl Term {
    fn parse(word: &str, now: Timestamp) -> Result<Self, ApiError> {
        let (negated, word) = match word.strip_prefix('-') {
            Some(rest) if !rest.is_empty() => (true, rest),
            _ => (false, word),
        };
        if word.starts_with(['(', '{', '+']) || word.ends_with([')', '}']) || word == "AROUND" {
            return Err(unknown(word));
        }
        Ok(Self {
            negated,
            test: Test::parse(word, now)?,
        })
    }
}

impl Test {
    fn parse(word: &str, now: Timestamp) -> Result<Self, ApiError> {
        let Some((operator, value)) = word.split_once(':').filter(|(operator, _)| {
            operator
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        }) else {
            return Ok(Self::Anywhere(tokens(word)));
        };
        let value = value.trim_matches('"');
        if value.is_empty() {
            return Err(unknown(word));
        }
        Ok(match operator.to_ascii_lowercase().as_str() {
            "from" => Self::From(tokens(value)),
            "to" | "cc" | "bcc" | "deliveredto" => Self::To(tokens(value)),
            "subject" => Self::Subject(tokens(value)),
            "filename" => Self::Filename(tokens(value)),
            "rfc822msgid" => Self::MessageId(value.trim_matches(['<', '>']).to_owned()),
            "label" => Self::Label(folder_name(value)),
            "in" => match value.to_ascii_lowercase().as_str() {
                "anywhere" => Self::Everywhere,
                "drafts" => Self::Label("draft".to_owned()),
                "snoozed" | "chats" => return Err(unknown(word)),
                place => Self::Label(folder_name(place)),
            },
            "is" => match value.to_ascii_lowercase().as_str() {
                "read" => Self::Without("UNREAD"),
                state @ ("unread" | "starred" | "important") => Self::Label(state.to_owned()),
                _ => return Err(unknown(word)),
            },
            "category" => Self::Label(format!(
                "category_{}",
                match value.to_ascii_lowercase().as_str() {
                    "primary" => "personal",
                    other => other,
                }
            )),
            "has" if value.eq_ignore_ascii_case("attachment") => Self::Attachment,
            "after" | "newer" => Self::Since(parse_date(value).ok_or_else(|| unknown(word))?),
            "before" | "older" => Self::Before(parse_date(value).ok_or_else(|| unknown(word))?),
            "newer_than" => Self::Since(parse_age(value, now).ok_or_else(|| unknown(word))?),
            "older_than" => Self::Before(parse_age(value, now).ok_or_else(|| unknown(word))?),
            _ => return Err(unknown(word)),
        })
    }

    fn matches(&self, message: &Message, mailbox: &Mailbox) -> bool {
        let header = |name: &str| message.header(name).unwrap_or_default();
        match self {
            Self::Anywhere(wanted) => {
                ["Subject", "From", "To", "Cc"]
                    .into_iter()
                    .any(|name| contains(header(name), wanted))
                    || contains(&message.text(), wanted)
            }
            Self::From(wanted) => contains(header("From"), wanted),
            Self::To(wanted) => ["To", "Cc", "Bcc"]
                .into_iter()
                .any(|name| contains(header(name), wanted)),
            Self::Subject(wanted) => contains(header("Subject"), wanted),
            Self::Filename(wanted) => message
                .leaves()
                .into_iter()
                .any(|part| contains(&part.filename, wanted)),
            Self::MessageId(id) => header("Message-ID").trim_matches(['<', '>']) == id,
            Self::Label(wanted) => {
                let mut own = mailbox
                    .user_labels()
                    .filter(|(id, _)| message.has_label(id));
                message.labels.iter().any(|id| folder_name(id) == *wanted)
                    || own.any(|(_, name)| folder_name(name) == *wanted)
            }
            Self::Attachment => message
                .leaves()
                .into_iter()
                .any(|part| part.is_attachment()),
            Self::Without(label) => !message.has_label(label),
            Self::Everywhere => true,
            Self::Since(moment) => message.received >= *moment,
            Self::Before(moment) => message.received < *moment,
        }
    }
}

/// Splits at spaces outside of quotation marks, and keeps the marks.
fn words(query: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for letter in query.chars() {
        quoted ^= letter == '"';
        if letter.is_whitespace() && !quoted {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
        } else {
            word.push(letter);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The words of a text in lower case. Gmail finds only whole words.
fn tokens(text: &str) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Whether the words are in sequence in the text. Scripts without spaces between words are searched by letters.
fn contains(text: &str, wanted: &[String]) -> bool {
    if wanted.iter().flat_map(|word| word.chars()).any(is_unspaced) {
        return text.to_lowercase().contains(&wanted.join(""));
    }
    !wanted.is_empty()
        && tokens(text)
            .windows(wanted.len())
            .any(|window| window == wanted)
}

/// Kana and Han.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// The search box writes label names in lower case, and `-` for blanks and some signs.
fn folder_name(name: &str) -> String {
    name.to_lowercase().replace([' ', '/', '&'], "-")
}

/// The start of a day in UTC (`2026/04/30` or `2026-04-30`), or seconds since 1970.
fn parse_date(value: &str) -> Option<Timestamp> {
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Timestamp::from_second(value.parse().ok()?).ok();
    }
    let mut numbers = value.split(['/', '-']);
    let year = numbers.next()?.parse().ok()?;
    let month = numbers.next()?.parse().ok()?;
    let day = numbers.next()?.parse().ok()?;
    if numbers.next().is_some() {
        return None;
    }
    let date = Date::new(year, month, day).ok()?;
    Some(date.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// The time `3d`, `2m` or `1y` ago. A month has 30 days, and a year 365.
fn parse_age(value: &str, now: Timestamp) -> Option<Timestamp> {
    let (count, unit) = value.split_at_checked(value.len().checked_sub(1)?)?;
    let days: i64 = match unit {
        "d" => 1,
        "m" => 30,
        "y" => 365,
        _ => return None,
    };
    let hours = count
        .parse::<u32>()
        .ok()
        .map(|count| i64::from(count) * days * DAY_HOURS)?;
    now.checked_sub(SignedDuration::from_hours(hours)).ok()
}

fn unknown(word: &str) -> ApiError {
    ApiError::unimplemented(format!("The sandbox cannot search for {word}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::google::world::World;

    fn found(query: &str) -> Vec<String> {
        let world = World::seeded();
        let mailbox = &world.users[0].mailbox;
        let now = "2026-05-04T09:00:00Z".parse().unwrap();
        let search = Search::parse(query, now).unwrap();
        mailbox
            .messages
            .iter()
            .filter(|message| search.matches(message, mailbox))
            .map(|message| message.header("Subject").unwrap().to_owned())
            .collect()
    }

    #[test]
    fn words_and_phrases() {
        assert_eq!(found("harbour"), ["Lunch on Thursday?"]);
        assert_eq!(found("harb"), Vec::<String>::new());
        assert_eq!(
            found("\"wrong variable\" from:ada"),
            ["Re: Review of chapter 3"]
        );
        assert_eq!(found("subject:\"review of\"").len(), 3);
        assert_eq!(found("議事録"), ["会議の議事録"]);
        assert_eq!(
            found("subject:протокол"),
            ["Протокол встречи в Санкт-Петербурге и приложения к нему"]
        );
    }

    #[test]
    fn people_labels_and_states() {
        assert_eq!(found("from:grace@example.com").len(), 2);
        assert_eq!(found("to:mary"), ["Note G", "Review of chapter 3"]);
        assert_eq!(
            found("label:engine is:starred"),
            ["Re: Review of chapter 3"]
        );
        assert_eq!(found("label:reisen-köln"), ["Grüße aus Köln"]);
        assert_eq!(found("in:drafts").len(), 2);
        assert_eq!(found("in:spam"), ["You have won a steam engine"]);
        assert_eq!(found("has:attachment").len(), 3);
        assert_eq!(found("filename:pdf"), ["Quarterly report & figures"]);
        assert_eq!(found("is:unread -in:spam").len(), 3);
        assert_eq!(found("subject:gears OR subject:köln").len(), 2);
        assert_eq!(
            found("rfc822msgid:<ada.lunch@mail.example.com>"),
            ["Lunch on Thursday?"]
        );
    }

    #[test]
    fn dates() {
        assert_eq!(found("after:2026/05/04").len(), 2);
        assert_eq!(found("newer_than:1d").len(), 3);
        assert_eq!(found("before:2026-04-01"), ["Your order is ready"]);
        assert_eq!(found("after:1777885200").len(), 0);
    }

    #[test]
    fn unsupported_search_operators_are_refused() {
        let now = Timestamp::UNIX_EPOCH;
        for query in [
            "larger:1M",
            "(a b)",
            "{a b}",
            "is:muted",
            "after:soon",
            "from:",
        ] {
            assert!(Search::parse(query, now).is_err(), "{query}");
        }
    }
}
