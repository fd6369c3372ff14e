//! The results of each product.

use std::fmt;

use super::{finding::Outcome, validate::Validation};

/// A violation, and how often it occurs. Violations that differ only in their position in a list count as one.
#[derive(Debug)]
pub(crate) struct Violation {
    pub(crate) times: usize,
    line: String,
    key: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.line)?;
        match self.times {
            1 => Ok(()),
            times => write!(formatter, " (and {} more like it)", times - 1),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) product: String,
    pub(crate) tools: usize,
    pub(crate) requests: usize,
    /// How many responses in fixtures were checked.
    pub(crate) fixture_responses: usize,
    /// How many responses of the sandbox were checked.
    pub(crate) sandbox_responses: usize,
    pub(crate) not_checkable: usize,
    pub(crate) exceptions: usize,
    pub(crate) violations: Vec<Violation>,
    /// Methods that tools use, but that the sandbox never answered.
    pub(crate) unseen: Vec<String>,
}

impl Tally {
    pub(crate) fn of(product: &str) -> Self {
        Self {
            product: product.to_owned(),
            ..Self::default()
        }
    }

    /// Counts a validation. `where_from` says what was validated.
    pub(crate) fn count(&mut self, where_from: &str, validation: &Validation<'_>) {
        self.exceptions += validation.excused;
        self.count_outcome(where_from, &validation.outcome);
    }

    fn count_outcome(&mut self, where_from: &str, outcome: &Outcome) {
        self.not_checkable += outcome.not_checkable.len();
        for finding in &outcome.findings {
            self.violation(where_from, finding);
        }
    }

    /// Adds a violation.
    pub(crate) fn violation(&mut self, where_from: &str, what: impl fmt::Display) {
        let what = what.to_string();
        let line = format!("{where_from}: {what}");
        let key = format!("{where_from}: {}", without_positions(&what));
        match self.violations.iter_mut().find(|known| known.key == key) {
            Some(known) => known.times += 1,
            None => self.violations.push(Violation {
                times: 1,
                line,
                key,
            }),
        }
    }

    /// How many faults there are.
    pub(crate) fn wrong(&self) -> usize {
        self.violations
            .iter()
            .map(|violation| violation.times)
            .sum()
    }
}

/// A place with `*` for each position in a list.
fn without_positions(what: &str) -> String {
    let (place, words) = what.split_once(": ").unwrap_or((what, ""));
    let is_position =
        |step: &&str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    let steps: Vec<&str> = place
        .split('/')
        .map(|step| if is_position(&step) { "*" } else { step })
        .collect();
    format!("{}: {words}", steps.join("/"))
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.requests == 0 {
            return write!(formatter, "{:<10} no fixtures yet", self.product);
        }
        write!(
            formatter,
            "{:<10} {:>2} tools, {:>4} requests, {:>4} responses of fixtures, {:>3} of the sandbox, \
             {:>4} not checkable, {:>3} exceptions, {} violations",
            self.product,
            self.tools,
            self.requests,
            self.fixture_responses,
            self.sandbox_responses,
            self.not_checkable,
            self.exceptions,
            self.wrong()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_violations_at_other_positions_are_reported_once() {
        let mut tally = Tally::of("boxes");
        for position in 0..3 {
            tally.violation("a", format!("response/rows/{position}/x: is missing"));
        }
        tally.violation("a", "response/rows/0/y: is missing");
        let lines: Vec<String> = tally.violations.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "a: response/rows/0/x: is missing (and 2 more like it)",
                "a: response/rows/0/y: is missing"
            ]
        );
        assert_eq!(tally.wrong(), 4);
        assert!(tally.to_string().contains("no fixtures yet"));
    }
}
