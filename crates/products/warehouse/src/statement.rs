//! Submits statements and reads their results.
//!
//! Source: SQL API, "Submitting a request to execute SQL statements" and "Handling responses".

use std::{fmt, time::Duration};

use serde::Serialize;
use serde_json::{Map, Value, json};
use stead_core::{
    Error, ErrorKind, Result,
    tool::{ApiRequest, Call, Effect, Io, Output, Response, Retry, items_of},
};

use crate::{
    columns,
    errors::{self, CANCELLED, RESULT_INCOMPLETE, RUNNING, TIMED_OUT, read_error},
    settings::{self, DATABASE, SCHEMA, WAREHOUSE},
    sql::Name,
};

/// A request to execute SQL (SQL API, "Body of the POST request").
#[derive(Debug, Default, Serialize)]
pub(crate) struct Statement {
    /// SQL with a `?` for each binding.
    pub(crate) statement: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) timeout: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "stored")]
    pub(crate) database: Option<Name>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "stored")]
    pub(crate) schema: Option<Name>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "stored")]
    pub(crate) warehouse: Option<Name>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "stored")]
    pub(crate) role: Option<Name>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bindings: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters: Option<Map<String, Value>>,
    /// Whether the session's database and schema apply to its incomplete names.
    #[serde(skip)]
    pub(crate) leaves_open: bool,
}

fn stored<S: serde::Serializer>(name: &Option<Name>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name.as_ref().map_or("", Name::stored))
}

impl Statement {
    /// A statement with default settings.
    pub(crate) fn new(sql: impl Into<String>) -> Self {
        Self {
            statement: sql.into(),
            ..Self::default()
        }
    }

    /// Sets the role and the warehouse of the session.
    #[must_use]
    pub(crate) fn run_as(mut self, role: Option<Name>, warehouse: Option<Name>) -> Self {
        self.role = role;
        self.warehouse = warehouse;
        self
    }

    /// Binds the next `?` to a text.
    pub(crate) fn bind(&mut self, text: &str) {
        let bindings = self.bindings.get_or_insert_default();
        let number = bindings.len() + 1;
        bindings.insert(number.to_string(), json!({ "type": "TEXT", "value": text }));
    }

    /// The request with its `requestId`. A retry has the parameter `retry`, so the product doesn't execute the statement
    /// twice ("Resubmitting a request to execute SQL statements").
    pub(crate) fn request(&self, request_id: &str, retry: Option<bool>) -> ApiRequest {
        let rule = match retry {
            Some(true) => Retry::Always,
            _ => Retry::AlwaysWith("retry", "true"),
        };
        ApiRequest::post(["statements"])
            .query("requestId", request_id)
            .query("retry", retry.filter(|retry| *retry))
            .json(self)
            .accept(&[408, 422])
            .retry(rule)
    }

    /// Fills in absent values from the connection's settings. The setting for the schema only applies together with the one
    /// for the database.
    #[must_use]
    pub(crate) fn with_defaults(mut self, call: &Call) -> Self {
        self.warehouse = self.warehouse.or_else(|| settings::name(call, WAREHOUSE));
        if self.leaves_open && self.database.is_none() {
            self.database = settings::name(call, DATABASE);
            self.schema = self.schema.or_else(|| settings::name(call, SCHEMA));
        }
        self
    }

    /// Submits a statement that only reads, and returns its rows as objects.
    pub(crate) async fn rows(self, call: &Call, io: Io<'_>) -> Result<Output> {
        let is_show = self.statement.starts_with("SHOW ");
        self.limited_rows(call, io, is_show, RowLimit::None).await
    }

    /// The same as [`Statement::rows`], with a warning if the limit may have cut the rows.
    pub(crate) async fn limited_rows(
        mut self,
        call: &Call,
        io: Io<'_>,
        is_show: bool,
        limit: RowLimit,
    ) -> Result<Output> {
        self = self.with_defaults(call);
        let request_id = call.derive_id("statement").to_string();
        let request = self.request(&request_id, None).effect(Effect::Read);
        let mut reply = submit(io, request, &request_id).await?;
        let number = reply.body["resultSetMetaData"]["numRows"].as_u64();
        let limited = limit.cut(&mut reply.body, number);
        let mut output = reply.rows(&request_id);
        if let Some(message) = limited {
            output = output.warn("rows_cut", message);
        }
        if is_show && number >= Some(MOST_SHOWN) {
            let message = "SHOW returns at most 10,000 rows; there may be more";
            output = output.warn("rows_cut", message);
        }
        Ok(output)
    }
}

/// A limit for the rows of a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RowLimit {
    None,
    /// The statement has this LIMIT.
    InStatement(u64),
    /// The statement takes no LIMIT, so the response is cut.
    OfResponse(u64),
}

