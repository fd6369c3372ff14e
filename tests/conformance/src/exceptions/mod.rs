//! Exceptions for incomplete descriptions. Each one names the document that allows the request.

mod list;

use std::{cell::Cell, fmt};

use super::{check::request::Request, description::Template, finding::Finding};
pub(crate) use list::EXCEPTIONS;

/// Excuses findings of a description.
#[derive(Debug)]
pub(crate) struct Exception {
    /// The file of the incomplete description.
    pub(crate) source: &'static str,
    /// The HTTP method. `None` for all methods.
    pub(crate) verb: Option<&'static str>,
    /// The path template. `None` for all paths.
    pub(crate) path: Option<&'static str>,
    /// The places of the findings, or places above them. `*` means one step.
    pub(crate) places: &'static [&'static str],
    /// Words that the finding contains. `None` for all findings.
    pub(crate) saying: Option<&'static str>,
    /// The name of the fixture's case. `None` for all cases and the sandbox.
    pub(crate) case: Option<&'static str>,
    /// The check that replaces the excused one.
    pub(crate) instead: Instead,
    /// The document that allows it, and what that document says.
    pub(crate) because: &'static str,
}

/// The check that replaces an excused finding.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Instead {
    /// No check.
    Nothing,
    /// The description in this file, for the same method and place.
    Description(&'static str),
    /// For a body: the schema at this pointer in the description of this file.
    Schema(&'static str, &'static str),
}

impl Exception {
    /// An exception for all methods of a description, without another check.
    pub(crate) const fn new(
        source: &'static str,
        places: &'static [&'static str],
        because: &'static str,
    ) -> Self {
        Self {
            source,
            verb: None,
            path: None,
            places,
            saying: None,
            case: None,
            instead: Instead::Nothing,
            because,
        }
    }

    /// Limits the exception to one method.
    pub(crate) const fn of(mut self, verb: &'static str, path: &'static str) -> Self {
        self.verb = Some(verb);
        self.path = Some(path);
        self
    }

    /// Sets the check that replaces the excused one.
    pub(crate) const fn instead(mut self, instead: Instead) -> Self {
        self.instead = instead;
        self
    }

    /// The place that excuses a finding. `None` if this exception doesn't excuse it.
    fn place(
        &self,
        source: &str,
        case: &str,
        request: &Request,
        finding: &Finding,
    ) -> Option<&'static str> {
        let matches_path = |path: &str| {
            Template::parse(path, false).is_ok_and(|path| path.fit(request.path()).is_some())
        };
        let matches = self.source == source
            && self.verb.is_none_or(|verb| verb == request.verb)
            && self.path.is_none_or(matches_path)
            && self.case.is_none_or(|expected| expected == case)
            && self.saying.is_none_or(|words| finding.what.contains(words));
        let mut places = self.places.iter().copied();
        places.find(|place| matches && finding.is_at(place))
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let method = [self.verb, self.path].map(|word| word.unwrap_or_default());
        write!(
            formatter,
            "{} {} {}: {}",
            self.source,
            method.join(" "),
            self.places.join(", "),
            self.because
        )
    }
}

/// The exceptions, with a mark on each one that was needed.
pub(crate) struct Exceptions {
    list: &'static [Exception],
    needed: Vec<Cell<bool>>,
}

impl Exceptions {
    pub(crate) fn new(list: &'static [Exception]) -> Self {
        Self {
            list,
            needed: list.iter().map(|_| Cell::new(false)).collect(),
        }
    }

    /// Finds the exception for a finding about a request, and the place that excuses it. `source` is the description.
    pub(crate) fn find(
        &self,
        source: &str,
        case: &str,
        request: &Request,
        finding: &Finding,
    ) -> Option<(&'static Exception, &'static str)> {
        let mut list = self.list.iter().enumerate();
        let (position, found) = list.find_map(|(position, exception)| {
            let place = exception.place(source, case, request, finding)?;
            Some((position, (exception, place)))
        })?;
        if let Some(needed) = self.needed.get(position) {
            needed.set(true);
        }
        Some(found)
    }

    /// The exceptions that were needed.
    pub(crate) fn needed(&self) -> impl Iterator<Item = &'static Exception> {
        self.list
            .iter()
            .zip(&self.needed)
            .filter(|(_, needed)| needed.get())
            .map(|(exception, _)| exception)
    }

    /// The exceptions that weren't needed, although their descriptions were used.
    pub(crate) fn unused<'a>(
        &'a self,
        used: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = &'static Exception> + 'a {
        self.list
            .iter()
            .zip(&self.needed)
            .filter(move |(exception, needed)| !needed.get() && used(exception.source))
            .map(|(exception, _)| exception)
    }
}
