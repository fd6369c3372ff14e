//! `POST /api/v2/statements`.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::record::{Record, Result as StatementResult, Stage};
use crate::{
    response::Response,
    warehouse::{
        Call, Caller, State,
        account::{Account, Column, Kind},
        errors::{ApiError, SqlError},
        sql::{self, BoundValue, Engine, Outcome, Relation, Session, bind},
    },
};

/// If a statement takes longer than this, Snowflake responds before it's finished (parameter `async`).
const SYNCHRONOUS_SECONDS: i64 = 45;

/// Executes SQL, unless the same request has already been executed.
pub(in crate::warehouse) fn submit(
    state: &mut State,
    call: &Call<'_>,
) -> Result<Response, ApiError> {
    let body = Body::read(&call.request.body)?;
    let asynchronous = call.query.first("async") == Some("true");
    let asked = String::from_utf8_lossy(&call.request.body).into_owned();
    let request_id = call.query.first("requestId");
    let now = state.now;

    if let (Some(id), Some("true")) = (request_id, call.query.first("retry"))
        && let Some(record) = earlier_execution(state, &call.caller, id)
    {
        if record.asked != asked {
            return Err(ApiError::invalid(
                "Another statement was submitted with this requestId.",
            ));
        }
        return Ok(submission_response(&record, now, asynchronous));
    }

    let mut record = execute(state, call, &body)?;
    record.asked = asked;
    record.request_id = request_id.map(str::to_owned);
    record.nullable = call.query.first("nullable") != Some("false");
    record.timeout = body
        .timeout
        .filter(|timeout| *timeout > 0)
        .and_then(|timeout| i64::try_from(timeout).ok());
    let response = submission_response(&record, now, asynchronous);
    if !asynchronous {
        record.waited = SYNCHRONOUS_SECONDS.min(record.seconds());
    }
    let statements = &mut *state.statements;
    if let Some(id) = request_id {
        statements
            .by_request
            .insert((record.user.clone(), id.to_owned()), record.handle.clone());
    }
    statements.records.insert(record.handle.clone(), record);
    Ok(response)
}

/// The earlier execution with this request ID, if it succeeded.
fn earlier_execution(state: &mut State, caller: &Caller, id: &str) -> Option<Record> {
    let statements = &mut *state.statements;
    let handle = statements
        .by_request
        .get(&(caller.email.clone(), id.to_owned()))?
        .clone();
    let record = statements.find(&handle, &caller.email, state.now)?;
    matches!(record.result, StatementResult::Rows(_)).then(|| record.clone())
}

/// The response to a submission after at most 45 seconds.
fn submission_response(record: &Record, now: Timestamp, asynchronous: bool) -> Response {
    if asynchronous {
        return record.accepted();
    }
    let mut waited = record.clone();
    waited.waited += SYNCHRONOUS_SECONDS;
    match waited.stage(now) {
        Stage::Running => record.accepted(),
        Stage::TimedOut(seconds) => record.timed_out(StatusCode::REQUEST_TIMEOUT, seconds),
        Stage::Failed(error) => record.failed(&error),
        Stage::Done => record.partition(0).unwrap_or_else(|| record.accepted()),
    }
}

