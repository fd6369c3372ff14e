//! What was checked and what was found, product by product.

use std::fmt;

use super::{check::Outcome, judge::Verdict};

/// Counts and violations of one product.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) product: String,
    pub(crate) tools: usize,
    pub(crate) requests: usize,
    /// Answers in fixtures.
    pub(crate) fixture_answers: usize,
    /// Answers of the sandbox.
    pub(crate) sandbox_answers: usize,
    pub(crate) not_checkable: usize,
    pub(crate) exceptions: usize,
    pub(crate) violations: Vec<String>,
    /// Methods that tools use and of which no answer of the sandbox was seen.
    pub(crate) unseen: Vec<String>,
}

impl Tally {
    pub(crate) fn of(product: &str) -> Self {
        Self {
            product: product.to_owned(),
            ..Self::default()
        }
    }

    /// Counts a verdict on what `where_from` names.
    pub(crate) fn count(&mut self, where_from: &str, verdict: &Verdict<'_>) {
        self.exceptions += verdict.excused;
        self.count_outcome(where_from, &verdict.outcome);
    }

    fn count_outcome(&mut self, where_from: &str, outcome: &Outcome) {
        self.not_checkable += outcome.not_checkable.len();
        for finding in &outcome.findings {
            self.violation(where_from, finding);
        }
    }

    /// Notes something wrong, once.
    pub(crate) fn violation(&mut self, where_from: &str, what: impl fmt::Display) {
        let line = format!("{where_from}: {what}");
        if !self.violations.contains(&line) {
            self.violations.push(line);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.requests == 0 {
            return write!(formatter, "{:<10} no fixtures yet", self.product);
        }
        write!(
            formatter,
            "{:<10} {:>2} tools, {:>4} requests, {:>4} answers of fixtures, {:>3} of the sandbox, \
             {:>4} not checkable, {:>3} exceptions, {} violations",
            self.product,
            self.tools,
            self.requests,
            self.fixture_answers,
            self.sandbox_answers,
            self.not_checkable,
            self.exceptions,
            self.violations.len()
        )
    }
}
