//! `/api/v2/statements`: submits statements, returns their status, and cancels them.

mod record;
mod submit;

use std::collections::BTreeMap;

use axum::http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

pub(super) use submit::submit;

use super::{
    Call, State,
    errors::{ApiError, SqlError},
    sql::{self, Engine, Outcome, Rows, Session},
};
use crate::{
    response::Response,
    warehouse::account::{Account, FINISHED, RUNNING},
};
use record::{Record, Result as StatementResult, Stage};

/// Results are available for a day ("Handling responses").
const RETENTION: SignedDuration = SignedDuration::from_hours(24);

/// Statements by handle.
#[derive(Debug, Default)]
pub(super) struct Statements {
    records: BTreeMap<String, Record>,
    /// Handles by user and request ID.
    by_request: BTreeMap<(String, String), String>,
    issued: u64,
}

impl Statements {
    /// The initial history.
    pub(super) fn seeded(account: &mut Account, rows: &Rows, now: Timestamp) -> Self {
        let mut statements = Self::default();
        let Some(ada) = account.person("ada@example.com").cloned() else {
            return statements;
        };
        let session = Session {
            person: ada.clone(),
            role: ada.default_role().to_owned(),
            warehouse: ada.warehouse.map(str::to_owned),
            database: Some("SALES".to_owned()),
            schema: Some("PUBLIC".to_owned()),
        };
        for (handle, text) in [
            (FINISHED, "SELECT * FROM EVENTS ORDER BY ID"),
            (RUNNING, "SELECT SYSTEM$WAIT(3600)"),
        ] {
            let result = match run_one(account, rows, &session, now, text) {
                Ok(outcome) => StatementResult::Rows(outcome),
                Err(error) => StatementResult::Failed(error),
            };
            let record = Record::new(handle, ada.email, text, now, result);
            statements.records.insert(handle.to_owned(), record);
        }
        statements
    }

    /// A new handle. It looks like a UUID, but has no valid version.
    fn next_handle(&mut self) -> String {
        self.issued += 1;
        format!("01c00000-0000-0a1b-0000-0001{:08x}", self.issued)
    }

    /// A user's statement, if it's still available.
    fn find(&mut self, handle: &str, user: &str, now: Timestamp) -> Option<&mut Record> {
        let record = self.records.get_mut(handle)?;
        let kept = record
            .created
            .checked_add(RETENTION)
            .is_ok_and(|until| until > now);
        (kept && record.user == user).then_some(record)
    }
}

fn run_one(
    account: &mut Account,
    rows: &Rows,
    session: &Session,
    now: Timestamp,
    text: &str,
) -> Result<Outcome, SqlError> {
    let mut engine = Engine {
        account,
        rows,
        session,
        bindings: &[],
        now,
    };
    let mut last = None;
    for statement in sql::split(text)? {
        last = Some(engine.run(&statement)?);
    }
    last.ok_or_else(|| SqlError::unsupported("nothing"))
}

/// The status of a statement, or a partition of its result.
pub(super) fn status(
    state: &mut State,
    call: &Call<'_>,
    handle: &str,
) -> Result<Response, ApiError> {
    let now = state.now;
    let record = state.statements.find(handle, &call.caller.email, now);
    let record =
        record.ok_or_else(|| ApiError::not_found(format!("Statement {handle} not found.")))?;
    Ok(match record.stage(now) {
        Stage::Running => record.running(),
        Stage::TimedOut(seconds) => record.timed_out(StatusCode::UNPROCESSABLE_ENTITY, seconds),
        Stage::Failed(error) => record.failed(&error),
        Stage::Done => {
            let number = call
                .query
                .first("partition")
                .and_then(|number| number.parse().ok())
                .unwrap_or_default();
            match record.partition(number) {
                Some(response) => response,
                None => record.failed(&SqlError::new(
                    "391917",
                    "02000",
                    format!("The partition {number} does not exist."),
                )),
            }
        }
    })
}

/// Cancels a running statement.
pub(super) fn cancel(
    state: &mut State,
    call: &Call<'_>,
    handle: &str,
) -> Result<Response, ApiError> {
    if !call.request.body.is_empty() {
        return Err(ApiError::payload("A cancellation has no body."));
    }
    let now = state.now;
    let Some(record) = state.statements.find(handle, &call.caller.email, now) else {
        let body = json!({"code": "000709", "sqlState": "02000", "message": format!("Statement {handle} not found"), "statementHandle": handle});
        return Ok(Response::json(
            StatusCode::UNPROCESSABLE_ENTITY,
            &body,
            false,
        ));
    };
    if record.stage(now) != Stage::Running {
        return Ok(record.not_cancelled());
    }
    record.cancelled = true;
    Ok(record.cancelled())
}
