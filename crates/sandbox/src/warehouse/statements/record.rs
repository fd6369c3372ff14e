//! A submitted statement, and the API's responses about it.

use axum::http::{HeaderName, StatusCode};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::{
    response::Response,
    warehouse::{
        account::{Cell, Column, Kind},
        errors::SqlError,
        sql::Outcome,
    },
};

/// How many rows a partition has.
const PARTITION: usize = 1000;
/// How many seconds of the statement's time a poll counts as.
const SECONDS_PER_POLL: i64 = 10;

/// A statement, or the parent of several.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) handle: String,
    /// The email address of the user who submitted it.
    pub(super) user: String,
    /// The original body, to tell a repeat from another request.
    pub(super) asked: String,
    pub(super) request_id: Option<String>,
    pub(super) created: Timestamp,
    /// How many seconds have passed by polling.
    pub(super) waited: i64,
    polls: u32,
    /// After how many seconds Snowflake cancels it.
    pub(super) timeout: Option<i64>,
    pub(super) cancelled: bool,
    /// Whether NULL is shown as null. Otherwise it's the text "null".
    pub(super) nullable: bool,
    pub(super) result: Result,
    /// The handles of its child statements.
    pub(super) children: Vec<String>,
}

/// The final result.
#[derive(Debug, Clone)]
pub(super) enum Result {
    Rows(Outcome),
    Failed(SqlError),
}

/// The progress of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    Running,
    Done,
    Failed(SqlError),
    TimedOut(i64),
}

impl Record {
    pub(super) fn new(
        handle: &str,
        user: &str,
        asked: &str,
        now: Timestamp,
        result: Result,
    ) -> Self {
        Self {
            handle: handle.to_owned(),
            user: user.to_owned(),
            asked: asked.to_owned(),
            request_id: None,
            created: now,
            waited: 0,
            polls: 0,
            timeout: None,
            cancelled: false,
            nullable: true,
            result,
            children: Vec::new(),
        }
    }

    /// How many seconds the statement takes.
    pub(super) fn seconds(&self) -> i64 {
        match &self.result {
            Result::Rows(outcome) => outcome.seconds,
            Result::Failed(_) => 0,
        }
    }

    /// The stage at this time.
    pub(super) fn stage(&self, now: Timestamp) -> Stage {
        let passed = now
            .duration_since(self.created)
            .max(SignedDuration::ZERO)
            .as_secs()
            + self.waited;
        if self.cancelled {
            return Stage::Failed(SqlError::new("000604", "57014", "SQL execution canceled"));
        }
        if let Some(timeout) = self.timeout.filter(|timeout| *timeout < self.seconds()) {
            return if passed >= timeout {
                Stage::TimedOut(timeout)
            } else {
                Stage::Running
            };
        }
        match &self.result {
            _ if passed < self.seconds() => Stage::Running,
            Result::Rows(_) => Stage::Done,
            Result::Failed(error) => Stage::Failed(error.clone()),
        }
    }

    /// The response to a poll of a running statement: 202, and every second time 429 with the same body.
    pub(super) fn running(&mut self) -> Response {
        self.waited += SECONDS_PER_POLL;
        self.polls += 1;
        let status = if self.polls.is_multiple_of(2) {
            StatusCode::TOO_MANY_REQUESTS
        } else {
            StatusCode::ACCEPTED
        };
        self.in_progress(status, "333333")
    }

    /// 202 for a submission.
    pub(super) fn accepted(&self) -> Response {
        self.in_progress(StatusCode::ACCEPTED, "333334")
    }

    fn in_progress(&self, status: StatusCode, code: &str) -> Response {
        let message = "Asynchronous execution in progress. Use provided query id to perform query monitoring and management.";
        Response::json(status, &self.status_body(code, "00000", message), false)
    }

    /// 422 for a failed statement.
    pub(super) fn failed(&self, error: &SqlError) -> Response {
        Response::json(
            StatusCode::UNPROCESSABLE_ENTITY,
            &self.status_body(&error.code, &error.state, &error.message),
            false,
        )
    }

    /// The response for a statement that reached its timeout.
    pub(super) fn timed_out(&self, status: StatusCode, seconds: i64) -> Response {
        let message = format!(
            "Statement reached its statement or warehouse timeout of {seconds} second(s) and was canceled."
        );
        Response::json(
            status,
            &self.status_body("000630", "57014", &message),
            false,
        )
    }

    /// The response to a cancellation. It doesn't say when the statement was created.
    pub(super) fn cancelled(&self) -> Response {
        let error = SqlError::new("000604", "57014", "SQL execution canceled");
        self.of_cancellation(StatusCode::OK, &error)
    }

