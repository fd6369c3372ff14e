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
use crate::world::warehouse::{Account, FINISHED, RUNNING};
use record::{Record, Result as Reached};

/// Results are kept for a day ("Handling responses").
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// Statements by handle.
#[derive(Debug, Default)]
pub(super) struct Statements {
    records: BTreeMap<String, Record>,
    /// Handles by the request ids of their users.
    by_request: BTreeMap<(String, String), String>,
    minted: u64,
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
            let reached = run_one(&mut account.clone(), &session, text);
            let record = Record::new(handle, ada.email, text, now, reached);
            statements.records.insert(handle.to_owned(), record);
        }
        statements
    }

    /// A new handle: of the form of a UUID, of no version of it.
    fn ids(&mut self) -> String {
        self.minted += 1;
        format!("01c00000-0000-0a1b-0000-0001{:08x}", self.minted)
    }

    /// A statement of this user that is still kept.
    fn find(&mut self, handle: &str, user: &str, now: Timestamp) -> Option<&mut Record> {
        let record = self.records.get_mut(handle)?;
        let kept = record
            .created
            .checked_add(KEPT)
            .is_ok_and(|until| until > now);
        (kept && record.user == user).then_some(record)
    }
}

fn run_one(account: &mut Account, session: &Session, text: &str) -> Reached {
    let outcome: Result<Vec<Outcome>, SqlError> = sql::split(text).and_then(|statements| {
        statements
            .into_iter()
            .map(|one| sql::run(account, session, &[], one))
            .collect()
    });
    match outcome.map(|mut outcomes| outcomes.pop()) {
        Ok(Some(outcome)) => Reached::Rows(outcome),
        Ok(None) => Reached::Failed(SqlError::new(
            "000900",
            "42601",
            "SQL compilation error:\nEmpty SQL statement.",
        )),
        Err(error) => Reached::Failed(error),
    }
}
