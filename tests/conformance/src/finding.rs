//! Findings of a check, and their places.

use std::fmt;

/// A fault and its place: `query/maxResults`, `body/parent/page_id`, `response/items/0/id`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) place: String,
    pub(crate) what: String,
}

impl Finding {
    pub(crate) fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            what: what.into(),
        }
    }

    /// Whether the finding is at `place` or below it. `*` means one step.
    pub(crate) fn is_at(&self, place: &str) -> bool {
        let mut steps = self.place.split('/');
        place.split('/').all(|expected| {
            steps
                .next()
                .is_some_and(|step| expected == "*" || expected == step)
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.what)
    }
}

/// The result of a check.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Faults.
    pub(crate) findings: Vec<Finding>,
    /// Places that can't be checked, because the description doesn't say.
    pub(crate) not_checkable: Vec<Finding>,
}

impl Outcome {
    /// Adds the result of another check.
    pub(crate) fn add(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.not_checkable.extend(other.not_checkable);
    }

    /// Adds a fault.
    pub(crate) fn wrong(&mut self, place: impl Into<String>, what: impl Into<String>) {
        self.findings.push(Finding::new(place, what));
    }

    /// Adds something that can't be checked.
    pub(crate) fn open(&mut self, place: impl Into<String>, what: impl Into<String>) {
        self.not_checkable.push(Finding::new(place, what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_covers_what_is_below_it() {
        let finding = Finding::new("body/properties/Due/date", "x");
        for (place, covers) in [
            ("body", true),
            ("body/properties", true),
            ("body/properties/*/date", true),
            ("body/properties/Due/date/start", false),
            ("body/prop", false),
            ("query", false),
        ] {
            assert_eq!(finding.is_at(place), covers, "{place}");
        }
    }
}
