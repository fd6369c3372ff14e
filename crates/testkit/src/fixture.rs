//! Fixtures: a tool's input, the exact requests, the product's answers, and the result.
//!
//! A product keeps `tests/fixtures/<tool>.json`, a list of [`Fixture`]s. The suite replays them; docs take their
//! examples from them, and a conformance run compares their requests with the product's own description.
//!
//! ```json
//! [{
//!   "name": "one mail",
//!   "input": {"message_id": "18c0"},
//!   "exchanges": [{
//!     "request": {"method": "GET", "target": "/gmail/v1/users/me/messages/18c0?format=minimal"},
//!     "answer": {"status": 200, "body": {"id": "18c0"}}
//!   }],
//!   "result": {"data": {"id": "18c0"}}
//! }]
//! ```

use std::{fs, path::Path};

use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_core::{
    product::{Permissions, Product},
    tool::{Call, Response, Warning},
};
use uuid::Uuid;

/// One case of a tool. It has either `result` or `error`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixture {
    /// What the case shows; unique in its file.
    pub name: String,
    /// Input as a caller sends it.
    pub input: Value,
    /// The call around it.
    #[serde(default)]
    pub call: CallFixture,
    /// Requests and answers, in order; as many requests are sent, and no more.
    #[serde(default)]
    pub exchanges: Vec<ExchangeFixture>,
    /// Pauses that the tool makes, in seconds.
    #[serde(default)]
    pub pauses: Vec<f64>,
    /// The result, compared exactly.
    pub result: Option<ResultFixture>,
    /// Members of the error's problem document (`kind`, `violations`, `detail`, `upstream`, …); those named must be there.
    pub error: Option<Value>,
}

/// What a tool sees of its call.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallFixture {
    /// Scopes that the user granted; all that the product asks for by default when absent.
    pub scopes: Option<Vec<String>>,
    /// Settings of the connection.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Whether the deadline leaves no time for a pause.
    #[serde(default)]
    pub no_time_to_pause: bool,
}

/// A request and its answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangeFixture {
    /// The request, compared exactly.
    pub request: RequestFixture,
    /// The answer.
    pub answer: AnswerFixture,
}

/// A request as it goes over the wire, without what the executor adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequestFixture {
    /// HTTP method.
    pub method: String,
    /// Name of the origin; the product's first when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Path and query, byte for byte.
    pub target: String,
    /// Headers that the tool sets.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub headers: Map<String, Value>,
    /// JSON body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
}

/// A product's answer.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerFixture {
    /// HTTP status.
    pub status: u16,
    /// Headers.
    #[serde(default)]
    pub headers: Map<String, Value>,
    /// JSON body.
    pub body: Option<Value>,
    /// Body that is not JSON.
    pub body_text: Option<String>,
}

/// A tool's result.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultFixture {
    /// The data.
    pub data: Value,
    /// The warnings.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// Reads the fixtures of a tool: `<folder>/<tool>.json`.
///
/// # Errors
/// A sentence that names the file, where it is missing or not a list of fixtures.
pub fn load(folder: &Path, tool: &str) -> Result<Vec<Fixture>, String> {
    let file = folder.join(format!("{tool}.json"));
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
}

impl Fixture {
    /// The call, with a fixed id and time.
    pub fn to_call(&self, product: &Product) -> Call {
        let scopes = self
            .call
            .scopes
            .clone()
            .unwrap_or_else(|| match product.oauth.permissions {
                Permissions::Scopes { always, default } => always
                    .iter()
                    .chain(default)
                    .map(|scope| (*scope).to_owned())
                    .collect(),
                Permissions::Capabilities | Permissions::None => Vec::new(),
            });
        Call::new(Uuid::from_u128(1), Timestamp::UNIX_EPOCH)
            .with_settings(self.call.settings.clone())
            .with_scopes(scopes)
    }

    /// The answers, in order.
    ///
    /// # Errors
    /// A sentence, where a header is none.
    pub fn answers(&self) -> Result<Vec<Response>, String> {
        self.exchanges
            .iter()
            .map(|exchange| exchange.answer.to_answer())
            .collect()
    }
}

impl AnswerFixture {
    /// The answer.
    ///
    /// # Errors
    /// A sentence, where a header is none.
    pub fn to_answer(&self) -> Result<Response, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let text = value
                .as_str()
                .ok_or_else(|| format!("header {name} is no text"))?;
            let value =
                HeaderValue::from_str(text).map_err(|error| format!("header {name}: {error}"))?;
            headers.append(
                HeaderName::try_from(name).map_err(|error| format!("header {name}: {error}"))?,
                value,
            );
        }
        let body = match (&self.body, &self.body_text) {
            (Some(body), _) => body.to_string(),
            (None, text) => text.clone().unwrap_or_default(),
        };
        Ok(Response::new(self.status, headers, body))
    }
}