impl RowLimit {
    /// Cuts the rows of a response. Returns a warning if there are or may be more rows than the limit.
    fn cut(self, body: &mut Value, number: Option<u64>) -> Option<String> {
        match self {
            Self::None => None,
            Self::InStatement(most) => (number >= Some(most)).then(|| {
                format!(
                    "the result reaches the limit of {most}, so there may be more rows; set a higher limit, or page with ORDER BY, LIMIT and OFFSET"
                )
            }),
            Self::OfResponse(most) => {
                let rows = body["data"].as_array_mut()?;
                let most = usize::try_from(most).ok().filter(|most| rows.len() > *most)?;
                rows.truncate(most);
                let number = number.unwrap_or_default();
                Some(format!(
                    "the statement has {number} rows, and these are the first {most}; set a higher limit, or use warehouse_get_query_partition with its handle"
                ))
            }
        }
    }
}

/// Most rows that SHOW returns (SQL reference, "SHOW <objects>").
const MOST_SHOWN: u64 = 10_000;

/// Sends a statement. An error has the request id, and the statement's handle if the product returned one.
pub(crate) async fn submit(io: Io<'_>, request: ApiRequest, request_id: &str) -> Result<Reply> {
    let effect = request.effect_of();
    let sent = io.send(request).await;
    sent.and_then(|response| Reply::read(&response, effect))
        .map_err(|error| {
            let details = error
                .upstream()
                .and_then(|upstream| upstream.details.as_ref());
            let handle = details.and_then(|details| details["statementHandle"].as_str());
            let mut partial = json!({ "request_id": request_id });
            if let Some(handle) = handle {
                partial["statement_handle"] = json!(handle);
            }
            error.with_partial(partial)
        })
}

/// Most requests for a response while the product throttles.
const PATIENCE: u32 = 4;

/// Asks for the state of a statement. A 429 with a handle means that the statement is running. A 429 without one is
/// throttling, so the request waits and tries again.
pub(crate) async fn ask(io: Io<'_>, request: ApiRequest) -> Result<Response> {
    let request = request.accept(&[408, 422, 429]);
    for attempt in 0.. {
        let response = io.send(request.clone()).await?;
        let throttled = response.status == 429 && handle(&response.json_or_null()).is_none();
        if !throttled {
            return Ok(response);
        }
        let told = response.retry_after(None);
        let wait = told.unwrap_or(Duration::from_secs(1 << attempt));
        if attempt + 1 == PATIENCE || io.pause(wait).await.is_err() {
            return Err(refused(&response).with_retry_after(wait));
        }
    }
    Err(Error::new(
        ErrorKind::Internal,
        "too many requests for one response",
    ))
}

/// The state of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Done,
    Running,
    TimedOutAndCancelled,
    Cancelled,
    Failed,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Done => "done",
            Self::Running => "running",
            Self::TimedOutAndCancelled => "timed_out_and_cancelled",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        })
    }
}

/// A response about a statement: its state, and the product's object.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) state: State,
    pub(crate) body: Value,
}

impl Reply {
    /// Reads a response. A failed statement is an error.
    ///
    /// # Errors
    /// The product's error, by its code. [`ErrorKind::OutcomeUnknown`] if the product gave up on a write without telling
    /// the outcome.
    pub(crate) fn read(response: &Response, effect: Effect) -> Result<Self> {
        let reply = Self::of_any(response)?;
        match reply.state {
            State::Failed | State::Cancelled => Err(refused(response)),
            State::TimedOutAndCancelled
                if handle(&reply.body).is_none() && effect != Effect::Read =>
            {
                Err(Error::new(
                    ErrorKind::OutcomeUnknown,
                    "the product stopped waiting; the statement may or may not have been executed",
                ))
            }
            State::TimedOutAndCancelled if handle(&reply.body).is_none() => Err(refused(response)),
            State::Done | State::Running | State::TimedOutAndCancelled => Ok(reply),
        }
    }

    /// Reads a response. A failed statement isn't an error.
    ///
    /// # Errors
    /// The product's error, if the response isn't about a statement.
    pub(crate) fn of_any(response: &Response) -> Result<Self> {
        let body: Value = match response.status {
            200..=299 => response.json()?,
            _ => response.json_or_null(),
        };
        let code = body["code"].as_str().unwrap_or_default();
        let state = match response.status {
            202 => State::Running,
            200..=299 if RUNNING.contains(&code) => State::Running,
            200..=299 => State::Done,
            408 => State::TimedOutAndCancelled,
            429 if handle(&body).is_some() => State::Running,
            422 if code == TIMED_OUT => State::TimedOutAndCancelled,
            422 if code == CANCELLED => State::Cancelled,
            422 if code != errors::STATEMENT_NOT_FOUND => State::Failed,
            _ => return Err(refused(response)),
        };
        Ok(Self { state, body })
    }

