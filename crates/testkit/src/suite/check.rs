//! A check, and the faults that it reports.

use std::fmt;

use stead_core::catalogue::CatalogueTool;

use super::Subject;
use crate::fixture::Case;

/// One thing that the suite proves.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Check {
    /// Name, a sentence in snake_case.
    pub name: &'static str,
    pub(super) of: Of,
}

/// The unit that a check runs on: the whole product, each tool, or each case.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of {
    Product(fn(&Subject, &mut Faults)),
    Tool(fn(&Subject, &CatalogueTool, &mut Faults)),
    Case(fn(&Subject, &CatalogueTool, &Case, &mut Faults)),
}

impl Check {
    /// Returns the faults, each with its tool and case.
    pub fn run(&self, subject: &Subject) -> Vec<String> {
        let mut faults = Faults::default();
        match self.of {
            Of::Product(check) => check(subject, &mut faults),
            Of::Tool(check) => subject.tools().for_each(|tool| {
                faults.place = tool.entry().name().to_owned();
                check(subject, tool, &mut faults);
            }),
            Of::Case(check) => subject.cases().for_each(|(tool, case)| {
                faults.place = format!("{}, {:?}", tool.entry().name(), case.name);
                check(subject, tool, case, &mut faults);
            }),
        }
        faults.found
    }
}

/// The faults that a check found.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// The tool and the case that's being checked.
    place: String,
    found: Vec<String>,
}

impl Faults {
    pub(super) fn add(&mut self, fault: impl fmt::Display) {
        self.at("", fault);
    }

    /// Adds a fault of a part of the tool, such as `/input/limit`.
    pub(super) fn at(&mut self, path: &str, fault: impl fmt::Display) {
        let place = format!("{}{path}", self.place);
        let colon = if place.is_empty() { "" } else { ": " };
        self.found.push(format!("{place}{colon}{fault}"));
    }

    pub(super) fn extend<F: fmt::Display>(&mut self, faults: impl IntoIterator<Item = F>) {
        faults.into_iter().for_each(|fault| self.add(fault));
    }
}
