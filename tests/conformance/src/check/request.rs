//! Checks a request against a description.

use std::fmt::Write as _;

use anyhow::Result;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use url::form_urlencoded;

use super::fields;
use crate::{
    description::{Description, Mask, Method, Parameter, Place, ResponseSchema},
    finding::{Finding, Outcome},
    schema::Reading,
};

/// A request as it's sent.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) verb: String,
    /// The path and the query.
    pub(crate) target: String,
    /// Names are in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<Value>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn path(&self) -> &str {
        self.target
            .split_once('?')
            .map_or(self.target.as_str(), |(path, _)| path)
    }

    fn query(&self) -> &str {
        self.target.split_once('?').map_or("", |(_, query)| query)
    }
}

/// Headers of HTTP and OAuth (RFC 9110, RFC 6750), which descriptions omit.
const PLAIN_HEADERS: [&str; 5] = [
    "accept",
    "authorization",
    "content-type",
    "if-match",
    "if-none-match",
];

/// Finds the method of a request.
///
/// # Errors
/// The reason, if the description has no such method.
pub(crate) fn method<'a>(
    description: &'a Description,
    request: &Request,
) -> Result<&'a Method, Finding> {
    let path = request.path();
    let mut fitting: Vec<&Method> = description
        .methods
        .iter()
        .filter(|method| method.path.fit(path).is_some())
        .collect();
    // Check the variables too: `/v1/{+name}` fits nearly every path, so the variable's pattern decides.
    let exact: Vec<&Method> = fitting
        .iter()
        .copied()
        .filter(|method| variables(description, method, path).is_ok_and(|found| found.is_empty()))
        .collect();
    if !exact.is_empty() {
        fitting = exact;
    }
    let verbs: Vec<&str> = fitting.iter().map(|method| method.verb.as_str()).collect();
    fitting
        .iter()
        .copied()
        .filter(|method| method.verb == request.verb)
        .max_by_key(|method| method.path.fixed())
        .ok_or_else(|| {
            let mut what = format!("{} has no {} {path}", description.name, request.verb);
            if !verbs.is_empty() {
                let _ = write!(what, "; the path takes {}", verbs.join(", "));
            }
            Finding::new("method", what)
        })
}

/// Checks a request for `method`.
///
/// # Errors
/// If the description itself is broken.
pub(crate) fn check(
    description: &Description,
    method: &Method,
    request: &Request,
) -> Result<Outcome> {
    let mut outcome = Outcome {
        findings: variables(description, method, request.path())?,
        ..Outcome::default()
    };
    query(description, method, request, &mut outcome)?;
    headers(description, method, request, &mut outcome)?;
    body(description, method, request, &mut outcome)?;
    Ok(outcome)
}

/// Checks the scopes of the tool that sends a request. Each declared scope must be enough on its own. If a tool changes
/// something and the request only prepares that, one of them is enough: the tool asks for the scope if it needs it.
pub(crate) fn scopes(method: &Method, declared: &[String], prepares: bool) -> Outcome {
    let mut outcome = Outcome::default();
    let Some(accepted) = &method.scopes else {
        if !declared.is_empty() {
            outcome.open("scope", "no scope is described");
        }
        return outcome;
    };
    if declared.is_empty() {
        outcome.wrong(
            "scope",
            format!(
                "the tool declares none; {} takes {}",
                method.id,
                accepted.join(", ")
            ),
        );
    }
    if prepares && declared.iter().any(|scope| accepted.contains(scope)) {
        return outcome;
    }
    for scope in declared.iter().filter(|scope| !accepted.contains(scope)) {
        outcome.wrong(
            "scope",
            format!("{scope} is declared, and {} does not take it", method.id),
        );
    }
    outcome
}

fn variables(description: &Description, method: &Method, path: &str) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for (name, encoded) in method.path.fit(path).unwrap_or_default() {
        let place = format!("path/{name}");
        let Ok(value) = percent_decode_str(encoded).decode_utf8() else {
            found.push(Finding::new(place, "is not UTF-8"));
            continue;
        };
        match parameter(method, Place::Path, name) {
            Some(parameter) => {
                found.extend(value_findings(
                    description,
                    method,
                    parameter,
                    &value,
                    &place,
                )?);
            }
            None => found.push(Finding::new(place, "is not described")),
        }
    }
    Ok(found)
}