fn execute(state: &mut State, call: &Call<'_>, body: &Body) -> Result<Record, ApiError> {
    let count = body.count()?;
    let now = state.now;
    let user = &call.caller.email;
    let handle = state.statements.next_handle();
    let failed =
        |error: SqlError| Record::new(&handle, user, "", now, StatementResult::Failed(error));

    let prepared = session(&*state.account, &call.caller, body).and_then(|session| {
        let statements = sql::split(&body.statement)?;
        let bound = body.bound_values()?;
        Ok((session, statements, bound))
    });
    let (session, statements, bound) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return Ok(failed(error)),
    };
    if let Some(count) = count.filter(|count| *count != statements.len()) {
        let message = format!(
            "Actual statement count {} did not match the desired statement count {count}.",
            statements.len()
        );
        return Ok(failed(SqlError::new("000008", "0A000", message)));
    }
    let several = count != Some(1);
    if several && !bound.is_empty() {
        return Err(ApiError::invalid(
            "Bind variables are not supported with several statements.",
        ));
    }
    let mut outcomes = Vec::new();
    let mut engine = Engine {
        account: state.account,
        rows: state.rows,
        session: &session,
        bindings: &bound,
        now,
    };
    for statement in statements {
        // Earlier statements stay executed if a later one fails.
        match engine.run(&statement) {
            Ok(mut outcome) => {
                outcome
                    .relation
                    .rows
                    .truncate(body.most_rows().unwrap_or(usize::MAX));
                outcomes.push(outcome);
            }
            Err(error) => return Ok(failed(error)),
        }
    }
    if several {
        return Ok(parent(state, call, &handle, outcomes));
    }
    let outcome = outcomes
        .pop()
        .ok_or_else(|| ApiError::payload("The statement is empty."))?;
    Ok(Record::new(
        &handle,
        user,
        "",
        now,
        StatementResult::Rows(outcome),
    ))
}

/// Stores each statement's result under its own handle.
fn parent(state: &mut State, call: &Call<'_>, handle: &str, outcomes: Vec<Outcome>) -> Record {
    let mut children = Vec::new();
    let seconds = outcomes.iter().map(|outcome| outcome.seconds).sum();
    for outcome in outcomes {
        let statements = &mut *state.statements;
        let child = statements.next_handle();
        let record = Record::new(
            &child,
            &call.caller.email,
            "",
            state.now,
            StatementResult::Rows(outcome),
        );
        statements.records.insert(child.clone(), record);
        children.push(child);
    }
    let column = Column::new("multiple statement execution", Kind::Text);
    let row = vec![Some(
        "Multiple statements executed successfully.".to_owned(),
    )];
    let outcome = Outcome {
        relation: Relation {
            columns: vec![column],
            rows: vec![row],
        },
        seconds,
        changed: None,
    };
    let mut record = Record::new(
        handle,
        &call.caller.email,
        "",
        state.now,
        StatementResult::Rows(outcome),
    );
    record.children = children;
    record
}

/// The session of a request: its own settings, or the user's defaults.
fn session(account: &Account, caller: &Caller, body: &Body) -> Result<Session, SqlError> {
    let Some(person) = account.person(&caller.email) else {
        return Err(SqlError::no_object("User", &caller.email));
    };
    let role = match (&caller.role, &body.role) {
        (Some(own), None) => own.clone(),
        (Some(own), Some(asked)) if own == asked => own.clone(),
        (None, Some(asked)) if person.has_role(asked) => asked.clone(),
        (None, None) => person.default_role().to_owned(),
        (_, Some(asked)) => {
            let message = format!(
                "Role '{asked}' specified in the connect string is not granted to this user, or not by this token."
            );
            return Err(SqlError::new("390189", "08004", message));
        }
    };
    let missing = |kind: &str, name: &str| {
        let message = format!("The requested {kind} does not exist or not authorized: {name}");
        SqlError::new("390201", "08004", message)
    };
    let usable = |name: &str| {
        account
            .warehouses
            .iter()
            .any(|one| one.name == name && one.roles.contains(&role.as_str()))
    };
    let warehouse = match &body.warehouse {
        Some(name) if !usable(name) => return Err(missing("warehouse", name)),
        Some(name) => Some(name.clone()),
        None => person
            .warehouse
            .filter(|name| usable(name))
            .map(str::to_owned),
    };
    let default = person
        .namespace
        .filter(|(database, _)| account.database(database, &role).is_some());
    let database = match &body.database {
        Some(name) => Some(
            account
                .database(name, &role)
                .ok_or_else(|| missing("database", name))?
                .name
                .to_owned(),
        ),
        None => default.map(|(database, _)| database.to_owned()),
    };
    let schema = match (&body.schema, &body.database) {
        (Some(name), _) => Some(name.clone()),
        // USE DATABASE does the same.
        (None, Some(_)) => Some("PUBLIC".to_owned()),
        (None, None) => default.map(|(_, schema)| schema.to_owned()),
    };
    if let (Some(asked), Some(database)) = (&body.schema, &database)
        && asked != "INFORMATION_SCHEMA"
        && account
            .database(database, &role)
            .is_some_and(|database| database.schema(asked).is_none())
    {
        return Err(missing("schema", asked));
    }
    Ok(Session {
        person: person.clone(),
        role,
        warehouse,
        database,
        schema,
    })
}

