//! The members of a resource as cells of a table and lines of the details. How a value is shown follows from its
//! schema.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::dashboard::{
    format::{count, segment},
    schema::{self, Kind},
    words::capitalized,
};

/// Number of items of a list that a cell shows.
const SHOWN: usize = 2;

/// A member to show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    /// Defaults to the name in words.
    pub(crate) label: &'static str,
    /// An explanation of the label.
    pub(crate) hint: &'static str,
    /// The meaning of an absent value.
    pub(crate) none: &'static str,
    /// Shown instead of the value.
    pub(crate) show: Option<Show>,
    /// The name of another member to show below, and the words before it.
    pub(crate) note: Option<(&'static str, &'static str)>,
    /// If the value is a link, the list that has the item it names.
    pub(crate) list: Option<&'static str>,
}

/// Decides how a member is shown at a time.
type Show = fn(&Value, Timestamp) -> Shown;

/// A value that is shown instead of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shown {
    Text(String),
    /// The names of states.
    States(Vec<String>),
}

impl Shown {
    pub(crate) fn states(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::States(names.into_iter().map(Into::into).collect())
    }
}

impl Member {
    pub(crate) const fn of(name: &'static str) -> Self {
        Self {
            name,
            label: "",
            hint: "",
            none: "",
            show: None,
            note: None,
            list: None,
        }
    }

    pub(crate) const fn label(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    pub(crate) const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    pub(crate) const fn none(self, none: &'static str) -> Self {
        Self { none, ..self }
    }

    pub(crate) const fn show(self, show: Show) -> Self {
        let show = Some(show);
        Self { show, ..self }
    }

    pub(crate) const fn note(self, words: &'static str, name: &'static str) -> Self {
        let note = Some((words, name));
        Self { note, ..self }
    }

    pub(crate) const fn link(self, list: &'static str) -> Self {
        let list = Some(list);
        Self { list, ..self }
    }
}

/// A member of a schema to show, with what its declaration adds.
#[derive(Debug)]
pub(super) struct Shows<'s> {
    pub(super) name: &'s str,
    member: Option<Member>,
    schema: &'s Value,
}

/// The members to show: the declared ones, or all of the schema. By default, IDs come first and times last.
pub(super) fn shows<'s>(declared: &'s [Member], schema: &'s Value) -> Vec<Shows<'s>> {
    let properties = &schema["properties"];
    if !declared.is_empty() {
        let declared = declared.iter().map(|member| Shows {
            name: member.name,
            member: Some(*member),
            schema: &properties[member.name],
        });
        return declared.collect();
    }
    let all = properties.as_object().into_iter().flatten();
    let all = all.filter(|(_, schema)| !matches!(schema::kind(schema, 0), Kind::Group(_)));
    let mut all: Vec<_> = all
        .map(|(name, schema)| Shows {
            name,
            member: None,
            schema,
        })
        .collect();
    all.sort_by_key(|one| (is_time(one.schema), !is_id(one.name)));
    all
}

/// A value as a page shows it.
#[derive(Debug, Serialize)]
pub(super) struct Cell {
    pub(super) label: String,
    hint: &'static str,
    /// `text`, `list`, `time`, `number`, `states`, `id` or `none`.
    kind: &'static str,
    text: String,
    items: Vec<String>,
    /// Items of a list that a table doesn't show.
    more: usize,
    note: Option<Note>,
    path: Option<String>,
}

#[derive(Debug, Serialize)]
struct Note {
    words: &'static str,
    text: String,
}

