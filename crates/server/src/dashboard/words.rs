//! States and parties in the words that people read, with what each means.

use minijinja::{Value, context};
use stead::core::error::ActBy;

/// Name, words, colour, and what it means.
const STATES: &[(&str, &str, &str, &str)] = &[
    // Connections.
    (
        "draft",
        "Draft",
        "warn",
        "Client id or secret are missing. The operator adds those of the OAuth client that is registered at the product.",
    ),
    (
        "ready",
        "Ready",
        "ok",
        "Users can connect, and calls can be made.",
    ),
    (
        "disabled",
        "Disabled",
        "quiet",
        "Switched off. Its accounts keep their state.",
    ),
    (
        "client_rejected",
        "Client rejected",
        "bad",
        "The product refuses the client id or secret. The operator corrects them.",
    ),
    // Accounts.
    (
        "pending_authorization",
        "Not connected",
        "quiet",
        "The user has yet to open a link and consent.",
    ),
    (
        "pending_verification",
        "To be confirmed",
        "warn",
        "The user came back. The application has yet to confirm who it was.",
    ),
    ("active", "Active", "ok", "Calls can be made."),
    (
        "needs_reauthorization",
        "Must connect again",
        "bad",
        "The product does not take the credential any more. Only the user can change that, with a new link.",
    ),
    (
        "suspended",
        "Suspended",
        "quiet",
        "Paused here. The credential is kept.",
    ),
    (
        "disconnected",
        "Disconnected",
        "quiet",
        "Ended. The credential is destroyed.",
    ),
    // Health of an account.
    (
        "degraded",
        "Degraded",
        "warn",
        "The credential could not be refreshed, for a reason that passes.",
    ),
    // Effects of tools.
    ("read", "Reads", "quiet", "Changes nothing at the product."),
    (
        "write",
        "Writes",
        "info",
        "Adds or changes something at the product.",
    ),
    (
        "delete",
        "Deletes",
        "bad",
        "Removes something at the product.",
    ),
    // Outcomes of calls.
    ("ok", "OK", "ok", "The call did what was asked."),
];

/// A state for a badge. One that is not known is shown by its name.
pub(super) fn state(name: &str) -> Value {
    let found = STATES.iter().find(|(known, ..)| *known == name);
    match found {
        Some(&(_, label, tone, hint)) => context! { label, tone, hint },
        None => context! { label => name, tone => "quiet", hint => "" },
    }
}

/// Who must act, as people say it.
pub(super) const fn act_by(party: ActBy) -> &'static str {
    match party {
        ActBy::AppDeveloper => "The application’s developer",
        ActBy::EndUser => "The user",
        ActBy::Product => "The product",
        _ => "The operator",
    }
}

#[cfg(test)]
mod tests {
    use stead::core::resource::{AccountState, ConnectionState};

    use super::*;

    #[test]
    fn every_state_has_words() {
        let accounts = AccountState::ALL.map(AccountState::name);
        let connections = ConnectionState::ALL.map(ConnectionState::name);
        for name in accounts.iter().chain(&connections) {
            assert!(STATES.iter().any(|(known, ..)| known == name), "{name}");
        }
    }
}
