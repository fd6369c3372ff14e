//! Requests and answers, judged by the right description and with the exceptions.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{
    check::{
        Finding, Outcome,
        answer::{self, GivenAnswer, GivenBody},
        request::{self, Request},
        schema::Reading,
    },
    description::{Description, Method},
    exceptions::{Exception, Exceptions, Instead},
    products::Product,
};

/// Descriptions and exceptions.
pub(crate) struct Judge {
    /// By file.
    descriptions: BTreeMap<&'static str, Description>,
    exceptions: Exceptions,
}

/// A request, and where it comes from.
pub(crate) struct Asked<'a> {
    pub(crate) product: &'a Product,
    /// Name of the origin; nothing for the product's first.
    pub(crate) origin: Option<&'a str>,
    /// Name of the fixture's case; empty for the sandbox.
    pub(crate) case: &'a str,
    pub(crate) request: &'a Request,
    /// What the tool declares; nothing where there is no tool.
    pub(crate) scopes: Option<&'a [String]>,
}

/// What was found out.
pub(crate) struct Verdict<'a> {
    pub(crate) outcome: Outcome,
    /// Exceptions that were needed.
    pub(crate) excused: usize,
    /// The method that the request is for, and the description that holds for it; nothing where there is none.
    pub(crate) held: Option<Held<'a>>,
}

/// The method of a request.
#[derive(Clone, Copy)]
pub(crate) struct Held<'a> {
    pub(crate) method: &'a Method,
    description: &'a Description,
    /// File of the description.
    source: &'static str,
}

impl Judge {
    /// Reads the descriptions of the products from `folder`.
    ///
    /// # Errors
    /// Where one is missing or cannot be understood.
    pub(crate) fn read(
        folder: &Path,
        products: &[Product],
        exceptions: &'static [Exception],
    ) -> Result<Self> {
        let mut descriptions = BTreeMap::new();
        for source in products.iter().flat_map(|product| product.sources) {
            descriptions.insert(source.file, Description::read(&folder.join(source.file))?);
        }
        Ok(Self::new(descriptions, exceptions))
    }

    pub(crate) fn new(
        descriptions: BTreeMap<&'static str, Description>,
        exceptions: &'static [Exception],
    ) -> Self {
        Self {
            descriptions,
            exceptions: Exceptions::new(exceptions),
        }
    }

    /// Judges a request.
    ///
    /// # Errors
    /// Where a description is broken.
    pub(crate) fn request(&self, asked: &Asked<'_>) -> Result<Verdict<'_>> {
        let product = asked.product;
        let request = &with_headers(product, asked.request);
        let version = product
            .version_header
            .and_then(|header| request.header(header));
        let mut verdict = Verdict {
            outcome: Outcome::default(),
            excused: 0,
            held: None,
        };
        let Some(source) = product.source(asked.origin, version) else {
            let which = version.or(asked.origin).unwrap_or_default();
            let finding = Finding::new("request", format!("{which:?} has no description"));
            verdict.outcome.findings.push(finding);
            return Ok(verdict);
        };
        let found = match self.held(source.file, request)? {
            Ok(held) => Ok(held),
            Err(finding) => match self
                .exceptions
                .find(source.file, asked.case, request, &finding)
            {
                Some((
                    Exception {
                        instead: Instead::Description(file),
                        ..
                    },
                    _,
                )) => {
                    verdict.excused += 1;
                    self.held(file, &speaking(product, request, file))?
                }
                _ => Err(finding),
            },
        };
        let held = match found {
            Ok(held) => held,
            Err(finding) => {
                verdict.outcome.findings.push(finding);
                return Ok(verdict);
            }
        };
        verdict.held = Some(held);
        let request = &speaking(product, request, held.source);
        verdict.outcome = request::check(held.description, held.method, request)?;
        if let Some(scopes) = asked.scopes {
            verdict.outcome.add(request::scopes(held.method, scopes));
        }
        let elsewhere = |held: Held<'_>| {
            let request = speaking(product, request, held.source);
            request::check(held.description, held.method, &request)
        };
        let body = request.body.as_ref();
        self.excuse(held.source, asked, body, &mut verdict, elsewhere)?;
        Ok(verdict)
    }

