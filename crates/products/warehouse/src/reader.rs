//! Reads a tool's parameters and reports all faults together.

use stead_core::{
    Result,
    error::{Violation, Violations},
};

use crate::sql::{self, Name, Unusable};

/// Reads a tool's parameters, and collects all faults.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    violations: Violations,
}

impl Reader {
    /// A name. If the text isn't a name, the result is empty, and [`Reader::end`] returns the fault.
    pub(crate) fn name(&mut self, parameter: &str, text: &str) -> Name {
        self.usable(parameter, Name::read(text))
    }

    /// A name, if there is one.
    pub(crate) fn optional_name(&mut self, parameter: &str, text: &Option<String>) -> Option<Name> {
        text.as_ref().map(|text| self.name(parameter, text))
    }

    /// A name that is required because of another parameter's value, which `because` names.
    pub(crate) fn needed_name(
        &mut self,
        parameter: &str,
        text: &Option<String>,
        because: &str,
    ) -> Name {
        match text {
            Some(text) => self.name(parameter, text),
            None => {
                self.refuse(
                    parameter,
                    "required",
                    format!("{parameter:?} is required with {because}"),
                );
                Name::default()
            }
        }
    }

    /// A string constant, if there is a text.
    pub(crate) fn optional_literal(
        &mut self,
        parameter: &str,
        text: &Option<String>,
    ) -> Option<String> {
        let text = text.as_ref()?;
        Some(self.usable(parameter, sql::literal(text)))
    }

    /// A text for a bind variable, if there is one.
    pub(crate) fn optional_text(
        &mut self,
        parameter: &str,
        text: &Option<String>,
    ) -> Option<String> {
        let text = text.as_ref()?;
        let usable = if text.contains('\0') {
            Err("a text can't contain NUL characters")
        } else {
            Ok(text.clone())
        };
        Some(self.usable(parameter, usable))
    }

    /// An id in the product's form: 8-4-4-4-12 hexadecimal digits, of any UUID version.
    pub(crate) fn id(&mut self, parameter: &str, text: &str) {
        if !is_id(text) {
            let message = "expected hexadecimal digits in groups of 8-4-4-4-12";
            self.refuse(parameter, "format", message);
        }
    }

    /// An id, if there is one.
    pub(crate) fn optional_id(&mut self, parameter: &str, text: &Option<String>) {
        text.iter().for_each(|text| self.id(parameter, text));
    }

    /// Refuses a parameter that can't be used with another parameter's value.
    pub(crate) fn unused(&mut self, parameter: &str, given: bool, because: &str) {
        if given {
            self.refuse(
                parameter,
                "unused",
                format!("{parameter:?} can't be used with {because}"),
            );
        }
    }

    /// Refuses a parameter.
    pub(crate) fn refuse(&mut self, parameter: &str, keyword: &str, message: impl Into<String>) {
        self.refuse_at(&[parameter], keyword, message);
    }

    /// Refuses a value at this path.
    pub(crate) fn refuse_at(&mut self, steps: &[&str], keyword: &str, message: impl Into<String>) {
        self.violations.push(Violation::at(steps, keyword, message));
    }

    /// Returns the faults, if there are any.
    pub(crate) fn end(self) -> Result<()> {
        self.violations.finish()
    }

    fn usable<T: Default>(&mut self, parameter: &str, read: Result<T, Unusable>) -> T {
        read.unwrap_or_else(|message| {
            self.refuse(parameter, "format", message);
            T::default()
        })
    }
}

fn is_id(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups
            .iter()
            .all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_its_groups() {
        assert!(is_id("01b2c3d4-0000-0a1b-0000-0001000200ff"));
        for other in [
            "",
            "01b2c3d400000a1b00000001000200ff",
            "01b2c3d4-0000-0a1b-0000-0001000200fg",
            "01b2c3d4-0000-0a1b-0000-0001000200ff-",
            "../../../../../../../../../../../..",
        ] {
            assert!(!is_id(other), "{other}");
        }
    }

    #[test]
    fn every_fault_is_reported() {
        let mut reader = Reader::default();
        reader.name("database", "");
        reader.optional_text("like", &Some(String::from("\0")));
        reader.unused("user_name", true, "grant_view \"to_role\"");
        let error = reader.end().unwrap_err();
        let places: Vec<&str> = error
            .violation_list()
            .iter()
            .map(|one| one.path.as_str())
            .collect();
        assert_eq!(places, ["/database", "/like", "/user_name"]);
    }
}