/// Session parameters that a request may set. They ignore case.
const PARAMETERS: [&str; 14] = [
    "binary_output_format",
    "client_result_chunk_size",
    "date_output_format",
    "multi_statement_count",
    "query_tag",
    "rows_per_resultset",
    "time_output_format",
    "timestamp_ltz_output_format",
    "timestamp_ntz_output_format",
    "timestamp_output_format",
    "timestamp_tz_output_format",
    "timezone",
    "use_cached_result",
    "week_start",
];

/// The body of a submission.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    pub(super) statement: String,
    /// The timeout in seconds. 0 means the maximum.
    pub(super) timeout: Option<u64>,
    pub(super) database: Option<String>,
    pub(super) schema: Option<String>,
    pub(super) warehouse: Option<String>,
    pub(super) role: Option<String>,
    bindings: Option<BTreeMap<String, Binding>>,
    parameters: Option<BTreeMap<String, Value>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Binding {
    #[serde(rename = "type")]
    kind: String,
    /// A text or null.
    value: Option<String>,
    #[expect(
        dead_code,
        reason = "the format of a value is known to the product, and is ignored here"
    )]
    fmt: Option<String>,
}

impl Body {
    /// Parses a body.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ApiError> {
        let body: Self =
            serde_json::from_slice(bytes).map_err(|error| ApiError::payload(&error.to_string()))?;
        for (name, value) in body.parameters.iter().flatten() {
            if !PARAMETERS.contains(&name.to_ascii_lowercase().as_str()) {
                return Err(ApiError::payload(&format!("Unknown parameter {name}.")));
            }
            if value.is_object() || value.is_array() || value.is_null() {
                return Err(ApiError::payload(&format!(
                    "Invalid value of the parameter {name}."
                )));
            }
        }
        for (name, binding) in body.bindings.iter().flatten() {
            let in_order = name.parse::<usize>().is_ok_and(|number| {
                (1..=body.bindings.as_ref().map_or(0, BTreeMap::len)).contains(&number)
            });
            if !in_order || bind(&binding.kind, None).is_none() {
                return Err(ApiError::payload(&format!("Invalid binding {name}.")));
            }
        }
        Ok(body)
    }

    /// The bind variables in order.
    pub(super) fn bound_values(&self) -> Result<Vec<BoundValue>, SqlError> {
        let bindings = self.bindings.iter().flatten();
        let mut numbered: Vec<(usize, &Binding)> = bindings
            .map(|(name, binding)| (name.parse().unwrap_or_default(), binding))
            .collect();
        numbered.sort_by_key(|(number, _)| *number);
        let read = numbered
            .into_iter()
            .filter_map(|(_, binding)| bind(&binding.kind, binding.value.as_deref()));
        read.collect()
    }

    /// How many statements the client expects. `None` means any number.
    pub(super) fn count(&self) -> Result<Option<usize>, ApiError> {
        match self.parameter("multi_statement_count") {
            None => Ok(Some(1)),
            Some(text) => match text.parse() {
                Ok(0) => Ok(None),
                Ok(count) => Ok(Some(count)),
                Err(_) => Err(ApiError::payload(
                    "MULTI_STATEMENT_COUNT is a number that is not negative.",
                )),
            },
        }
    }

    /// The largest number of rows in a result.
    pub(super) fn most_rows(&self) -> Option<usize> {
        self.parameter("rows_per_resultset")?
            .parse()
            .ok()
            .filter(|most| *most > 0)
    }

    fn parameter(&self, wanted: &str) -> Option<String> {
        let mut parameters = self.parameters.iter().flatten();
        let (_, value) = parameters.find(|(name, _)| name.eq_ignore_ascii_case(wanted))?;
        Some(
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        )
    }
}
