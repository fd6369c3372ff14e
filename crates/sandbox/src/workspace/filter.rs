//! Filters of queries (Notion API, "Filter data source entries").

use std::cmp::Ordering;

use jiff::{Span, Timestamp, ToSpan as _, civil::Date, tz::TimeZone};
use serde_json::{Value, json};

use super::{
    content::{Page, Source},
    errors::ApiError,
    ids,
    reader::{Reader, list, wrong_type},
    rich_text,
};

/// How many levels groups can have.
const LEVELS: usize = 2;

/// Operators by kind of condition.
const TEXT: &[&str] = &[
    "equals",
    "does_not_equal",
    "contains",
    "does_not_contain",
    "starts_with",
    "ends_with",
    "is_empty",
    "is_not_empty",
];
const NUMBER: &[&str] = &[
    "equals",
    "does_not_equal",
    "greater_than",
    "less_than",
    "greater_than_or_equal_to",
    "less_than_or_equal_to",
    "is_empty",
    "is_not_empty",
];
const CHECKBOX: &[&str] = &["equals", "does_not_equal"];
const OPTION: &[&str] = &["equals", "does_not_equal", "is_empty", "is_not_empty"];
const SEVERAL: &[&str] = &["contains", "does_not_contain", "is_empty", "is_not_empty"];
const DATE: &[&str] = &[
    "equals",
    "before",
    "after",
    "on_or_before",
    "on_or_after",
    "this_week",
    "past_week",
    "past_month",
    "past_year",
    "next_week",
    "next_month",
    "next_year",
    "is_empty",
    "is_not_empty",
];
const EXISTENCE: &[&str] = &["is_empty", "is_not_empty"];

/// Kinds of columns, each with its operators. The sandbox has no columns of the last five kinds.
const KINDS: [(&str, &[&str]); 22] = [
    ("title", TEXT),
    ("rich_text", TEXT),
    ("url", TEXT),
    ("email", TEXT),
    ("phone_number", TEXT),
    ("number", NUMBER),
    ("checkbox", CHECKBOX),
    ("select", OPTION),
    ("status", OPTION),
    ("multi_select", SEVERAL),
    ("date", DATE),
    ("created_time", DATE),
    ("last_edited_time", DATE),
    ("people", SEVERAL),
    ("created_by", SEVERAL),
    ("last_edited_by", SEVERAL),
    ("files", EXISTENCE),
    ("relation", SEVERAL),
    ("formula", &[]),
    ("rollup", &[]),
    ("unique_id", NUMBER),
    ("verification", &[]),
];

/// A parsed filter.
#[derive(Debug)]
pub(crate) enum Filter {
    All(Vec<Self>),
    Any(Vec<Self>),
    One(Condition),
}

/// A comparison with a column or with a time of the page.
#[derive(Debug)]
pub(crate) struct Condition {
    kind: &'static str,
    /// The plain ID of the column. Empty for a time of the page.
    column: String,
    operator: &'static str,
    operand: Value,
}

impl Filter {
    /// Parses a filter for a data source's rows.
    pub(crate) fn read(value: &Value, path: &str, source: &Source) -> Result<Self, ApiError> {
        Self::level(value, path, source, 0)
    }

    /// Whether a row matches.
    pub(crate) fn holds(&self, row: &Page, now: Timestamp) -> bool {
        match self {
            Self::All(filters) => filters.iter().all(|filter| filter.holds(row, now)),
            Self::Any(filters) => filters.iter().any(|filter| filter.holds(row, now)),
            Self::One(condition) => condition.holds(row, now),
        }
    }

    fn level(value: &Value, path: &str, source: &Source, level: usize) -> Result<Self, ApiError> {
        let group = ["and", "or"]
            .into_iter()
            .find(|name| value.get(name).is_some());
        let Some(name) = group.filter(|_| level < LEVELS) else {
            return Condition::read(value, path, source).map(Self::One);
        };
        let group = Reader::new(value, path, &[name])?;
        let path = group.path(name);
        let items = list(group.required(name)?, &path, 100)?.iter().enumerate();
        let filters = items
            .map(|(index, item)| Self::level(item, &format!("{path}[{index}]"), source, level + 1))
            .collect::<Result<_, _>>()?;
        Ok(match name {
            "and" => Self::All(filters),
            _ => Self::Any(filters),
        })
    }
}

