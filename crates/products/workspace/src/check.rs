//! Gathering what is wrong with an input, so that a caller sees all of it at once.

use stead_core::{Error, Result, error::Violation};

/// Violations listed at most: enough to see what is wrong, few enough to read.
const MOST: usize = 20;

/// The violations of one input.
#[derive(Debug, Default)]
pub(crate) struct Check(Vec<Violation>);

impl Check {
    /// Notes a violation at a JSON pointer.
    pub(crate) fn refuse(&mut self, path: &str, keyword: &str, message: impl Into<String>) {
        if self.0.len() < MOST {
            self.0.push(Violation::new(path, keyword, message));
        }
    }

    /// Notes the violations of a part that was read by itself.
    pub(crate) fn part<T>(&mut self, read: Result<T>) {
        if let Err(error) = read {
            self.0.extend_from_slice(error.violation_list());
        }
    }

    /// Nothing where all is well.
    pub(crate) fn end(self) -> Result<()> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Error::violations(self.0))
        }
    }
}

/// A member's name as a step of a JSON pointer (RFC 6901, section 3).
pub(crate) fn step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
