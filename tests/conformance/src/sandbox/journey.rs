//! A list of requests that the tools' plain uses don't send. Later requests take IDs from earlier responses.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::{check::request::Request, fixtures};

/// RFC 3986 doesn't encode unreserved characters.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// One request:
///
/// ```json
/// {"method": "GET", "target": "/v1/boxes/{box}", "headers": {}, "body": {}, "status": 200, "keep": {"thing": "/things/0/id"}}
/// ```
///
/// `{box}` is a value that an earlier step kept. Only `target` is required.
pub(super) struct Step {
    /// Contains the names of kept values in braces.
    pub(super) request: Request,
    /// The expected status.
    pub(super) status: u16,
    /// The names of values to keep, with pointers into the response.
    keep: Vec<(String, String)>,
}

pub(super) fn read(text: &str) -> Result<Vec<Step>> {
    let steps: Vec<Value> = serde_json::from_str(text)?;
    steps.iter().map(step).collect()
}

fn step(step: &Value) -> Result<Step> {
    let status = step["status"].as_u64().unwrap_or(200);
    let target = step["target"].as_str().context("a step has no target")?;
    let headers = step["headers"].as_object().map(fixtures::headers);
    Ok(Step {
        request: Request {
            verb: step["method"].as_str().unwrap_or("GET").to_owned(),
            target: target.to_owned(),
            headers: headers.unwrap_or_default(),
            body: step.get("body").cloned(),
        },
        status: status.try_into()?,
        keep: pairs(&step["keep"]),
    })
}

impl Step {
    /// Sends a fixture's request as it is.
    pub(super) fn of(exchange: &fixtures::Exchange) -> Self {
        Self {
            request: exchange.request.clone(),
            status: exchange.response().status,
            keep: Vec::new(),
        }
    }
}

fn pairs(given: &Value) -> Vec<(String, String)> {
    given
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
        .collect()
}

/// Values from earlier responses, by name.
#[derive(Default)]
pub(super) struct Kept(BTreeMap<String, String>);

impl Kept {
    /// Fills the kept values into the step's request.
    pub(super) fn fill(&self, step: &Step) -> Request {
        let encoded = |value: &str| utf8_percent_encode(value, SEGMENT).to_string();
        let template = &step.request;
        Request {
            target: self.filled(&template.target, encoded),
            body: template.body.as_ref().map(|body| self.fill_value(body)),
            ..template.clone()
        }
    }

    /// Keeps the values that the step names.
    ///
    /// # Errors
    /// The first pointer that the response doesn't have.
    pub(super) fn keep(&mut self, step: &Step, response: &Value) -> Result<(), String> {
        for (name, pointer) in &step.keep {
            let value = match response.pointer(pointer) {
                Some(Value::String(text)) => text.clone(),
                Some(value) if value.is_number() => value.to_string(),
                _ => return Err(pointer.clone()),
            };
            self.0.insert(name.clone(), value);
        }
        Ok(())
    }

    fn fill_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.filled(text, str::to_owned).into(),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(members) => Value::Object(
                members
                    .iter()
                    .map(|(name, value)| (name.clone(), self.fill_value(value)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    fn filled(&self, text: &str, write: impl Fn(&str) -> String) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), &write(value))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn later_steps_take_from_earlier_responses() {
        let steps = read(
            r#"[{"target": "/boxes?a={b}", "keep": {"box": "/boxes/0/id", "size": "/boxes/0/size"}},
                {"method": "POST", "target": "/boxes/{box}/copy?size={size}", "status": 201,
                 "headers": {"X-Version": "1"}, "body": {"from": ["{box}"], "n": 1}}]"#,
        )
        .unwrap();
        let mut kept = Kept::default();
        assert_eq!(kept.fill(&steps[0]).target, "/boxes?a={b}");
        kept.keep(&steps[0], &json!({"boxes": [{"id": "a/b", "size": 3}]}))
            .unwrap();
        let request = kept.fill(&steps[1]);
        assert_eq!(request.verb, "POST");
        assert_eq!(request.target, "/boxes/a%2Fb/copy?size=3");
        assert_eq!(request.body, Some(json!({"from": ["a/b"], "n": 1})));
        assert_eq!(request.header("x-version"), Some("1"));
        assert_eq!((steps[0].status, steps[1].status), (200, 201));
        let missing = kept.keep(&steps[0], &json!({"boxes": []})).unwrap_err();
        assert_eq!(missing, "/boxes/0/id");
        assert!(read(r#"[{"method": "GET"}]"#).is_err());
    }
}
