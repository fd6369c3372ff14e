//! The engine of regular resources. It lists, reads, creates, changes and deletes JSON objects. Lists have pages.
//!
//! The API's description declares bodies and scopes, and a [`Collection`] declares the rest. If a method is special, write
//! a function and name it in the API's `plays`.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    errors::{ApiError, ErrorShape},
    method::Call,
    schema::{Members as _, merge},
};
use crate::{google::State, shared};

pub(crate) type Item = Map<String, Value>;

/// Checks and completes an item before it's stored. It gets all stored items, the new item (`None` if it's deleted), and
/// the item as it was.
pub(crate) type Check = fn(&[Item], Option<&mut Item>, Option<&Item>) -> Result<(), ApiError>;

/// A resource.
#[derive(Debug)]
pub(crate) struct Collection {
    /// The beginning of its methods' IDs, without the API's name: `users.labels`.
    pub(crate) id: &'static str,
    /// The member of the list that holds the items.
    pub(crate) items: &'static str,
    /// The member that holds an item's ID.
    pub(crate) key: &'static str,
    /// The source of the items. It also refuses a caller who can't see them.
    pub(crate) store: Store,
    /// Members that a new item must have.
    pub(crate) required: &'static [&'static str],
    /// Makes the ID of a new item.
    pub(crate) new_id: fn(&mut State) -> String,
    pub(crate) check: Check,
    /// Adds members that only `get` returns.
    pub(crate) more: fn(&State, &Call, &mut Item),
}

/// The source of a collection's items.
#[derive(Debug)]
pub(crate) enum Store {
    /// Computed from other data, so they can't be changed.
    Made(fn(&State, &Call) -> Result<Vec<Item>, ApiError>),
    Kept(for<'s> fn(&'s mut State<'_>, &Call) -> Result<&'s mut Vec<Item>, ApiError>),
}

/// The action of a regular method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    List,
    Get,
    Create,
    Patch,
    Update,
    Delete,
}

impl Collection {
    /// A collection without rules of its own.
    pub(crate) const PLAIN: Self = Self {
        id: "",
        items: "items",
        key: "id",
        store: Store::Made(|_, _| Ok(Vec::new())),
        required: &[],
        new_id: |state| state.ids.fresh("item", 12),
        check: |_, _, _| Ok(()),
        more: |_, _, _| {},
    };

    /// The action of a method, if this collection plays it.
    pub(crate) fn verb(&self, id: &str) -> Option<Verb> {
        let verb = match id.strip_prefix(self.id)?.strip_prefix('.')? {
            "list" => Verb::List,
            "get" => Verb::Get,
            "create" | "insert" => Verb::Create,
            "patch" => Verb::Patch,
            "update" => Verb::Update,
            "delete" => Verb::Delete,
            _ => return None,
        };
        let reads = matches!(verb, Verb::List | Verb::Get);
        (reads || matches!(self.store, Store::Kept(_))).then_some(verb)
    }

    /// Runs a method.
    pub(crate) fn run(
        &self,
        state: &mut State,
        call: &Call,
        verb: Verb,
    ) -> Result<Value, ApiError> {
        match verb {
            Verb::List => self.list(call, self.read(state, call)?),
            Verb::Get => {
                let items = self.read(state, call)?;
                let mut item = items[self.find(call, &items)?].clone();
                (self.more)(state, call, &mut item);
                Ok(Value::Object(item))
            }
            Verb::Create => self.create(state, call),
            Verb::Patch | Verb::Update => self.change(state, call, verb),
            Verb::Delete => {
                let items = self.kept(state, call)?;
                let index = self.find(call, items)?;
                (self.check)(items, None, items.get(index))?;
                items.remove(index);
                Ok(Value::Null)
            }
        }
    }

    fn list(&self, call: &Call, items: Vec<Item>) -> Result<Value, ApiError> {
        if !call
            .method
            .parameters
            .iter()
            .any(|one| one.name == "pageToken")
        {
            return Ok(json!({ self.items: items }));
        }
        let size = size(call, "maxResults", 100, 500)?;
        let page = page(call, items, size, &[])?;
        let mut response = json!({ self.items: page.items });
        if let Some(next) = page.next {
            response["nextPageToken"] = json!(next);
        }
        Ok(response)
    }

    fn create(&self, state: &mut State, call: &Call) -> Result<Value, ApiError> {
        let mut item = call.body.clone();
        item.retain(|_, value| !value.is_null());
        if let Some(name) = self
            .required
            .iter()
            .find(|name| item.get(**name).is_none_or(|value| value == ""))
        {
            let message = format!("Missing required field: {name}");
            return Err(ApiError::of(400, "required", message));
        }
        let id = (self.new_id)(state);
        item.entry(self.key).or_insert(json!(id));
        let items = self.kept(state, call)?;
        (self.check)(items, Some(&mut item), None)?;
        items.push(item.clone());
        Ok(Value::Object(item))
    }

