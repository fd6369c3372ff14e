//! The `fields` parameter: partial responses.
//!
//! Grammar (Google APIs, "Partial response"): a comma-separated list; `a/b` (or `a.b`) goes down, `a(b,c)`
//! selects within, `*` stands for every name.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::errors::ApiError;

/// The fields that a response may have. Lists are transparent: a list of messages has the shape of a message.
#[derive(Debug)]
pub(crate) enum Shape {
    /// A value without fields.
    Leaf,
    /// Fields that are not checked further down.
    Open,
    /// These fields and no others.
    Fields(&'static [(&'static str, &'static Self)]),
}

/// A parsed mask: names with what is selected within; nothing within means all.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection(BTreeMap<String, Self>);

impl Selection {
    /// Reads a mask and checks its names against the response's shape.
    pub(crate) fn parse(mask: &str, shape: &Shape) -> Result<Self, ApiError> {
        let mut reader = Reader { rest: mask };
        let selection = reader
            .list()
            .filter(|_| reader.rest.is_empty())
            .ok_or_else(|| ApiError::bad_selection(mask))?;
        selection.check(shape)?;
        Ok(selection)
    }

    /// Leaves only what is selected.
    pub(crate) fn cut(&self, value: Value) -> Value {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Value::Array(items) => items.into_iter().map(|item| self.cut(item)).collect(),
            Value::Object(fields) => Value::Object(self.cut_fields(fields)),
            other => other,
        }
    }

    fn cut_fields(&self, fields: Map<String, Value>) -> Map<String, Value> {
        let every = self.0.get("*");
        fields
            .into_iter()
            .filter_map(|(name, value)| {
                let within = self.0.get(&name).or(every)?;
                let value = within.cut(value);
                // A field of which nothing is left is left out.
                let empty = !within.0.is_empty() && value.as_object().is_some_and(Map::is_empty);
                (!empty).then_some((name, value))
            })
            .collect()
    }

    fn check(&self, shape: &Shape) -> Result<(), ApiError> {
        let known = match shape {
            Shape::Open => return Ok(()),
            Shape::Leaf => &[][..],
            Shape::Fields(known) => known,
        };
        for (name, within) in &self.0 {
            if name == "*" {
                // Below a star each field has its own shape.
                let is_valid = |(_, shape): &(&str, &Shape)| within.check(shape).is_ok();
                if within.0.is_empty() || known.iter().any(is_valid) {
                    continue;
                }
                return Err(ApiError::bad_selection(name));
            }
            match known.iter().find(|(field, _)| field == name) {
                Some((_, shape)) => within.check(shape)?,
                None => return Err(ApiError::bad_selection(name)),
            }
        }
        Ok(())
    }

    /// Joins two masks; a name that is selected whole stays whole.
    fn add(&mut self, name: String, within: Self) {
        match self.0.get_mut(&name) {
            None => {
                self.0.insert(name, within);
            }
            Some(present) if present.0.is_empty() || within.0.is_empty() => present.0.clear(),
            Some(present) => {
                for (name, within) in within.0 {
                    present.add(name, within);
                }
            }
        }
    }
}

struct Reader<'mask> {
    rest: &'mask str,
}

impl Reader<'_> {
    fn list(&mut self) -> Option<Selection> {
        let mut selection = Selection::default();
        loop {
            let (name, within) = self.item()?;
            selection.add(name, within);
            if !self.take(',') {
                return Some(selection);
            }
        }
    }

    fn item(&mut self) -> Option<(String, Selection)> {
        let name = self.name()?;
        let mut within = Selection::default();
        if self.take('/') || self.take('.') {
            let (below, deeper) = self.item()?;
            within.add(below, deeper);
        } else if self.take('(') {
            within = self.list()?;
            if !self.take(')') {
                return None;
            }
        }
        Some((name, within))
    }

    fn name(&mut self) -> Option<String> {
        if self.take('*') {
            return Some("*".to_owned());
        }
        let end = self
            .rest
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!name.is_empty()).then(|| name.to_owned())
    }

    fn take(&mut self, letter: char) -> bool {
        match self.rest.strip_prefix(letter) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    static PART: Shape = Shape::Fields(&[
        ("partId", &Shape::Leaf),
        ("body", &Shape::Fields(&[("size", &Shape::Leaf)])),
        ("parts", &PART),
    ]);

    fn cut(mask: &str) -> Option<Value> {
        let value = json!({
            "partId": "",
            "parts": [{"partId": "0", "body": {"size": 1}}, {"partId": "1"}],
        });
        Some(Selection::parse(mask, &PART).ok()?.cut(value))
    }

    #[test]
    fn masks_select() {
        assert_eq!(cut("partId"), Some(json!({"partId": ""})));
        let sizes = json!({"parts": [{"body": {"size": 1}}, {}]});
        assert_eq!(cut("parts/body/size"), Some(sizes.clone()));
        assert_eq!(cut("parts.body.size"), Some(sizes.clone()));
        assert_eq!(cut("parts(body(size))"), Some(sizes));
        assert_eq!(cut("body/size,parts/partId,parts"), cut("parts"));
        assert_eq!(
            cut("*/partId"),
            Some(json!({"partId": "", "parts": [{"partId": "0"}, {"partId": "1"}]}))
        );
        assert_eq!(cut("*"), cut("partId,body,parts"));
        assert_eq!(cut("parts/parts/parts"), Some(json!({"parts": [{}, {}]})));
    }

    #[test]
    fn bad_masks_are_refused() {
        for mask in [
            "",
            ",",
            "a",
            "partId,",
            "parts(",
            "parts()",
            "parts)",
            "parts/",
            "partId/size",
            "parts (partId)",
            "*/unknown",
        ] {
            assert_eq!(cut(mask), None, "{mask}");
        }
    }
}