impl Condition {
    fn read(value: &Value, path: &str, source: &Source) -> Result<Self, ApiError> {
        let kinds = KINDS.iter().map(|(kind, _)| *kind);
        let known: Vec<&str> = kinds
            .clone()
            .chain(["property", "timestamp", "type"])
            .collect();
        let reader = Reader::new(value, path, &known)?;
        let missing = |name: &str| ApiError::at(name, "defined, instead was `undefined`");
        let given: Vec<&str> = kinds.filter(|kind| reader.get(kind).is_some()).collect();
        let [kind] = given.as_slice() else {
            return Err(missing(&reader.path("title")));
        };
        let timestamp = reader.one_of("timestamp", &["created_time", "last_edited_time"])?;
        let column = match (reader.text("property")?, timestamp) {
            (Some(key), None) => {
                let unknown = format!("Could not find property with name or id: {key}");
                let column = source
                    .column(key)
                    .ok_or_else(|| ApiError::invalid(unknown))?;
                if column.kind != *kind {
                    let message = format!(
                        "database property {} does not match filter {kind}",
                        column.kind
                    );
                    return Err(ApiError::invalid(message));
                }
                column.id.clone()
            }
            (None, Some(timestamp)) if timestamp == *kind => String::new(),
            (None, Some(timestamp)) => return Err(missing(&reader.path(timestamp))),
            (None, None) => return Err(missing(&reader.path("property"))),
            (Some(_), Some(_)) => {
                return Err(ApiError::at(&reader.path("timestamp"), "not present"));
            }
        };
        let (kind, operators) = KINDS
            .iter()
            .find(|(known, _)| known == kind)
            .copied()
            .unwrap_or_default();
        let test = Reader::new(reader.required(kind)?, reader.path(kind), operators)?;
        let mut given = operators
            .iter()
            .filter_map(|name| Some((*name, test.get(name)?)));
        let (Some((operator, operand)), None) = (given.next(), given.next()) else {
            return Err(missing(&test.path(operators.first().unwrap_or(&"equals"))));
        };
        let condition = Self {
            kind,
            column,
            operator,
            operand: operand.clone(),
        };
        condition.check(&test.path(operator))?;
        Ok(condition)
    }

    /// Checks the operand.
    fn check(&self, path: &str) -> Result<(), ApiError> {
        let operand = &self.operand;
        let wrong = |kind: &str| Err(wrong_type(path, kind, operand));
        let text = operand.as_str();
        match (self.operator, operators_of(self.kind)) {
            ("is_empty" | "is_not_empty", _) if *operand != json!(true) => wrong("`true`"),
            ("is_empty" | "is_not_empty", _) => Ok(()),
            // The first day of the week depends on the user.
            ("this_week", _) => Err(ApiError::not_played("the filter this_week")),
            (operator, DATE) if span(operator).is_some() && *operand != json!({}) => {
                wrong("an empty object")
            }
            (operator, DATE) if span(operator).is_some() => Ok(()),
            (_, DATE) if text.and_then(When::read).is_none() => {
                wrong("a valid ISO 8601 date string")
            }
            (_, NUMBER) if !operand.is_number() => wrong("a number"),
            (_, CHECKBOX) if !operand.is_boolean() => wrong("a boolean"),
            (_, SEVERAL) if self.kind != "multi_select" && text.and_then(ids::read).is_none() => {
                wrong("a valid uuid")
            }
            (_, TEXT | OPTION | SEVERAL) if text.is_none() => wrong("a string"),
            _ => Ok(()),
        }
    }

    fn holds(&self, row: &Page, now: Timestamp) -> bool {
        let value = row.values.get(&self.column).unwrap_or(&Value::Null);
        match operators_of(self.kind) {
            DATE => self.holds_when(When::of(self.kind, value, row), now),
            NUMBER => self.holds_number(value.as_f64()),
            CHECKBOX => {
                let equal = value.as_bool().unwrap_or_default() == self.operand;
                equal == (self.operator == "equals")
            }
            SEVERAL | EXISTENCE => self.holds_several(value, row),
            _ => self.holds_text(&text(value)),
        }
    }

    fn holds_text(&self, text: &str) -> bool {
        let operand = self.operand.as_str().unwrap_or_default();
        match self.operator {
            "equals" => text == operand,
            "does_not_equal" => text != operand,
            "contains" => text.contains(operand),
            "does_not_contain" => !text.contains(operand),
            "starts_with" => text.starts_with(operand),
            "ends_with" => text.ends_with(operand),
            "is_empty" => text.is_empty(),
            _ => !text.is_empty(),
        }
    }

