//! Accounts that work only once somebody has done something.

use stead::core::{environment::Examination, state::AccountState};

use super::Finding;

const CHECK: &str = "accounts";

pub(super) fn look(examination: &Examination) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut active = 0;
    for ((connection, state, reason), count) in &examination.accounts {
        let why = reason.map_or_else(String::new, |reason| format!(" ({})", said(&reason)));
        let (what, remedy) = match state {
            AccountState::Active => {
                active += count;
                continue;
            }
            AccountState::NeedsReauthorization => (
                format!("need their user to authorize again{why}"),
                format!("Send them a new link: stead connect {connection} IDENTIFIER"),
            ),
            AccountState::PendingVerification => (
                String::from("wait for the application to confirm who came back"),
                String::from(
                    "Let the application call POST /v1/authorizations/{authorization_id}/verify.",
                ),
            ),
            _ => continue,
        };
        let message = format!("{count} of {connection} {what}");
        findings.push(Finding::warning(CHECK, message, remedy));
    }
    findings.sort_by(|one, other| one.message.cmp(&other.message));
    if let Some(at) = examination.restored_at {
        let message = format!(
            "an older copy of the database was put back at {at}; refresh tokens that were used since may be refused"
        );
        findings.push(Finding::warning(
            CHECK,
            message,
            "Nothing, as long as calls succeed. A user whose token is refused has to authorize again: stead connect CONNECTION IDENTIFIER",
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(
            CHECK,
            format!("{active} are active, and none waits for somebody"),
        ));
    }
    findings
}

/// A word of the API, as people read it.
fn said(word: &impl serde::Serialize) -> String {
    let word = serde_json::to_value(word).unwrap_or_default();
    word.as_str().unwrap_or_default().replace('_', " ")
}
