//! Violations of an input's rules, located by JSON pointers (RFC 6901).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Error, Result};

/// One place where an input doesn't match its schema.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Violation {
    /// JSON pointer into the input. Empty for the whole input.
    pub path: String,
    /// The schema's keyword that the input violates, such as `required` or `maximum`.
    pub keyword: String,
    /// One sentence.
    pub message: String,
}

impl Violation {
    /// A violation at a JSON pointer.
    pub fn new(
        path: impl Into<String>,
        keyword: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            keyword: keyword.into(),
            message: message.into(),
        }
    }
    /// A violation at the member with this path. Segments aren't escaped yet.
    pub fn at<S: AsRef<str>>(
        segments: &[S],
        keyword: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let mut path = String::new();
        for segment in segments {
            push_segment(&mut path, segment.as_ref());
        }
        Self::new(path, keyword, message)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = match self.path.as_str() {
            "" => "input",
            path => path,
        };
        write!(f, "{path}: {}", self.message)
    }
}

/// Adds one step to a JSON pointer (RFC 6901, section 3).
pub fn push_segment(pointer: &mut String, segment: &str) {
    pointer.push('/');
    for character in segment.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Collects the violations of an input, so a caller sees all of them together.
#[derive(Debug, Default)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// Maximum number of violations in an error.
    const LISTED: usize = 20;

    /// Adds a violation.
    pub fn push(&mut self, violation: Violation) {
        if self.0.len() < Self::LISTED {
            self.0.push(violation);
        }
    }
    /// Adds a violation at a JSON pointer.
    pub fn add(&mut self, path: &str, keyword: &str, message: impl Into<String>) {
        self.push(Violation::new(path, keyword, message));
    }
    /// The value, or `None` after adding the error's violations.
    pub fn read<T>(&mut self, read: Result<T>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(error) => {
                for violation in error.violation_list() {
                    self.push(violation.clone());
                }
                None
            }
        }
    }
    /// Whether there are no violations.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The violations.
    pub fn into_list(self) -> Vec<Violation> {
        self.0
    }
    /// # Errors
    /// [`ErrorKind::SchemaViolation`](super::ErrorKind::SchemaViolation) with all violations.
    pub fn finish(self) -> Result<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::violations(self.0))
        }
    }
}

impl Extend<Violation> for Violations {
    fn extend<I: IntoIterator<Item = Violation>>(&mut self, violations: I) {
        violations.into_iter().for_each(|one| self.push(one));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_as_steps_of_a_pointer() {
        let segments = ["bindings", "a/b~c", "0", ""];
        assert_eq!(
            Violation::at(&segments, "type", "").path,
            "/bindings/a~1b~0c/0/"
        );
        assert_eq!(Violation::at::<&str>(&[], "type", "").path, "");
    }

    #[test]
    fn violations_are_gathered_up_to_a_number_that_can_be_read() {
        let mut violations = Violations::default();
        assert_eq!(violations.read(Ok(7)), Some(7));
        assert!(violations.is_empty());
        let part: Result<()> = Err(Error::violations(vec![Violation::new("/a", "type", "x")]));
        assert_eq!(violations.read(part), None);
        violations.extend((0..100).map(|index| Violation::at(&[index.to_string()], "type", "x")));
        let error = violations.finish().unwrap_err();
        assert_eq!(error.violation_list().len(), 20);
        assert_eq!(error.violation_list()[0].path, "/a");
    }
}
