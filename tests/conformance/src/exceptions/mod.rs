//! Where a description says less than its product does. Each exception names the document that allows what is sent.

mod list;

use std::{cell::Cell, fmt};

use super::{check::request::Request, description::Template, finding::Finding};
pub(crate) use list::EXCEPTIONS;

/// A place that is excused.
#[derive(Debug)]
pub(crate) struct Exception {
    /// File of the description that falls short.
    pub(crate) source: &'static str,
    /// HTTP method; nothing for all.
    pub(crate) verb: Option<&'static str>,
    /// Path template; nothing for all.
    pub(crate) path: Option<&'static str>,
    /// Which findings: their places, or places above them; `*` stands for one step.
    pub(crate) places: &'static [&'static str],
    /// Words of the finding; nothing for all.
    pub(crate) saying: Option<&'static str>,
    /// Name of the one case that it is for; nothing for all, and for the sandbox.
    pub(crate) case: Option<&'static str>,
    /// What holds for the place instead.
    pub(crate) instead: Instead,
    /// The document that allows it, and what it says.
    pub(crate) because: &'static str,
}

/// What holds for an excused place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Instead {
    /// Nothing more.
    Nothing,
    /// What the description in this file says of the same place of the same method.
    Description(&'static str),
    /// For a body: the schema at a pointer into the description in this file.
    Schema(&'static str, &'static str),
}

impl Exception {
    /// For every method of a description, with nothing instead.
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

    /// For one method.
    pub(crate) const fn of(mut self, verb: &'static str, path: &'static str) -> Self {
        self.verb = Some(verb);
        self.path = Some(path);
        self
    }

    /// With something that holds instead.
    pub(crate) const fn instead(mut self, instead: Instead) -> Self {
        self.instead = instead;
        self
    }

    /// The place that excuses a finding.
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

/// The list, with a mark at each exception that was needed.
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

    /// The exception for a finding at a request that is validated by the description in `source`, and its place.
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

    /// Those that were needed.
    pub(crate) fn needed(&self) -> impl Iterator<Item = &'static Exception> {
        self.list
            .iter()
            .zip(&self.needed)
            .filter(|(_, needed)| needed.get())
            .map(|(exception, _)| exception)
    }

    /// Those that were not needed, of descriptions that were used.
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
