//! Names in the history of calls: each tool, connection, user, outcome, application and path has one row with a number,
//! and calls refer to it. An erasure replaces a user's name in that one row.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use foldhash::{HashMap, HashSet};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Found, Listed, Records, integer, text};
use crate::{
    Result,
    domain::{Execution, Extra},
    identifier::AccountId,
    store::{Batch, Index, Key, List, Record, Rewritten, Table, Value, Versioned},
};

/// Stead renews `used_at` once a day while calls use the name.
pub(super) static CALL_NAME: Table = Table {
    name: "call_name",
    columns: &[
        integer("number"),
        integer("kind"),
        text("text"),
        text("detail"),
        integer("used_at"),
    ],
    key: Index::unique(&["number"]),
    indexes: &[NAMES_BY_TEXT, NAMES_BY_DETAIL, NAMES_BY_USE],
    sealed: false,
};
const NAMES_BY_TEXT: Index = Index::of(&["kind", "text", "detail"]);
const NAMES_BY_DETAIL: Index = Index::of(&["kind", "detail", "number"]);
pub(super) const NAMES_BY_USE: Index = Index::of(&["used_at"]);

/// How precisely `used_at` says when a name was last used.
pub(crate) const NAME_USE: SignedDuration = SignedDuration::from_hours(24);
/// Maximum number of names in memory.
const MOST_KNOWN: usize = 20_000;
/// Names that are read together.
const READ: usize = 500;
/// Maximum number of names that a filter can match.
const MOST_MATCHES: u32 = 5_000;

/// The kind of a name. Its number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum NameKind {
    /// `detail` is 1 if calls can change something, or otherwise 0, and the version.
    Tool = 1,
    Connection = 2,
    /// `detail` is the account's ID if there is one, a slash and the connection's name.
    User = 3,
    Outcome = 4,
    /// The application; `detail` is the ID of its account token, if one was used.
    Actor = 5,
    Path = 6,
}

impl NameKind {
    const ALL: [Self; 6] = [
        Self::Tool,
        Self::Connection,
        Self::User,
        Self::Outcome,
        Self::Actor,
        Self::Path,
    ];

    fn value(self) -> Value {
        Value::Integer(self as i64)
    }
}

/// A name that calls use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name {
    kind: i64,
    text: String,
    detail: String,
}

impl Name {
    fn new(kind: NameKind, text: &str, detail: impl Into<String>) -> Self {
        let (kind, text) = (kind as i64, text.to_owned());
        let detail = detail.into();
        Self { kind, text, detail }
    }

    /// The names of a call, in the order of the columns of its row.
    pub(super) fn all_of(call: &Execution) -> [Option<Self>; 6] {
        let changes = if call.changes { '1' } else { '0' };
        let account = call.account_id.map(|id| id.to_string());
        let account = account.unwrap_or_default();
        let user = format!("{account}/{}", call.connection_name);
        let actor = call.actor.as_deref().map(|actor| {
            let (application, token) = actor.split_once('/').unwrap_or((actor, ""));
            Self::new(NameKind::Actor, application, token)
        });
        let path = call.path.as_deref();
        [
            Some(Self::new(
                NameKind::Tool,
                &call.tool,
                format!("{changes}{}", call.tool_version),
            )),
            Some(Self::new(NameKind::Connection, &call.connection_name, "")),
            Some(Self::new(NameKind::User, &call.identifier, user)),
            Some(Self::new(NameKind::Outcome, &call.outcome, "")),
            actor,
            path.map(|path| Self::new(NameKind::Path, path, "")),
        ]
    }
}

/// Lists that find these names.
fn lists(names: &BTreeSet<Name>) -> Vec<List> {
    let mut lists = Vec::new();
    for kind in NameKind::ALL {
        // An application has a name for each of its tokens and sessions, so those are found by the detail.
        for by_detail in [false, true] {
            let values: BTreeSet<&str> = names
                .iter()
                .filter(|name| name.kind == kind as i64)
                .filter(|name| by_detail == (kind == NameKind::Actor && !name.detail.is_empty()))
                .map(|name| match by_detail {
                    true => name.detail.as_str(),
                    false => name.text.as_str(),
                })
                .collect();
            let values: Vec<Value> = values.into_iter().map(Value::text).collect();
            for values in values.chunks(READ) {
                let list = match by_detail {
                    true => List::new(&CALL_NAME, NAMES_BY_DETAIL).only("detail", values.to_vec()),
                    false if kind == NameKind::Actor => List::new(&CALL_NAME, NAMES_BY_TEXT)
                        .only("text", values.to_vec())
                        .only("detail", vec![Value::text("")]),
                    false => List::new(&CALL_NAME, NAMES_BY_TEXT).only("text", values.to_vec()),
                };
                lists.push(list.prefix([kind.value()]));
            }
        }
    }
    lists
}