    fn holds_number(&self, number: Option<f64>) -> bool {
        let operand = self.operand.as_f64().unwrap_or_default();
        let order = number.map(|number| number.total_cmp(&operand));
        match self.operator {
            "equals" => order == Some(Ordering::Equal),
            "does_not_equal" => order != Some(Ordering::Equal),
            "greater_than" => order == Some(Ordering::Greater),
            "less_than" => order == Some(Ordering::Less),
            "greater_than_or_equal_to" => order.is_some_and(Ordering::is_ge),
            "less_than_or_equal_to" => order.is_some_and(Ordering::is_le),
            "is_empty" => order.is_none(),
            _ => order.is_some(),
        }
    }

    /// Compares options by name, and people by ID.
    fn holds_several(&self, value: &Value, row: &Page) -> bool {
        let author = json!([{ "id": row.origin.author }]);
        let (value, member) = match self.kind {
            "created_by" | "last_edited_by" => (&author, "id"),
            "multi_select" => (value, "name"),
            _ => (value, "id"),
        };
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        let operand = self.operand.as_str().map(str::to_owned);
        let operand = match member {
            "id" => operand.as_deref().and_then(ids::read),
            _ => operand,
        };
        let contains = items
            .iter()
            .any(|item| item[member].as_str() == operand.as_deref());
        match self.operator {
            "contains" => contains,
            "does_not_contain" => !contains,
            "is_empty" => items.is_empty(),
            _ => !items.is_empty(),
        }
    }

    fn holds_when(&self, when: Option<When>, now: Timestamp) -> bool {
        match (self.operator, when) {
            ("is_empty", when) => when.is_none(),
            ("is_not_empty", when) => when.is_some(),
            (_, None) => false,
            (operator, Some(when)) => match span(operator) {
                Some(span) => {
                    let today = When::At(now).day();
                    let other = today.checked_add(span).unwrap_or(today);
                    (today.min(other)..=today.max(other)).contains(&when.day())
                }
                None => {
                    let operand = self.operand.as_str().and_then(When::read);
                    let order = operand.map(|operand| when.order(operand));
                    match operator {
                        "equals" => order == Some(Ordering::Equal),
                        "before" => order == Some(Ordering::Less),
                        "after" => order == Some(Ordering::Greater),
                        "on_or_before" => order.is_some_and(Ordering::is_le),
                        _ => order.is_some_and(Ordering::is_ge),
                    }
                }
            },
        }
    }
}

fn operators_of(kind: &str) -> &'static [&'static str] {
    let known = KINDS.iter().find(|(known, _)| *known == kind);
    known.map_or(&[], |(_, operators)| operators)
}

/// How far an operator reaches from today.
fn span(operator: &str) -> Option<Span> {
    Some(match operator {
        "past_week" => -1.week(),
        "past_month" => -1.month(),
        "past_year" => -1.year(),
        "next_week" => 1.week(),
        "next_month" => 1.month(),
        "next_year" => 1.year(),
        _ => return None,
    })
}

/// A value as a text: the rich text, the name of an option, or the text itself.
fn text(value: &Value) -> String {
    match value {
        Value::Array(_) => rich_text::plain(value),
        Value::String(text) => text.clone(),
        other => other["name"].as_str().unwrap_or_default().to_owned(),
    }
}

/// A date, or a time.
#[derive(Debug, Clone, Copy)]
enum When {
    On(Date),
    At(Timestamp),
}

impl When {
    fn read(text: &str) -> Option<Self> {
        let moment = || text.parse().ok().map(Self::At);
        match text.len() {
            10 => text.parse().ok().map(Self::On),
            _ => moment(),
        }
    }

    /// The time of a page, or the start of a date.
    fn of(kind: &str, value: &Value, row: &Page) -> Option<Self> {
        match kind {
            "created_time" => Some(Self::At(row.origin.created)),
            "last_edited_time" => Some(Self::At(row.origin.edited)),
            _ => Self::read(value["start"].as_str()?),
        }
    }

    fn day(self) -> Date {
        match self {
            Self::On(date) => date,
            Self::At(moment) => moment.to_zoned(TimeZone::UTC).date(),
        }
    }

    /// Two times are compared exactly. If one is a date, only the days are compared.
    fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::At(one), Self::At(other)) => one.cmp(&other),
            _ => self.day().cmp(&other.day()),
        }
    }
}