impl Shows<'_> {
    /// Whether there is anything to show for a resource.
    pub(super) fn says(&self, one: &Value) -> bool {
        let shows = |member: Member| !member.none.is_empty() || member.show.is_some();
        !one[self.name].is_null() || self.member.is_some_and(shows)
    }

    pub(super) fn cell(&self, one: &Value, now: Timestamp) -> Cell {
        let member = self.member.unwrap_or(Member::of(""));
        let value = &one[self.name];
        let mut cell = Cell {
            label: match member.label {
                "" => label(self.name),
                label => label.to_owned(),
            },
            hint: member.hint,
            kind: "text",
            text: plain(value),
            items: Vec::new(),
            more: 0,
            note: None,
            path: None,
        };
        if let Some(show) = member.show {
            match show(one, now) {
                Shown::Text(text) => cell.text = text,
                Shown::States(names) => (cell.kind, cell.items) = ("states", names),
            }
        } else if let Value::Array(items) = value {
            cell.kind = "list";
            cell.items = items.iter().map(plain).collect();
            cell.more = items.len().saturating_sub(SHOWN);
        } else if is_time(self.schema) {
            cell.kind = "time";
        } else if is_id(self.name) {
            cell.kind = "id";
        } else if value.is_number() {
            cell.kind = "number";
        }
        cell.note = member.note.and_then(|(words, name)| {
            let text = plain(&one[name]);
            (!text.is_empty() && text != cell.text).then_some(Note { words, text })
        });
        if cell.text.is_empty() && cell.items.is_empty() {
            cell.kind = "none";
            cell.text = match member.none {
                "" => String::from("—"),
                none => none.to_owned(),
            };
        } else if let Some(list) = member.list {
            cell.path = Some(format!("{list}/{}", segment(&cell.text)));
        }
        cell
    }
}

/// Whether values of this schema are times.
pub(super) fn is_time(schema: &Value) -> bool {
    matches!(schema::kind(schema, 0), Kind::Formatted("date-time"))
}

pub(super) fn is_id(name: &str) -> bool {
    name == "id" || name.ends_with("_id")
}

/// A value in one line.
fn plain(value: &Value) -> String {
    match value {
        Value::Null | Value::Object(_) => String::new(),
        Value::Bool(yes) => String::from(if *yes { "yes" } else { "no" }),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), count),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
    }
}

/// A text. Empty if it's something else.
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The name of a member as a label: `last_used_at` is `Last used`.
pub(super) fn label(name: &str) -> String {
    let name = match name {
        "updated_at" => "changed",
        name => name.strip_suffix("_at").unwrap_or(name),
    };
    let words = name.split('_').map(|word| match word {
        "id" => "ID",
        "url" => "URL",
        word => word,
    });
    capitalized(&words.collect::<Vec<_>>().join(" "))
}

/// A text in which members in braces are replaced by their values. `{name|email}` is the first one that has a value.
pub(super) fn fill(pattern: &str, from: &[&Value]) -> String {
    let mut filled = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        let (names, after) = after.split_once('}').unwrap_or((after, ""));
        let values = names
            .split('|')
            .flat_map(|name| from.iter().map(move |one| text(&one[name])));
        filled += before;
        filled += &values
            .into_iter()
            .find(|text| !text.is_empty())
            .unwrap_or_default();
        rest = after;
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_label_follows_from_the_name() {
        for (name, expected) in [
            ("last_used_at", "Last used"),
            ("member_id", "Member ID"),
            ("url", "URL"),
            ("updated_at", "Changed"),
        ] {
            assert_eq!(label(name), expected);
        }
    }

    #[test]
    fn members_in_braces_are_filled_in() {
        let one = json!({ "name": "", "email": "a@example.com" });
        for (pattern, filled) in [
            ("Delete {name|email}?", "Delete a@example.com?"),
            ("{none}", ""),
            ("plain", "plain"),
        ] {
            assert_eq!(fill(pattern, &[&one]), filled);
        }
    }

    #[test]
    fn how_a_value_is_shown_follows_from_its_schema() {
        let schema = json!({ "properties": {
            "at": { "type": "string", "format": "date-time" },
            "note_id": { "type": "string" },
            "many": { "type": ["integer", "null"] },
            "text": { "type": "string" },
            "words": { "type": "array", "items": { "type": "string" } },
        } });
        let one = json!({
            "at": "2026-11-22T02:05:00Z", "note_id": "note_1", "many": 1000, "words": ["a", "b", "c"],
        });
        let cells = shows(&[], &schema).into_iter().map(|shows| {
            let cell = shows.cell(&one, Timestamp::UNIX_EPOCH);
            (cell.label, cell.kind, cell.text, cell.more)
        });
        let expected = [
            ("Note ID", "id", "note_1", 0),
            ("Many", "number", "1,000", 0),
            ("Text", "none", "—", 0),
            ("Words", "list", "a, b, c", 1),
            ("At", "time", "2026-11-22T02:05:00Z", 0),
        ];
        for ((label, kind, text, more), expected) in cells.zip(expected) {
            assert_eq!((&*label, kind, &*text, more), expected);
        }
    }
}