fn query(
    description: &Description,
    method: &Method,
    request: &Request,
    outcome: &mut Outcome,
) -> Result<()> {
    let pairs: Vec<_> = form_urlencoded::parse(request.query().as_bytes()).collect();
    for (position, (name, value)) in pairs.iter().enumerate() {
        let place = format!("query/{name}");
        let Some(parameter) = parameter(method, Place::Query, name) else {
            outcome.wrong(place, "there is no such parameter");
            continue;
        };
        let before = pairs.iter().take(position);
        if !parameter.repeated && before.clone().any(|(other, _)| other == name) {
            outcome.wrong(place.clone(), "comes more than once");
        }
        outcome.findings.extend(value_findings(
            description,
            method,
            parameter,
            value,
            &place,
        )?);
        match &parameter.mask {
            None => {}
            Some(Mask::Unlisted) => outcome.open(place, "its fields are not described"),
            Some(Mask::Listed(known)) => {
                for what in fields::listed(known, value) {
                    outcome.wrong(place.clone(), what);
                }
            }
            Some(Mask::OfResponse) => {
                if let Some(ResponseSchema::Schema(schema)) = method.response(200) {
                    for what in fields::of_response(description, schema, value) {
                        outcome.wrong(place.clone(), what);
                    }
                }
            }
        }
    }
    for parameter in method.parameters_in(Place::Query) {
        if parameter.required && !pairs.iter().any(|(name, _)| *name == parameter.name) {
            outcome.wrong(format!("query/{}", parameter.name), "is missing");
        }
    }
    Ok(())
}

fn headers(
    description: &Description,
    method: &Method,
    request: &Request,
    outcome: &mut Outcome,
) -> Result<()> {
    for (name, value) in &request.headers {
        let place = format!("header/{name}");
        match parameter(method, Place::Header, name) {
            Some(parameter) => outcome.findings.extend(value_findings(
                description,
                method,
                parameter,
                value,
                &place,
            )?),
            None if PLAIN_HEADERS.contains(&name.as_str()) => {}
            None => outcome.open(place, "is not described"),
        }
    }
    for parameter in method.parameters_in(Place::Header) {
        if parameter.required && request.header(&parameter.name).is_none() {
            outcome.wrong(format!("header/{}", parameter.name), "is missing");
        }
    }
    Ok(())
}

fn body(
    description: &Description,
    method: &Method,
    request: &Request,
    outcome: &mut Outcome,
) -> Result<()> {
    match (&method.body, &request.body) {
        (None, None) => {}
        (None, Some(_)) => outcome.wrong("body", "the method takes none"),
        (Some(known), None) => {
            if known.required {
                outcome.wrong("body", "is missing");
            }
        }
        (Some(known), Some(given)) => match &known.schema {
            None => outcome.open("body", "is not described"),
            Some(schema) => {
                let compiled = description.compile(schema, &method.id, Reading::Request)?;
                if compiled.is_open() {
                    outcome.open("body", "its members are not described");
                }
                outcome.findings.extend(compiled.findings(given, "body"));
            }
        },
    }
    Ok(())
}

/// Header names ignore case (RFC 9110, "Field Names").
fn parameter<'a>(method: &'a Method, place: Place, name: &str) -> Option<&'a Parameter> {
    method.parameters_in(place).find(|known| {
        known.name == name || (place == Place::Header && known.name.eq_ignore_ascii_case(name))
    })
}

fn value_findings(
    description: &Description,
    method: &Method,
    parameter: &Parameter,
    text: &str,
    place: &str,
) -> Result<Vec<Finding>> {
    let value = typed(description.resolved(&parameter.schema), text);
    let compiled = description.compile(&parameter.schema, &method.id, Reading::Request)?;
    Ok(compiled.findings(&value, place))
}

/// Parses the text if the schema expects a number or a boolean. Otherwise, or if that fails, the value is the text.
fn typed(schema: &Value, text: &str) -> Value {
    match schema["type"].as_str() {
        Some("integer") => text
            .parse::<i64>()
            .map_or_else(|_| text.into(), Value::from),
        Some("number") => text
            .parse::<f64>()
            .map_or_else(|_| text.into(), Value::from),
        Some("boolean") => text
            .parse::<bool>()
            .map_or_else(|_| text.into(), Value::from),
        _ => text.into(),
    }
}
