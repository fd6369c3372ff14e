//! `POST /api/v2/statements`.

use axum::http::StatusCode;
use jiff::Timestamp;

use super::{
    body::Body,
    record::{Record, Result as StatementResult, Stage},
};
use crate::{
    response::Response,
    warehouse::{
        State,
        account::{Account, Column, Kind},
        errors::{ApiError, SqlError},
        router::{Call, Caller},
        sql::{self, Engine, Outcome, Relation, Session},
    },
};

/// A statement that takes longer is accepted before its end (parameter `async`).
const SYNCHRONOUS_SECONDS: i64 = 45;

/// Executes SQL, unless this very request has been executed already.
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

/// What was executed under this id before, and did not fail.
fn earlier_execution(state: &mut State, caller: &Caller, id: &str) -> Option<Record> {
    let statements = &mut *state.statements;
    let handle = statements
        .by_request
        .get(&(caller.email.clone(), id.to_owned()))?
        .clone();
    let record = statements.find(&handle, &caller.email, state.now)?;
    matches!(record.result, StatementResult::Rows(_)).then(|| record.clone())
}

/// The response to a submission, as it would be after at most 45 seconds.
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
        // Earlier statements stay done where a later one fails.
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

/// Keeps each statement's result under a handle of its own.
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

/// The session of a request: what it names, or the user's defaults.
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
        // As USE DATABASE does.
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
