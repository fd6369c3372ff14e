//! Tool calls and raw requests.

use std::{collections::BTreeMap, marker::PhantomData};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json, value::RawValue};
use stead_derive::Setters;

use super::LeftOut;
use crate::{
    Error, ErrorKind, Result, identifier::ExecutionId, results::ResultOptions, tool::Warning,
};

/// A call of a tool by name, with all its options.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[schemars(example = ExecuteRequest::new("mail", "user-1", json!({ "query": "is:unread", "format": "minimal" })))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ExecuteRequest {
    /// Name of the connection.
    pub connection_name: String,
    /// Your application's ID of the user.
    pub identifier: String,
    /// Input of the tool: an object.
    #[serde(default)]
    #[setters(required)]
    pub input: Value,
    /// Version of the schema, a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_version: Option<String>,
    /// Version of the tool, a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Returns the requests without changing anything. Reads are still sent if the tool needs their responses.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Which parts of the result to return, and in which form.
    #[serde(flatten)]
    #[setters(optional)]
    pub result: ResultOptions,
    /// Makes a write only once, even if you repeat it with this key within 24 hours. IDs of objects it creates at the
    /// product derive from the key. Over HTTP, use the header `Idempotency-Key`.
    #[serde(skip)]
    pub idempotency_key: Option<String>,
}

/// Result of a call. The data is JSON text, and [`Execution::output`] parses it into `T`.
///
/// ```
/// # use stead_core::{Result, resource::Execution};
/// #[derive(serde::Deserialize)]
/// struct Note {
///     title: String,
/// }
///
/// # fn main() -> Result<()> {
/// // A call gives it to you; this is how it comes over REST.
/// let execution: Execution<Note> = serde_json::from_str(r#"{
///     "execution_id": "exec_00000000000000000000000000000001",
///     "tool": "notes_read_note",
///     "tool_version": "2026-11-21",
///     "data": { "title": "Milk",  "pinned": true }
/// }"#).unwrap();
///
/// assert_eq!(execution.output()?.title, "Milk");
/// // What the struct does not name is there all the same, as the product wrote it.
/// assert_eq!(execution.data.get(), r#"{ "title": "Milk",  "pinned": true }"#);
/// assert_eq!(execution.json::<serde_json::Value>()?["pinned"], true);
/// # Ok(())
/// # }
/// ```
///
/// | To read | use |
/// |---|---|
/// | the data as the tool's own struct | [`output`](Self::output) |
/// | the data as a value, or as a struct of yours | [`json`](Self::json) |
/// | the product's own bytes | [`data`](Self::data) |
/// | what did not fail the call, yet matters | [`warnings`](Self::warnings) |
/// | handles of what was cut | [`left_out`](Self::left_out) |
/// | the id under which it is recorded | [`execution_id`](Self::execution_id) |
///
/// The data of a dry run is a [`Plan`](super::Plan) of the requests that the tool would send. Read it with
/// [`json`](Self::json).
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(example = json!({
    "execution_id": "exec_01a2037b05a9701a82762695bb6109d0", "tool": "mail_fetch_mails",
    "tool_version": "2026-11-21", "schema_version": "2026-11-21",
    "data": {
        "messages": [{
            "id": "18c1", "threadId": "18c1", "labelIds": ["UNREAD", "INBOX"], "snippet": "See you at noon",
            "internalDate": "1763776800000", "sizeEstimate": 512,
        }],
        "next_page_token": null, "result_size_estimate": 1,
    },
}))]
#[serde(bound = "")]
#[schemars(
    rename = "Execution",
    bound = "",
    description = "Result of a call of a tool."
)]
#[non_exhaustive]
pub struct Execution<T = Value> {
    /// ID of the execution.
    pub execution_id: ExecutionId,
    /// Tool.
    pub tool: String,
    /// Version of the tool that ran.
    pub tool_version: String,
    /// Version of the schema that validated the input, which is the same date. Empty if the service doesn't return it.
    #[serde(default)]
    pub schema_version: String,
    /// The result. It's the product's own JSON text if the tool doesn't change it.
    #[schemars(with = "Value")]
    pub data: Box<RawValue>,
    /// Warnings: problems that didn't fail the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// The largest parts that options omitted or truncated, each with a handle to read all of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Whether this is the result of an earlier call with the same idempotency key, so nothing was sent now. Over HTTP,
    /// see the header `stead-idempotent-replayed`.
    #[serde(skip)]
    pub replayed: bool,
    #[serde(skip)]
    output: PhantomData<fn() -> T>,
}

impl Execution {
    /// A result.
    pub fn new(
        execution_id: ExecutionId,
        tool: impl Into<String>,
        tool_version: impl Into<String>,
        data: Box<RawValue>,
        warnings: Vec<Warning>,
    ) -> Self {
        let tool_version = tool_version.into();
        Self {
            execution_id,
            tool: tool.into(),
            schema_version: tool_version.clone(),
            tool_version,
            data,
            warnings,
            left_out: Vec::new(),
            replayed: false,
            output: PhantomData,
        }
    }

    /// The same result, for parsing into another type.
    pub fn typed<T>(self) -> Execution<T> {
        Execution {
            execution_id: self.execution_id,
            tool: self.tool,
            tool_version: self.tool_version,
            schema_version: self.schema_version,
            data: self.data,
            warnings: self.warnings,
            left_out: self.left_out,
            replayed: self.replayed,
            output: PhantomData,
        }
    }
}

impl<T> Execution<T> {
    /// The data as the tool's output type. [`Execution::data`] also has members that the type doesn't name.
    ///
    /// # Errors
    /// [`ErrorKind::ProductProtocolError`] if the data doesn't fit the type.
    pub fn output(&self) -> Result<T>
    where
        T: serde::de::DeserializeOwned,
    {
        self.json()
    }

    /// The data as a value or your own struct.
    ///
    /// # Errors
    /// [`ErrorKind::ProductProtocolError`] if the data doesn't fit the type.
    pub fn json<U: serde::de::DeserializeOwned>(&self) -> Result<U> {
        serde_json::from_str(self.data.get()).map_err(|error| {
            Error::new(
                ErrorKind::ProductProtocolError,
                format!("the result doesn't fit the type: {error}"),
            )
        })
    }
}

/// A raw request to a product.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Setters)]
#[schemars(example = ProxyRequest::new("mail", "user-1", "GET", "/v1/users/me/profile"))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ProxyRequest {
    /// Name of the connection.
    pub connection_name: String,
    /// Your application's ID of the user.
    pub identifier: String,
    /// The product's path. It starts with `/`, is percent-encoded, and can have a query.
    pub path: String,
    /// HTTP method, in upper case.
    pub method: String,
    /// Query pairs; a list gives one pair per item.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub query: Map<String, Value>,
    /// Headers.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// JSON body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// Returns a plan of the request instead of sending it, like a tool's dry run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Makes a write only once, even if you repeat it with this key within 24 hours. Over HTTP, use the header
    /// `Idempotency-Key`.
    #[serde(skip)]
    pub idempotency_key: Option<String>,
}

impl ProxyRequest {
    /// A request for this user and connection.
    pub fn new(
        connection_name: impl Into<String>,
        identifier: impl Into<String>,
        method: impl Into<String>,
        path: impl Into<String>,
    ) -> Self {
        Self {
            connection_name: connection_name.into(),
            identifier: identifier.into(),
            method: method.into(),
            path: path.into(),
            ..Self::default()
        }
    }
}
