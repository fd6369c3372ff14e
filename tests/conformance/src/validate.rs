//! Validates requests and responses with the right description and the exceptions.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::{
    check::{
        request::{self, Request},
        response::{self, Response, ResponseBody},
    },
    description::{Description, Method},
    exceptions::{Exception, Exceptions, Instead},
    finding::{Finding, Outcome},
    products::Product,
    schema::Reading,
};

pub(crate) struct Validator {
    /// The descriptions by file.
    descriptions: BTreeMap<&'static str, Description>,
    exceptions: Exceptions,
}

/// A request, and where it comes from.
pub(crate) struct CheckedRequest<'a> {
    pub(crate) product: &'a Product,
    /// The name of the origin. `None` for the product's main origin.
    pub(crate) origin: Option<&'a str>,
    /// The name of the fixture's case. Empty for the sandbox.
    pub(crate) case: &'a str,
    pub(crate) request: &'a Request,
    /// The scopes that the tool declares. `None` if there's no tool.
    pub(crate) scopes: Option<&'a [String]>,
    /// Whether the tool changes something, so that a request that reads only prepares it.
    pub(crate) changes: bool,
}

pub(crate) struct Validation<'a> {
    pub(crate) outcome: Outcome,
    /// How many findings an exception excused.
    pub(crate) excused: usize,
    /// The request's method and its description. `None` if no method fits.
    pub(crate) matched: Option<Matched<'a>>,
}

/// The method of a request.
#[derive(Clone, Copy)]
pub(crate) struct Matched<'a> {
    pub(crate) method: &'a Method,
    description: &'a Description,
    /// The file of the description.
    source: &'static str,
}

impl Validator {
    /// Reads the products' descriptions from `folder`.
    ///
    /// # Errors
    /// If one is missing or can't be read.
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

    /// Validates a request.
    ///
    /// # Errors
    /// If a description is broken.
    pub(crate) fn request(&self, checked: &CheckedRequest<'_>) -> Result<Validation<'_>> {
        let product = checked.product;
        let request = &with_headers(product, checked.request);
        let version = product
            .version_header
            .and_then(|header| request.header(header));
        let mut validation = Validation {
            outcome: Outcome::default(),
            excused: 0,
            matched: None,
        };
        let Some(source) = product.source(checked.origin, version) else {
            let which = version.or(checked.origin).unwrap_or_default();
            let finding = Finding::new("request", format!("{which:?} has no description"));
            validation.outcome.findings.push(finding);
            return Ok(validation);
        };
        let found = match self.matched(source.file, request)? {
            Ok(matched) => Ok(matched),
            Err(finding) => match self
                .exceptions
                .find(source.file, checked.case, request, &finding)
            {
                Some((
                    Exception {
                        instead: Instead::Description(file),
                        ..
                    },
                    _,
                )) => {
                    validation.excused += 1;
                    self.matched(file, &speaking(product, request, file))?
                }
                _ => Err(finding),
            },
        };
        let matched = match found {
            Ok(matched) => matched,
            Err(finding) => {
                validation.outcome.findings.push(finding);
                return Ok(validation);
            }
        };
        validation.matched = Some(matched);
        let request = &speaking(product, request, matched.source);
        validation.outcome = request::check(matched.description, matched.method, request)?;
        if let Some(scopes) = checked.scopes {
            validation.outcome.add(request::scopes(
                matched.method,
                scopes,
                checked.changes && checked.request.verb == "GET",
            ));
        }
        let elsewhere = |matched: Matched<'_>| {
            let request = speaking(product, request, matched.source);
            request::check(matched.description, matched.method, &request)
        };
        let body = request.body.as_ref();
        self.excuse(matched.source, checked, body, &mut validation, elsewhere)?;
        Ok(validation)
    }

    /// Validates the response to a request with this method.
    ///
    /// # Errors
    /// If a description is broken.
    pub(crate) fn response<'a>(
        &'a self,
        checked: &CheckedRequest<'_>,
        matched: Matched<'a>,
        given: &Response<'_>,
        reading: Reading,
    ) -> Result<Validation<'a>> {
        let mut validation = Validation {
            outcome: response::check(matched.description, matched.method, given, reading)?,
            excused: 0,
            matched: Some(matched),
        };
        let elsewhere = |matched: Matched<'_>| {
            response::check(matched.description, matched.method, given, reading)
        };
        let body = match given.body {
            ResponseBody::Json(body) => Some(body),
            ResponseBody::Empty | ResponseBody::Other => None,
        };
        self.excuse(matched.source, checked, body, &mut validation, elsewhere)?;
        Ok(validation)
    }

    pub(crate) fn needed(&self) -> impl Iterator<Item = &'static Exception> {
        self.exceptions.needed()
    }

    /// The exceptions that weren't needed, although the descriptions of these products were used.
    pub(crate) fn unused<'a>(
        &'a self,
        products: &'a [&Product],
    ) -> impl Iterator<Item = &'static Exception> + 'a {
        self.exceptions.unused(move |file| {
            let mut sources = products.iter().flat_map(|product| product.sources);
            sources.any(|source| source.file == file)
        })
    }

    /// Removes the findings that an exception excuses, and adds the findings of the check that replaces it.
    fn excuse(
        &self,
        source: &str,
        checked: &CheckedRequest<'_>,
        body: Option<&Value>,
        validation: &mut Validation<'_>,
        elsewhere: impl Fn(Matched<'_>) -> Result<Outcome>,
    ) -> Result<()> {
        let mut used: Vec<&'static str> = Vec::new();
        for finding in std::mem::take(&mut validation.outcome.findings) {
            let excused = self
                .exceptions
                .find(source, checked.case, checked.request, &finding);
            let findings = &mut validation.outcome.findings;
            match excused {
                None => findings.push(finding),
                Some((_, place)) if used.contains(&place) => {}
                Some((exception, place)) => {
                    used.push(place);
                    validation.excused += 1;
                    match exception.instead {
                        Instead::Nothing => {}
                        Instead::Description(file) => match self.matched(file, checked.request)? {
                            Err(finding) => findings.push(finding),
                            Ok(matched) => {
                                let other = elsewhere(matched)?.findings.into_iter();
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

    fn matched(
        &self,
        file: &'static str,
        request: &Request,
    ) -> Result<std::result::Result<Matched<'_>, Finding>> {
        let (source, description) = self.description(file)?;
        let found = request::method(description, request).map(|method| Matched {
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

/// Adds the headers that every request has.
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

/// The request with the API version of another description.
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

/// The values at a place of a body, such as `body/rows/*/name`, each with its place.
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