/// A name's row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallName {
    number: i64,
    kind: i64,
    pub(crate) text: String,
    pub(crate) detail: String,
    used_at: Timestamp,
    /// When the first call with this name started.
    pub(crate) first_at: Timestamp,
    #[serde(flatten)]
    extra: Extra,
}

impl CallName {
    fn name(&self) -> Name {
        let (kind, text, detail) = (self.kind, self.text.clone(), self.detail.clone());
        Name { kind, text, detail }
    }

    fn number(&self) -> Number {
        Number {
            number: self.number,
            used_at: self.used_at,
            first_at: self.first_at,
        }
    }

    /// Position in a list of users.
    pub(crate) fn place(&self) -> (String, i64) {
        (self.detail.clone(), self.number)
    }
}

impl Rewritten for CallName {}
impl Record for CallName {
    const TABLE: &'static Table = &CALL_NAME;
    fn extra(&mut self) -> Option<&mut Extra> {
        Some(&mut self.extra)
    }
    fn values(&self) -> Vec<Value> {
        vec![
            Value::Integer(self.number),
            Value::Integer(self.kind),
            Value::text(&self.text),
            Value::text(&self.detail),
            Value::moment(self.used_at),
        ]
    }
}

/// A name's number, when it was last used, and when its first call started.
#[derive(Debug, Clone, Copy)]
struct Number {
    number: i64,
    used_at: Timestamp,
    first_at: Timestamp,
}

impl Number {
    /// Whether the row is still right for a call that started at `first_at`.
    fn is_current(&self, first_at: Timestamp, now: Timestamp) -> bool {
        now.duration_since(self.used_at) < NAME_USE && self.first_at <= first_at
    }
}

/// Numbers of names that this process has used recently. After an erasure, other processes may use the number of a
/// replaced name for up to a day.
#[derive(Debug, Default)]
pub(crate) struct KnownNames(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    names: HashMap<Name, Number>,
    /// How often the names were dropped.
    cleared: u64,
}

impl KnownNames {
    fn with<T>(&self, work: impl FnOnce(&mut Known) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Drops all names, because rows may have changed.
    pub(crate) fn clear(&self) {
        self.with(|known| {
            known.names.clear();
            known.cleared += 1;
        });
    }

    /// Adds names, unless names were dropped after these were read.
    pub(super) fn add(&self, read: Numbers) {
        self.with(|known| {
            if known.cleared != read.cleared {
                return;
            }
            if known.names.len() + read.names.len() > MOST_KNOWN {
                known.names.clear();
            }
            known.names.extend(read.names);
        });
    }
}

/// The numbers of the names of some calls.
#[derive(Default)]
pub(super) struct Numbers {
    names: HashMap<Name, Number>,
    cleared: u64,
}

impl Numbers {
    /// The number of a name, or 0.
    pub(super) fn of(&self, name: Option<&Name>) -> i64 {
        let found = name.and_then(|name| self.names.get(name));
        found.map_or(0, |found| found.number)
    }
}

impl Records {
    /// The numbers of names, given when the first call with each of them started. Adds new names to the batch, and
    /// those that were used again after a day.
    pub(super) async fn numbers(
        &self,
        known: &KnownNames,
        names: &HashMap<Name, Timestamp>,
        now: Timestamp,
        mut batch: Batch,
    ) -> Result<(Numbers, Batch)> {
        let mut numbers = Numbers::default();
        let mut unknown = BTreeSet::new();
        known.with(|known| {
            numbers.cleared = known.cleared;
            for (name, first_at) in names {
                match known.names.get(name) {
                    Some(number) if number.is_current(*first_at, now) => {
                        numbers.names.insert(name.clone(), *number);
                    }
                    _ => drop(unknown.insert(name.clone())),
                }
            }
        });
        for list in lists(&unknown) {
            for Versioned {
                mut row, version, ..
            } in self.list::<CallName>(list).await?
            {
                let name = row.name();
                if !unknown.remove(&name) {
                    continue;
                }
                let first_at = names.get(&name).copied().unwrap_or(now);
                let mut number = row.number();
                if !number.is_current(first_at, now) {
                    row.used_at = now;
                    row.first_at = row.first_at.min(first_at);
                    number = row.number();
                    batch = batch.update(row, version);
                }
                numbers.names.insert(name, number);
            }
        }
        if unknown.is_empty() {
            return Ok((numbers, batch));
        }
        // Read from the columns, because even a row that can't be read takes its number.
        let last = List::new(&CALL_NAME, CALL_NAME.key).descending().limit(1);
        let last = self.0.list(&last).await?.pop();
        let last = match last.as_ref().map(|last| last.row.value("number")) {
            Some(Value::Integer(last)) => *last,
            _ => 0,
        };
        for (name, number) in unknown.into_iter().zip(last + 1..) {
            let row = CallName {
                number,
                kind: name.kind,
                text: name.text.clone(),
                detail: name.detail.clone(),
                used_at: now,
                first_at: names.get(&name).copied().unwrap_or(now),
                extra: Extra::default(),
            };
            numbers.names.insert(name, row.number());
            batch = batch.insert(row);
        }
        Ok((numbers, batch))
    }

