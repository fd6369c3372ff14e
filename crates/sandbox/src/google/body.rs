//! Strict reading of bodies: what Google refuses before a method looks at it.

use serde_json::{Map, Value};

use super::ApiError;

/// An object within a body, and its path, such as `spreadsheet.properties`.
#[derive(Debug)]
pub(crate) struct Body<'a> {
    members: &'a Map<String, Value>,
    at: String,
}

impl<'a> Body<'a> {
    /// An object whose members all have names from the product's description.
    pub(crate) fn new(
        members: &'a Map<String, Value>,
        at: impl Into<String>,
        known: &[&str],
    ) -> Result<Self, ApiError> {
        let at = at.into();
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(Self { members, at }),
            Some(name) => Err(ApiError::unbound(
                &at,
                format!(
                    "Invalid JSON payload received. Unknown name \"{name}\" at '{at}': Cannot find field."
                ),
            )),
        }
    }

    /// Refuses members that the sandbox does not support, unless they say nothing.
    pub(crate) fn unsupported(&self, names: &[&str]) -> Result<(), ApiError> {
        let says = |name: &&&str| {
            self.members
                .get(**name)
                .is_some_and(|value| !value.is_null())
        };
        match names.iter().find(says) {
            None => Ok(()),
            Some(name) => Err(ApiError::unimplemented(format!(
                "The sandbox does not support {}.{name}.",
                self.at
            ))),
        }
    }

    /// A member that is an object.
    pub(crate) fn object(&self, name: &str, known: &[&str]) -> Result<Option<Self>, ApiError> {
        let at = format!("{}.{name}", self.at);
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(members)) => Self::new(members, at, known).map(Some),
            Some(other) => Err(self.wrong(name, "TYPE_MESSAGE", other)),
        }
    }

    /// The objects of a member that is a list; none where it is absent.
    pub(crate) fn objects(&self, name: &str, known: &[&str]) -> Result<Vec<Self>, ApiError> {
        let items = match self.members.get(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(self.wrong(name, "TYPE_LIST", other)),
        };
        items
            .iter()
            .enumerate()
            .map(|(index, item)| match item {
                Value::Object(members) => {
                    Self::new(members, format!("{}.{name}[{index}]", self.at), known)
                }
                other => Err(self.wrong(&format!("{name}[{index}]"), "TYPE_MESSAGE", other)),
            })
            .collect()
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, ApiError> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(name, "TYPE_STRING", other)),
        }
    }

    /// A member that is a list of texts.
    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, ApiError> {
        let items = match self.members.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(self.wrong(name, "TYPE_LIST", other)),
        };
        let read = items.iter().enumerate().map(|(index, item)| match item {
            Value::String(text) => Ok(text.clone()),
            other => Err(self.wrong(&format!("{name}[{index}]"), "TYPE_STRING", other)),
        });
        read.collect::<Result<_, _>>().map(Some)
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, ApiError> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(value)) => Ok(Some(*value)),
            Some(other) => Err(self.wrong(name, "TYPE_BOOL", other)),
        }
    }

    pub(crate) fn float(&self, name: &str) -> Result<Option<f64>, ApiError> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "TYPE_DOUBLE", value)),
            },
        }
    }

    /// A whole number of 32 bits.
    pub(crate) fn integer(&self, name: &str) -> Result<Option<i32>, ApiError> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_i64().and_then(|number| i32::try_from(number).ok()) {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong(name, "TYPE_INT32", value)),
            },
        }
    }

    /// A number of rows or columns: not below `least`.
    pub(crate) fn count(&self, name: &str, least: u32) -> Result<Option<u32>, ApiError> {
        let Some(number) = self.integer(name)? else {
            return Ok(None);
        };
        match u32::try_from(number).ok().filter(|number| *number >= least) {
            Some(number) => Ok(Some(number)),
            None => Err(ApiError::invalid(format!(
                "Invalid value at '{}.{name}': {number} is too small",
                self.at
            ))),
        }
    }

    /// These members as they are, where they are given.
    pub(crate) fn kept(&self, names: &[&str]) -> Map<String, Value> {
        let given = names.iter().filter_map(|name| {
            let value = self.members.get(*name).filter(|value| !value.is_null())?;
            Some(((*name).to_owned(), value.clone()))
        });
        given.collect()
    }

    fn wrong(&self, name: &str, kind: &str, value: &Value) -> ApiError {
        let field = format!("{}.{name}", self.at);
        let message = format!("Invalid value at '{field}' ({kind}), {value}");
        ApiError::unbound(&field, message)
    }
}