    /// The response to a cancellation that is too late.
    pub(super) fn not_cancelled(&self) -> Response {
        let message = format!(
            "Identified SQL statement is not currently executing: {}",
            self.handle
        );
        let error = SqlError::new("000605", "02000", message);
        self.of_cancellation(StatusCode::UNPROCESSABLE_ENTITY, &error)
    }

    fn of_cancellation(&self, status: StatusCode, error: &SqlError) -> Response {
        let mut body = self.status_body(&error.code, &error.state, &error.message);
        if let Some(members) = body.as_object_mut() {
            members.remove("createdOn");
        }
        Response::json(status, &body, false)
    }

    /// A partition of the result. `None` after the last one. The first partition comes with the metadata. Others come
    /// alone and are always compressed.
    pub(super) fn partition(&self, number: usize) -> Option<Response> {
        let Result::Rows(outcome) = &self.result else {
            return None;
        };
        let relation = &outcome.relation;
        let pieces: Vec<&[Vec<Cell>]> = relation.rows.chunks(PARTITION).collect();
        let data =
            |rows: &[Vec<Cell>]| rows.iter().map(|row| self.row(row)).collect::<Vec<Value>>();
        if number > 0 {
            let rows = pieces.get(number)?;
            return Some(
                Response::json(StatusCode::OK, &json!({"data": data(rows)}), false).gzipped(),
            );
        }
        let first = pieces.first().copied().unwrap_or_default();
        let sizes: Vec<Value> = match pieces.len() {
            0 => vec![json!({"rowCount": 0, "uncompressedSize": 2})],
            _ => pieces.iter().map(|rows| json!({"rowCount": rows.len(), "uncompressedSize": json!(data(rows)).to_string().len()})).collect(),
        };
        let count = sizes.len();
        let mut body = self.status_body("090001", "00000", "Statement executed successfully.");
        body["resultSetMetaData"] = json!({
            "numRows": relation.rows.len(),
            "format": "jsonv2",
            "partitionInfo": sizes,
            "rowType": relation.columns.iter().map(row_type).collect::<Vec<_>>(),
        });
        body["data"] = json!(data(first));
        if let Some(changed) = outcome.changed {
            body["stats"] = json!({
                "numRowsInserted": changed.inserted,
                "numRowsUpdated": changed.updated,
                "numRowsDeleted": changed.deleted,
                "numDuplicateRowsUpdated": 0,
            });
        }
        if !self.children.is_empty() {
            body["statementHandles"] = json!(self.children);
        }
        let response = Response::json(StatusCode::OK, &body, false);
        Some(response.with(HeaderName::from_static("link"), &self.links(count)))
    }

    fn row(&self, row: &[Cell]) -> Value {
        row.iter()
            .map(|cell| match cell {
                None if self.nullable => Value::Null,
                None => json!("null"),
                Some(text) => json!(text),
            })
            .collect()
    }

    fn links(&self, count: usize) -> String {
        let to = |number: usize, place: &str| {
            format!("<{}partition={number}>;rel=\"{place}\"", self.url(true))
        };
        let mut links = vec![to(0, "first"), to(count - 1, "last")];
        if count > 1 {
            links.push(to(1, "next"));
        }
        links.join(",")
    }

    fn url(&self, more: bool) -> String {
        let id = self.request_id.as_ref().map(|id| format!("requestId={id}"));
        let path = format!("/api/v2/statements/{}", self.handle);
        match (id, more) {
            (Some(id), true) => format!("{path}?{id}&"),
            (Some(id), false) => format!("{path}?{id}"),
            (None, true) => format!("{path}?"),
            (None, false) => path,
        }
    }

    fn status_body(&self, code: &str, state: &str, message: &str) -> Value {
        json!({
            "code": code,
            "sqlState": state,
            "message": message,
            "statementHandle": self.handle,
            "createdOn": self.created.as_millisecond(),
            "statementStatusUrl": self.url(false),
        })
    }
}

/// A column's entry in `rowType` (`sqlapi.yaml`). Numbers that don't apply to the type are 0.
fn row_type(column: &Column) -> Value {
    let (name, length, precision, scale) = match column.kind {
        Kind::Fixed(scale) => ("fixed", 0, 38, scale),
        Kind::Real => ("real", 0, 0, 0),
        Kind::Text => ("text", 16_777_216, 0, 0),
        Kind::Boolean => ("boolean", 0, 0, 0),
        Kind::Binary => ("binary", 8_388_608, 0, 0),
        Kind::Date => ("date", 0, 0, 0),
        Kind::Time => ("time", 0, 0, 9),
        Kind::TimestampNtz => ("timestamp_ntz", 0, 0, 9),
        Kind::TimestampLtz => ("timestamp_ltz", 0, 0, 9),
        Kind::TimestampTz => ("timestamp_tz", 0, 0, 9),
    };
    json!({
        "name": column.name,
        "type": name,
        "length": length,
        "precision": precision,
        "scale": scale,
        "nullable": column.nullable,
    })
}