    /// The names with these numbers.
    pub(super) async fn names(&self, numbers: HashSet<i64>) -> Result<HashMap<i64, CallName>> {
        let numbers: Vec<Value> = numbers.into_iter().map(Value::Integer).collect();
        let mut names = HashMap::default();
        for numbers in numbers.chunks(READ) {
            let list = List::new(&CALL_NAME, CALL_NAME.key).only("number", numbers.to_vec());
            let found = self.list::<CallName>(list).await?;
            names.extend(found.into_iter().map(|found| (found.row.number, found.row)));
        }
        Ok(names)
    }

    /// Numbers of the names with this text and detail.
    pub(super) async fn matches(
        &self,
        kind: NameKind,
        text: Option<&str>,
        detail: Option<&str>,
    ) -> Result<Vec<Value>> {
        let (index, first) = match detail {
            Some(detail) => (NAMES_BY_DETAIL, detail),
            None => (NAMES_BY_TEXT, text.unwrap_or_default()),
        };
        // Details of applications begin with a time, so the last ones are the newest.
        let list = List::new(&CALL_NAME, index)
            .prefix([kind.value(), Value::text(first)])
            .descending()
            .limit(MOST_MATCHES);
        let found = self.list::<CallName>(list).await?;
        let numbers = found
            .into_iter()
            .filter(|found| text.is_none_or(|text| found.row.text == text))
            .map(|found| Value::Integer(found.row.number));
        Ok(numbers.collect())
    }

    /// A name as it is stored now.
    pub(crate) async fn user(&self, name: &CallName) -> Found<CallName> {
        let key = Key::new(&CALL_NAME, vec![Value::Integer(name.number)]);
        self.get(key).await
    }

    /// The names of a user with this account.
    pub(crate) async fn users_with_account(
        &self,
        account: AccountId,
        after: Option<(String, i64)>,
        limit: u32,
    ) -> Listed<CallName> {
        // A slash follows the account, and `0` follows the slash.
        let first = (format!("{account}/"), i64::MIN);
        let (detail, number) = after.unwrap_or(first);
        let list = List::new(&CALL_NAME, NAMES_BY_DETAIL)
            .prefix([NameKind::User.value()])
            .after(Some(vec![Value::Text(detail), Value::Integer(number)]))
            .below(Value::text(format_args!("{account}0")));
        self.list(list.limit(limit)).await
    }

    /// The names of users without an account at a connection.
    pub(crate) async fn users_without_account(
        &self,
        connection: &str,
        after: Option<i64>,
        limit: u32,
    ) -> Listed<CallName> {
        let detail = Value::text(format_args!("/{connection}"));
        let list = List::new(&CALL_NAME, NAMES_BY_DETAIL)
            .prefix([NameKind::User.value(), detail])
            .after(after.map(|number| vec![Value::Integer(number)]));
        self.list(list.limit(limit)).await
    }
}
