//! The result of a scenario.

use std::{fmt::Display, time::Duration};

use serde_json::{Value, json};

/// Facts and violations of one scenario.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) name: &'static str,
    facts: Vec<(String, String)>,
    violations: Vec<String>,
    /// Why the scenario can't run on this machine.
    pub(crate) left_out: Option<&'static str>,
    pub(crate) took: Duration,
    pub(crate) what: &'static str,
}

impl Report {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    pub(crate) fn fact(&mut self, name: impl Into<String>, value: impl Display) {
        self.facts.push((name.into(), value.to_string()));
    }

    /// Reports how long starts took.
    pub(crate) fn times(&mut self, mut times: Vec<Duration>) {
        times.sort_unstable();
        if let (Some(median), Some(longest)) = (times.get(times.len() / 2), times.last()) {
            self.fact(
                "ready again after, median and longest",
                format!("{} ms, {} ms", median.as_millis(), longest.as_millis()),
            );
        }
    }

    pub(crate) fn violation(&mut self, text: impl Into<String>) {
        self.violations.push(text.into());
    }

    /// Reports an error as a violation.
    pub(crate) fn expect<T>(&mut self, what: &str, result: anyhow::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.violation(format!("{what}: {error:#}"));
                None
            }
        }
    }

    /// Reports a violation unless the condition holds.
    pub(crate) fn holds(&mut self, condition: bool, otherwise: impl Display) {
        if !condition {
            self.violation(otherwise.to_string());
        }
    }

    /// Whether there are no violations.
    pub(crate) fn passes(&self) -> bool {
        self.violations.is_empty()
    }

    /// The result in the table.
    pub(crate) fn result(&self) -> &'static str {
        match (&self.left_out, self.violations.is_empty()) {
            (Some(_), _) => "left out",
            (None, true) => "ok",
            (None, false) => "BROKEN",
        }
    }

    /// The whole report, for people.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{}: {}, {:.1} s ({})",
            self.name,
            self.result(),
            self.took.as_secs_f64(),
            self.what
        )];
        let facts = self.facts.iter();
        lines.extend(facts.map(|(name, value)| format!("    {name}: {value}")));
        lines.extend(
            self.left_out
                .iter()
                .map(|why| format!("    left out: {why}")),
        );
        let shown = self.violations.iter().take(12);
        lines.extend(shown.map(|violation| format!("    ! {violation}")));
        if self.violations.len() > 12 {
            lines.push(format!("    ! and {} more", self.violations.len() - 12));
        }
        lines
    }

    pub(crate) fn json(&self) -> Value {
        let facts: serde_json::Map<String, Value> = self
            .facts
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        json!({
            "scenario": self.name,
            "result": self.result(),
            "seconds": self.took.as_secs_f64(),
            "facts": facts,
            "violations": self.violations,
            "left_out": self.left_out,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_counts() {
        let mut report = Report::new("one");
        assert!(report.passes());
        report.violation("something is lost");
        assert!(!report.passes());
        assert_eq!(report.result(), "BROKEN");
    }
}
