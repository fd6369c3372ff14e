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
    sql::{self, Engine, Outcome, Rows, Session},
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
