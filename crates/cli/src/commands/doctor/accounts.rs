//! Accounts that don't work until someone acts.

use stead_core::{environment::Examination, state::AccountState};

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
                format!("must be reconnected by their users{why}"),
                format!("Send each user a new link: stead connect {connection} IDENTIFIER"),
            ),
            AccountState::PendingVerification => (
                String::from("must be confirmed by your application"),
                String::from(
                    "Your application calls POST /v1/authorizations/{authorization_id}/verify when the user returns.",
                ),
            ),
            _ => continue,
        };
        let message = format!("{connection}: {count} {what}");
        findings.push(Finding::warning(CHECK, message, remedy));
    }
    findings.sort_by(|one, other| one.message.cmp(&other.message));
    if let Some(at) = examination.restored_at {
        let message = format!(
            "an older copy of the database was restored at {at}; products may refuse refresh tokens that were used since the copy"
        );
        findings.push(Finding::warning(
            CHECK,
            message,
            "Do nothing as long as calls succeed. If a token is refused, its user must reconnect: stead connect CONNECTION IDENTIFIER",
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(
            CHECK,
            format!("{active} active, and no one needs to act"),
        ));
    }
    findings
}

/// A word of the API without underscores.
fn said(word: &impl serde::Serialize) -> String {
    let word = serde_json::to_value(word).unwrap_or_default();
    word.as_str().unwrap_or_default().replace('_', " ")
}
