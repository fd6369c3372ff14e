//! The `fields` parameter for partial responses.
//!
//! The grammar (Google APIs, "Partial response"): items are separated by commas. `a/b` (or `a.b`) selects a field of a
//! field, `a(b,c)` selects several, and `*` means every name.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{errors::ApiError, schema::SCHEMAS};

/// A parsed mask: the selected names, each with its own selection. An empty selection means everything.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection(BTreeMap<String, Self>);

impl Selection {
    /// Parses a mask, and checks its names against the response's schema.
    pub(crate) fn parse(mask: &str, schema: &str) -> Result<Self, ApiError> {
        // Google's own samples have a blank after a comma.
        let plain = mask.replace(", ", ",");
        let mut reader = Reader { rest: &plain };
        let selection = reader
            .list()
            .filter(|_| reader.rest.is_empty())
            .ok_or_else(|| ApiError::bad_selection(mask))?;
        selection.check(Some(schema))?;
        Ok(selection)
    }

    /// Keeps only what's selected.
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
                // Omit a field if nothing in it is selected.
                let empty = !within.0.is_empty() && value.as_object().is_some_and(Map::is_empty);
                (!empty).then_some((name, value))
            })
            .collect()
    }

    fn check(&self, schema: Option<&str>) -> Result<(), ApiError> {
        if schema == Some("*") {
            return Ok(());
        }
        let known = schema.and_then(|schema| SCHEMAS.get(schema));
        for (name, within) in &self.0 {
            if name == "*" {
                // Each field below a star has its own schema.
                let mut below = known.into_iter().flat_map(BTreeMap::values);
                if within.0.is_empty() || below.any(|schema| within.check(schema.below).is_ok()) {
                    continue;
                }
                return Err(ApiError::bad_selection(name));
            }
            match known.and_then(|known| known.get(name.as_str())) {
                Some(schema) => within.check(schema.below)?,
                None => return Err(ApiError::bad_selection(name)),
            }
        }
        Ok(())
    }

    /// Adds a selection. A name that is selected as a whole stays whole.
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

    fn cut(mask: &str) -> Option<Value> {
        let value = json!({
            "partId": "",
            "parts": [{"partId": "0", "body": {"size": 1}}, {"partId": "1"}],
        });
        Some(Selection::parse(mask, "MessagePart").ok()?.cut(value))
    }

    #[test]
    fn every_schema_that_is_named_exists() {
        for name in SCHEMAS
            .values()
            .flat_map(BTreeMap::values)
            .filter_map(|field| field.below)
        {
            assert!(name == "*" || SCHEMAS.contains_key(name), "{name}");
        }
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
        assert_eq!(
            cut("partId, parts(body, partId)"),
            cut("partId,parts(body,partId)")
        );
        assert!(cut("partId, parts(body, partId)").is_some());
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