    /// Judges the answer to a request for which `held` was found.
    ///
    /// # Errors
    /// Where a description is broken.
    pub(crate) fn answer<'a>(
        &'a self,
        asked: &Asked<'_>,
        held: Held<'a>,
        given: &GivenAnswer<'_>,
        reading: Reading,
    ) -> Result<Verdict<'a>> {
        let mut verdict = Verdict {
            outcome: answer::check(held.description, held.method, given, reading)?,
            excused: 0,
            held: Some(held),
        };
        let elsewhere =
            |held: Held<'_>| answer::check(held.description, held.method, given, reading);
        let body = match given.body {
            GivenBody::Json(body) => Some(body),
            GivenBody::Empty | GivenBody::Other => None,
        };
        self.excuse(held.source, asked, body, &mut verdict, elsewhere)?;
        Ok(verdict)
    }

    /// Exceptions that were needed.
    pub(crate) fn needed(&self) -> impl Iterator<Item = &'static Exception> {
        self.exceptions.needed()
    }

    /// Exceptions that nothing needed, though a description of one of these products falls short by them.
    pub(crate) fn idle<'a>(
        &'a self,
        products: &'a [&Product],
    ) -> impl Iterator<Item = &'static Exception> + 'a {
        self.exceptions.idle(move |file| {
            let mut sources = products.iter().flat_map(|product| product.sources);
            sources.any(|source| source.file == file)
        })
    }

    /// Keeps the findings that no exception excuses, and adds what holds instead of those that one does.
    fn excuse(
        &self,
        source: &str,
        asked: &Asked<'_>,
        body: Option<&Value>,
        verdict: &mut Verdict<'_>,
        elsewhere: impl Fn(Held<'_>) -> Result<Outcome>,
    ) -> Result<()> {
        let mut used: Vec<&'static str> = Vec::new();
        for finding in std::mem::take(&mut verdict.outcome.findings) {
            let excused = self
                .exceptions
                .find(source, asked.case, asked.request, &finding);
            let findings = &mut verdict.outcome.findings;
            match excused {
                None => findings.push(finding),
                Some((_, place)) if used.contains(&place) => {}
                Some((exception, place)) => {
                    used.push(place);
                    verdict.excused += 1;
                    match exception.instead {
                        Instead::Nothing => {}
                        Instead::Description(file) => match self.held(file, asked.request)? {
                            Err(finding) => findings.push(finding),
                            Ok(held) => {
                                let other = elsewhere(held)?.findings.into_iter();
                                findings.extend(other.filter(|other| other.is_at(place)));
                            }
                        },
                        Instead::Schema(file, pointer) => {
                            let schema = json!({ "$ref": format!("#{pointer}") });
                            let description = self.description(file)?.1;
                            let schema = description.compile(&schema, "", Reading::Request)?;
                            for (place, value) in values_at(body, place) {
                                findings.extend(schema.findings(value, &place));
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn held(
        &self,
        file: &'static str,
        request: &Request,
    ) -> Result<std::result::Result<Held<'_>, Finding>> {
        let (source, description) = self.description(file)?;
        let found = request::method(description, request).map(|method| Held {
            method,
            description,
            source,
        });
        Ok(found)
    }

    fn description(&self, file: &str) -> Result<(&'static str, &Description)> {
        let found = self.descriptions.get_key_value(file);
        let (file, description) =
            found.with_context(|| format!("{file} is not among the descriptions"))?;
        Ok((*file, description))
    }
}

/// The request with the headers that are on every one.
fn with_headers(product: &Product, request: &Request) -> Request {
    let mut request = request.clone();
    for (name, value) in product.adds {
        if request.header(name).is_none() {
            let value = value.unwrap_or("any").to_owned();
            request.headers.push(((*name).to_owned(), value));
        }
    }
    request
}

/// The request as it would name the version of another description.
fn speaking(product: &Product, request: &Request, file: &str) -> Request {
    let mut request = request.clone();
    let source = product.sources.iter().find(|source| source.file == file);
    let version = source.and_then(|source| source.version);
    if let (Some(header), Some(version)) = (product.version_header, version) {
        request.headers.retain(|(name, _)| name != header);
        request
            .headers
            .push((header.to_owned(), version.to_owned()));
    }
    request
}

/// The values at a place of a body, such as `body/rows/*/name`, with the place of each.
fn values_at<'a>(body: Option<&'a Value>, place: &str) -> Vec<(String, &'a Value)> {
    let mut steps = place.split('/');
    let start = steps.next().unwrap_or_default().to_owned();
    let mut found: Vec<(String, &Value)> = body.map(|body| (start, body)).into_iter().collect();
    for step in steps {
        found = found
            .into_iter()
            .flat_map(|(place, value)| below(&place, value, step))
            .collect();
    }
    found
}

fn below<'a>(place: &str, value: &'a Value, step: &str) -> Vec<(String, &'a Value)> {
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(position, value)| (position.to_string(), value))
            .collect(),
        _ => Vec::new(),
    };
    members
        .into_iter()
        .filter(|(name, _)| step == "*" || step == name)
        .map(|(name, value)| (format!("{place}/{name}"), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_at_every_step() {
        let body = json!({"rows": [{"name": "a"}, {"name": "b", "x": 1}, 3]});
        let found: Vec<String> = values_at(Some(&body), "body/rows/*/name")
            .into_iter()
            .map(|(place, value)| format!("{place} {value}"))
            .collect();
        assert_eq!(found, ["body/rows/0/name \"a\"", "body/rows/1/name \"b\""]);
        assert_eq!(values_at(Some(&body), "body").len(), 1);
        assert!(values_at(None, "body").is_empty());
    }
}