    /// The output `{state, statement_handle, statement_handles?, request_id?, result}`, in which `result` is the product's
    /// object.
    pub(crate) fn output(self, request_id: Option<&str>) -> Output {
        let mut made = self.head(request_id);
        let warnings = Warnings::of(&self.body);
        made["result"] = self.body;
        warnings.add_to(made.into())
    }

    /// The output `{state, statement_handle, request_id, columns, rows, row_count}`, in which each row is an object by
    /// column name.
    fn rows(mut self, request_id: &str) -> Output {
        let mut made = self.head(Some(request_id));
        if self.state != State::Done {
            let message = format!(
                "the statement is {} and has no rows; call warehouse_get_query_status with its handle",
                self.state
            );
            return Output::from(made).warn("no_rows", message);
        }
        let warnings = Warnings::of(&self.body);
        let columns = match self.body["resultSetMetaData"]["rowType"].take() {
            Value::Array(columns) => columns,
            _ => Vec::new(),
        };
        let names = columns::names(&columns);
        let rows: Vec<Value> = match self.body["data"].take() {
            Value::Array(rows) => rows.into_iter().map(|row| by_name(&names, row)).collect(),
            _ => Vec::new(),
        };
        let named = columns.iter().zip(&names);
        made["columns"] = named
            .map(|(column, (name, _))| json!({ "name": name, "type": column["type"] }))
            .collect();
        made["row_count"] = self.body["resultSetMetaData"]["numRows"].take();
        made["rows"] = Value::Array(rows);
        warnings.add_to(made.into())
    }

    fn head(&self, request_id: Option<&str>) -> Value {
        let mut head = json!({
            "state": self.state.to_string(),
            "statement_handle": self.body["statementHandle"],
        });
        if self.body["statementHandles"].is_array() {
            head["statement_handles"] = self.body["statementHandles"].clone();
        }
        if let Some(request_id) = request_id {
            head["request_id"] = json!(request_id);
        }
        head
    }
}

/// Warnings about details of a result that a caller may miss.
pub(crate) struct Warnings(Vec<(&'static str, String)>);

impl Warnings {
    /// Only the warning about columns.
    pub(crate) fn of_columns(body: &Value) -> Self {
        let columns = columns::names(items_of(&body["resultSetMetaData"]["rowType"])).into_iter();
        let renamed = columns.filter_map(|(name, is_other)| is_other.then_some(name));
        let renamed: Vec<String> = renamed.collect();
        if renamed.is_empty() {
            return Self(Vec::new());
        }
        let message = format!(
            "several columns have the same name; in rows by name, the later ones are {}",
            renamed.join(", ")
        );
        Self(vec![("columns_renamed", message)])
    }

    fn of(body: &Value) -> Self {
        let Self(mut warnings) = Self::of_columns(body);
        let metadata = &body["resultSetMetaData"];
        if !items_of(&body["statementHandles"]).is_empty() {
            let message = "each statement has its own rows; to read them, call warehouse_get_query_status with its handle from statement_handles";
            warnings.push(("results_by_handle", message.to_owned()));
        }
        let partitions = metadata["partitionInfo"].as_array().map_or(0, Vec::len);
        if partitions > 1 {
            let message = format!(
                "the result has {partitions} partitions, and this is the first; use warehouse_get_query_partition for the others"
            );
            warnings.push(("more_partitions", message));
        }
        if body["code"] == RESULT_INCOMPLETE {
            let message =
                "the product reports that the result is incomplete because it's too large";
            warnings.push(("result_incomplete", message.to_owned()));
        }
        Self(warnings)
    }

    pub(crate) fn add_to(self, output: Output) -> Output {
        self.0
            .into_iter()
            .fold(output, |output, (code, message)| output.warn(code, message))
    }
}

/// A row as an object.
fn by_name(names: &[(String, bool)], row: Value) -> Value {
    let Value::Array(cells) = row else { return row };
    let names = names.iter().map(|(name, _)| name.clone());
    names.zip(cells).collect()
}

/// The handle in the product's object.
pub(crate) fn handle(body: &Value) -> Option<&str> {
    body["statementHandle"].as_str()
}

/// The product's error in a response.
pub(crate) fn refused(response: &Response) -> Error {
    read_error(response).unwrap_or_else(|| {
        Error::new(
            ErrorKind::ProductProtocolError,
            format!(
                "status {} isn't a response to this request",
                response.status
            ),
        )
    })
}

/// The error for a statement whose result the product no longer has.
pub(crate) fn expired(error: Error) -> Error {
    if error.kind() != ErrorKind::ProductNotFound {
        return error;
    }
    error.reclassify(
        ErrorKind::ResultExpired,
        "the product has no result for this handle; it keeps results for 24 hours, and only the user who submitted the statement can read them",
    )
}
