//! A vendor's description of one API, independent of the description's format.

mod google;
mod method;
mod openapi;
mod template;

use std::{cell::RefCell, collections::HashMap, fs, path::Path, rc::Rc};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::schema::{Compiled, Reading, resolved};
pub(crate) use method::{Mask, Method, Parameter, Place, ResponseSchema};
pub(crate) use template::Template;

/// One version of one API.
pub(crate) struct Description {
    /// The name in reports: title and version.
    pub(crate) name: String,
    /// The methods that can be checked.
    pub(crate) methods: Vec<Method>,
    /// The document that references in schemas point into.
    root: Value,
    compiled: RefCell<HashMap<String, Rc<Compiled>>>,
}

impl Description {
    /// Reads a discovery document (Google API Discovery Service, "RestDescription") or an OpenAPI description, in JSON
    /// or YAML.
    ///
    /// # Errors
    /// If the file can't be read, or is neither.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("cannot read the description {}", path.display()))?;
        let document: Value = if path.extension().is_some_and(|ending| ending == "yaml") {
            serde_saphyr::from_str(&text)?
        } else {
            serde_json::from_str(&text)?
        };
        Self::of(document).with_context(|| format!("cannot read {}", path.display()))
    }

    /// Reads a parsed document.
    ///
    /// # Errors
    /// If it's neither a discovery document nor an OpenAPI description.
    pub(crate) fn of(document: Value) -> Result<Self> {
        let (name, methods, root) = if document.get("discoveryVersion").is_some() {
            google::read(document)?
        } else if document.get("openapi").is_some() {
            openapi::read(document)?
        } else {
            bail!("it is neither a discovery document nor an OpenAPI description");
        };
        Ok(Self {
            name,
            methods,
            root,
            compiled: RefCell::default(),
        })
    }

    /// Compiles a schema of this description to check values. `method` is the ID of the method that uses it.
    ///
    /// # Errors
    /// If it isn't a schema, or contains a reference to nothing.
    pub(crate) fn compile(
        &self,
        schema: &Value,
        method: &str,
        reading: Reading,
    ) -> Result<Rc<Compiled>> {
        let key = format!("{reading:?} {method} {schema}");
        if let Some(known) = self.compiled.borrow().get(&key) {
            return Ok(Rc::clone(known));
        }
        let compiled = Compiled::new(&self.root, schema, method, reading)
            .with_context(|| format!("{}, {method}", self.name))?;
        let compiled = Rc::new(compiled);
        self.compiled.borrow_mut().insert(key, Rc::clone(&compiled));
        Ok(compiled)
    }

    /// Follows the references of a schema to the end.
    pub(crate) fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        resolved(&self.root, schema)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn other_documents_are_refused() {
        let error = Description::of(json!({"swagger": "2.0"})).err().unwrap();
        assert!(error.to_string().contains("neither"));
    }
}
