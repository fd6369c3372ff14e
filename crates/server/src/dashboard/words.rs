//! States and parties in the words that people read, with what each means.

use minijinja::{Value, context};
use stead::{
    ErrorKind,
    core::{error::ActBy, resource::ExecutionRecord},
};

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
    // Credentials.
    (
        "expired",
        "Ended",
        "quiet",
        "Past its time. It opens nothing any more.",
    ),
    // Approvals.
    (
        "approval_pending",
        "Waits",
        "warn",
        "A person has to decide.",
    ),
    (
        "approval_approved",
        "Approved",
        "ok",
        "The call may be made once.",
    ),
    (
        "approval_denied",
        "Denied",
        "bad",
        "The call may not be made.",
    ),
    ("approval_used", "Used", "quiet", "The call was made."),
    (
        "approval_expired",
        "Ended",
        "quiet",
        "Its time was over before the call was made.",
    ),
    // Members.
    (
        "member_invited",
        "Invited",
        "warn",
        "Has yet to follow the link of the invitation.",
    ),
    ("member_active", "Active", "ok", "May sign in."),
    (
        "member_disabled",
        "Kept out",
        "quiet",
        "May not sign in until let in again.",
    ),
    // Webhooks.
    ("webhook_on", "On", "ok", "Events are sent as they happen."),
    (
        "webhook_failing_now",
        "Fails",
        "warn",
        "Every delivery fails. It is given up after 5 days.",
    ),
    (
        "webhook_disabled",
        "Paused",
        "quiet",
        "Nothing is sent until it is resumed.",
    ),
    (
        "webhook_gone",
        "Gone",
        "bad",
        "The endpoint responded 410. Nothing is sent until it is resumed.",
    ),
    (
        "webhook_failing",
        "Given up",
        "bad",
        "Every delivery had failed for 5 days. Nothing is sent until it is resumed.",
    ),
    (
        "delivery_waiting",
        "Waiting",
        "warn",
        "Another attempt is due.",
    ),
    (
        "delivery_delivered",
        "Delivered",
        "ok",
        "The endpoint has taken it.",
    ),
    (
        "delivery_failed",
        "Failed",
        "bad",
        "The endpoint did not take it, and no attempt follows.",
    ),
    // Data keys.
    (
        "key_added",
        "Added",
        "info",
        "Every process can open with it. Nothing is sealed with it yet.",
    ),
    (
        "key_active",
        "Active",
        "ok",
        "Seals everything that is stored.",
    ),
    (
        "key_retiring",
        "Retiring",
        "warn",
        "Opens what it has sealed, and seals nothing more.",
    ),
    ("key_retired", "Destroyed", "quiet", "Only the row is left."),
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

/// The type of an event as a title: `account.refresh_failed` is `Account refresh failed`.
pub(super) fn event(event_type: &str) -> String {
    let words = event_type.replace(['.', '_'], " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// What an outcome of a call means, in a sentence.
pub(super) fn outcome(name: &str) -> &'static str {
    match ErrorKind::from_name(name) {
        Some(kind) => kind.summary(),
        None if name == "ok" => "The call did what was asked.",
        None => "",
    }
}

/// A call by its tool, and a raw request by its method and path.
pub(super) fn call(call: &ExecutionRecord) -> String {
    match (call.tool.as_str(), &call.path) {
        ("proxy", Some(path)) => format!("{} {path}", call.tool_version),
        ("proxy", None) if !call.tool_version.is_empty() => {
            format!("Raw request, {}", call.tool_version)
        }
        ("proxy", None) => String::from("Raw request"),
        (tool, _) => tool.to_owned(),
    }
}

/// What a product said to a call that failed there: `Refused by Gmail (403)`.
pub(super) fn refused(call: &ExecutionRecord, product: &str) -> Option<String> {
    let is_of_product = call.outcome.starts_with("product_");
    match call.product_status.filter(|_| is_of_product)? {
        status @ 400..500 => Some(format!("Refused by {product} ({status})")),
        status @ 500.. => Some(format!("{product} failed ({status})")),
        _ => None,
    }
}

/// What there is to do about a call that failed.
pub(super) fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::AuthorizationRequired | ErrorKind::ProductRejectedToken => {
            "Make a new link at the account and show it to the user, who opens it and agrees."
        }
        ErrorKind::ScopeMissing => {
            "Make a new link at the account: it asks the user for the permission that is missing."
        }
        ErrorKind::VerificationRequired => {
            "The application confirms who came back, with POST /v1/authorizations/{id}/verify."
        }
        ErrorKind::AccountNotFound => {
            "The application has to make a link for this user first, or names another user than it means."
        }
        ErrorKind::AccountSuspended => "Resume the account as soon as calls may be made again.",
        ErrorKind::ConnectionNotReady | ErrorKind::ConnectionCredentialsRejected => {
            "Correct client id and secret at the connection. No user has to do anything."
        }
        ErrorKind::SchemaViolation | ErrorKind::InvalidRequest => {
            "Correct the input. The response to the call lists every place that is wrong."
        }
        ErrorKind::OutcomeUnknown | ErrorKind::WriteUnconfirmed => {
            "Look at the product whether it has happened before the call is made again."
        }
        ErrorKind::ProductForbidden => {
            "The user may not do this at the product. Whoever shares the object, or runs the user’s organization, can allow it."
        }
        ErrorKind::ProductNotEnabled => {
            "Enable the product’s API in the project that the OAuth client belongs to."
        }
        _ if kind.retryable() => {
            "Nothing has to be corrected. Make the same call again a little later."
        }
        _ => match kind.act_by() {
            ActBy::AppDeveloper => {
                "Correct the call in the application. The response to the call said what is wrong."
            }
            ActBy::EndUser => "Make a new link at the account and show it to the user.",
            ActBy::Product => {
                "Only the product can change this. Ask it for help with the execution’s time."
            }
            _ => "Run stead doctor on the machine of the service: it says what is wrong.",
        },
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
    use stead::core::resource::{
        AccountState, ConnectionState, DataKeyState, DeliveryState, MemberState,
    };

    use super::*;

    #[test]
    fn every_state_has_words() {
        let accounts = AccountState::ALL.map(AccountState::name);
        let connections = ConnectionState::ALL.map(ConnectionState::name);
        let is_known = |name: &str| STATES.iter().any(|(known, ..)| *known == name);
        for name in accounts.iter().chain(&connections) {
            assert!(is_known(name), "{name}");
        }
        let members = MemberState::ALL.map(|state| format!("member_{}", state.name()));
        let deliveries = DeliveryState::ALL.map(|state| format!("delivery_{}", state.name()));
        let keys = DataKeyState::ALL.map(|state| format!("key_{}", state.name()));
        for name in members.iter().chain(&deliveries).chain(&keys) {
            assert!(is_known(name), "{name}");
        }
    }
}