    /// PATCH merges. PUT replaces everything except the ID and members that the check restores.
    fn change(&self, state: &mut State, call: &Call, verb: Verb) -> Result<Value, ApiError> {
        let items = self.kept(state, call)?;
        let index = self.find(call, items)?;
        let before = items[index].clone();
        let mut item = match verb {
            Verb::Patch => before.clone(),
            _ => before
                .clone()
                .into_iter()
                .filter(|(name, _)| name == self.key)
                .collect(),
        };
        merge(&mut item, call.body.clone());
        (self.check)(items, Some(&mut item), Some(&before))?;
        items[index] = item.clone();
        Ok(Value::Object(item))
    }

    fn read(&self, state: &mut State, call: &Call) -> Result<Vec<Item>, ApiError> {
        match self.store {
            Store::Made(items) => items(state, call),
            Store::Kept(items) => Ok(items(state, call)?.clone()),
        }
    }

    fn kept<'s>(
        &self,
        state: &'s mut State<'_>,
        call: &Call,
    ) -> Result<&'s mut Vec<Item>, ApiError> {
        match self.store {
            Store::Kept(items) => items(state, call),
            Store::Made(_) => Err(ApiError::not_played(call.method.id)),
        }
    }

    /// Finds the item that the last variable of the path names. Returns its index.
    fn find(&self, call: &Call, items: &[Item]) -> Result<usize, ApiError> {
        let id = call.path.last().map_or("", String::as_str);
        let found = items
            .iter()
            .position(|item| item.text(self.key) == Some(id));
        found.ok_or_else(|| call.not_found())
    }
}

/// Parameters that may change between pages.
const CHANGEABLE: [&str; 3] = ["pageToken", "fields", "prettyPrint"];

/// A part of a list.
#[derive(Debug)]
pub(crate) struct Page<Item> {
    pub(crate) items: Vec<Item>,
    pub(crate) next: Option<String>,
    pub(crate) total: usize,
}

/// The page of `all` that the call asks for.
///
/// A page token is valid for the same method, user and parameters, except those in `free`. People says that all
/// parameters must match (people.connections.list, `pageToken`). Gmail doesn't say, and its page size can change.
pub(crate) fn page<Item>(
    call: &Call,
    all: Vec<Item>,
    size: usize,
    free: &[&str],
) -> Result<Page<Item>, ApiError> {
    let total = all.len();
    let binding = binding(call, free);
    let start = match call.text("pageToken") {
        None | Some("") => 0,
        Some(token) => start(token, &binding).ok_or_else(|| {
            ApiError::invalid(
                "Request contains an invalid argument: page token is not valid for this request.",
            )
        })?,
    };
    let items: Vec<Item> = all.into_iter().skip(start).take(size).collect();
    let end = start + items.len();
    let next = (end < total).then(|| shared::seal("page", &format!("{end}|{binding}")));
    Ok(Page { items, next, total })
}

fn start(token: &str, binding: &str) -> Option<usize> {
    let text = shared::open("page", token)?;
    let (start, bound) = text.split_once('|')?;
    (bound == binding).then(|| start.parse().ok())?
}

/// A digest of the method, the user and the parameters.
fn binding(call: &Call, free: &[&str]) -> String {
    let mut pairs: Vec<(&str, &str)> = call
        .query
        .iter()
        .filter(|(name, _)| !CHANGEABLE.contains(name) && !free.contains(name))
        .collect();
    pairs.sort_unstable();
    let mut digest = Sha256::new();
    for text in [call.method.id, call.user.as_str()]
        .into_iter()
        .chain(pairs.into_iter().flat_map(|(name, value)| [name, value]))
    {
        digest.update(text.as_bytes());
        digest.update([0]);
    }
    let digest = digest.finalize();
    shared::hex(&digest[..8])
}

/// The page size: the parameter, or `default`. Gmail refuses a size above `most`; the other APIs reduce it to `most`.
pub(crate) fn size(
    call: &Call,
    parameter: &str,
    default: i64,
    most: i64,
) -> Result<usize, ApiError> {
    let asked = call.number(parameter).unwrap_or(default);
    let is_gmail = call.api.name == "gmail";
    if asked < 1 || (is_gmail && asked > most) {
        return Err(match call.api.errors {
            ErrorShape::Older => ApiError::of(
                400,
                "invalidParameter",
                format!("Invalid value '{asked}'. Values must be within the range: [1, {most}]"),
            ),
            _ if is_gmail => ApiError::invalid(format!(
                "Invalid value for {parameter}: {asked}. It must be between 1 and {most}."
            )),
            _ => ApiError::invalid_value(parameter),
        });
    }
    Ok(usize::try_from(asked.min(most)).unwrap_or_default())
}
