//! `/api/v2/statements`: submitting, asking and cancelling, a file each.

mod body;
mod cancel;
mod record;
mod status;
mod submit;

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

pub(super) use cancel::cancel;
pub(super) use status::status;
pub(super) use submit::submit;

use super::{
    errors::SqlError,
    sql::{self, Outcome, Session},
};
use crate::warehouse::account::{Account, FINISHED, RUNNING};
use record::{Record, Result as StatementResult};

/// Results are kept for a day ("Handling responses").
const RETENTION: SignedDuration = SignedDuration::from_hours(24);

/// Statements by handle.
#[derive(Debug, Default)]
pub(super) struct Statements {
    records: BTreeMap<String, Record>,
    /// Handles by the request ids of their users.
    by_request: BTreeMap<(String, String), String>,
    issued: u64,
}

impl Statements {
    /// The history that the world begins with.
    pub(super) fn seeded(account: &Account, now: Timestamp) -> Self {
        let mut statements = Self::default();
        let Some(ada) = account.person("ada@example.com") else {
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
            let result = run_one(&mut account.clone(), &session, text);
            let record = Record::new(handle, ada.email, text, now, result);
            statements.records.insert(handle.to_owned(), record);
        }
        statements
    }

    /// A new handle: of the form of a UUID, of no version of it.
    fn next_handle(&mut self) -> String {
        self.issued += 1;
        format!("01c00000-0000-0a1b-0000-0001{:08x}", self.issued)
    }

    /// A statement of this user that is still kept.
    fn find(&mut self, handle: &str, user: &str, now: Timestamp) -> Option<&mut Record> {
        let record = self.records.get_mut(handle)?;
        let kept = record
            .created
            .checked_add(RETENTION)
            .is_ok_and(|until| until > now);
        (kept && record.user == user).then_some(record)
    }
}

fn run_one(account: &mut Account, session: &Session, text: &str) -> StatementResult {
    let outcome: Result<Vec<Outcome>, SqlError> = sql::split(text).and_then(|statements| {
        statements
            .into_iter()
            .map(|one| sql::run(account, session, &[], one))
            .collect()
    });
    match outcome.map(|mut outcomes| outcomes.pop()) {
        Ok(Some(outcome)) => StatementResult::Rows(outcome),
        Ok(None) => StatementResult::Failed(SqlError::new(
            "000900",
            "42601",
            "SQL compilation error:\nEmpty SQL statement.",
        )),
        Err(error) => StatementResult::Failed(error),
    }
}
