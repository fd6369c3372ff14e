//! Labels and explanations of states, outcomes and parties.

use minijinja::{Value, context};
use stead::ErrorKind;
use stead_core::{error::ActBy, resource::ExecutionRecord};

/// Name, label, color and explanation.
const STATES: &[(&str, &str, &str, &str)] = &[
    // Connections.
    (
        "draft",
        "Draft",
        "warn",
        "The client ID or secret is missing. The operator needs to enter those of the OAuth client at the product.",
    ),
    ("ready", "Ready", "ok", "Users can connect, and calls work."),
    (
        "disabled",
        "Disabled",
        "quiet",
        "No one can connect, and all calls are refused. Accounts keep their state.",
    ),
    (
        "client_rejected",
        "Client rejected",
        "bad",
        "The product rejects the client ID or secret. The operator needs to correct them.",
    ),
    // Accounts.
    (
        "pending_authorization",
        "Not connected",
        "quiet",
        "The user hasn’t opened a link and consented yet.",
    ),
    (
        "pending_verification",
        "Needs confirmation",
        "warn",
        "The user consented, but the application hasn’t confirmed the user yet.",
    ),
    ("active", "Active", "ok", "Calls work."),
    (
        "needs_reauthorization",
        "Must reconnect",
        "bad",
        "The product no longer accepts the tokens. The user must reconnect with a new link.",
    ),
    (
        "suspended",
        "Suspended",
        "quiet",
        "A member or an application suspended it. Stead keeps the tokens.",
    ),
    (
        "disconnected",
        "Disconnected",
        "quiet",
        "Disconnected, and the tokens are deleted.",
    ),
    // Health of an account.
    (
        "degraded",
        "Degraded",
        "warn",
        "Stead couldn’t refresh the token. The cause is temporary, and Stead retries automatically.",
    ),
    // Effects of tools.
    ("read", "Read", "quiet", "Changes nothing at the product."),
    (
        "write",
        "Write",
        "info",
        "Adds or changes data at the product.",
    ),
    ("delete", "Delete", "bad", "Deletes data at the product."),
    // Credentials.
    (
        "expired",
        "Expired",
        "quiet",
        "It no longer works. Create a new credential.",
    ),
    ("credential_active", "Active", "ok", "It works."),
    (
        "credential_rotating",
        "Rotating",
        "info",
        "Both secrets work until the older one expires.",
    ),
    // Approvals.
    (
        "approval_pending",
        "Pending",
        "warn",
        "A person needs to decide.",
    ),
    (
        "approval_approved",
        "Approved",
        "ok",
        "The caller can make the call once.",
    ),
    (
        "approval_denied",
        "Denied",
        "bad",
        "The call isn’t allowed.",
    ),
    ("approval_used", "Used", "quiet", "The call was made."),
    (
        "approval_expired",
        "Expired",
        "quiet",
        "It expired before the caller made the call.",
    ),
    // Members.
    (
        "member_invited",
        "Invited",
        "warn",
        "The member hasn’t opened the invitation link yet.",
    ),
    ("member_active", "Active", "ok", "Can sign in."),
    (
        "member_disabled",
        "Disabled",
        "quiet",
        "Can’t sign in until an owner enables the member.",
    ),
    // Webhooks.
    (
        "webhook_on",
        "On",
        "ok",
        "Stead sends events as they happen.",
    ),
    (
        "webhook_failing_now",
        "Failing",
        "warn",
        "Every delivery fails. Stead stops after 5 days.",
    ),
    (
        "webhook_disabled",
        "Paused",
        "quiet",
        "Stead sends nothing until you resume it.",
    ),
    (
        "webhook_gone",
        "Gone",
        "bad",
        "The endpoint responded 410. Stead sends nothing until you resume it.",
    ),
    (
        "webhook_failing",
        "Stopped",
        "bad",
        "Every delivery failed for 5 days. Stead sends nothing until you resume it.",
    ),
    (
        "delivery_waiting",
        "Waiting",
        "warn",
        "Stead will try again.",
    ),
    (
        "delivery_delivered",
        "Delivered",
        "ok",
        "The endpoint accepted it.",
    ),
    (
        "delivery_failed",
        "Failed",
        "bad",
        "The endpoint didn’t accept it, and Stead won’t try again.",
    ),
    // Data keys.
    ("key_added", "Added", "info", "Created, but not in use yet."),
    ("key_active", "Active", "ok", "Encrypts all new data."),
    (
        "key_retiring",
        "Retiring",
        "warn",
        "Only decrypts older data.",
    ),
    (
        "key_retired",
        "Destroyed",
        "quiet",
        "The key is destroyed. Only this entry remains.",
    ),
    // Outcomes of calls.
    ("ok", "OK", "ok", "The call succeeded."),
];

/// A state for a badge. An unknown state is shown by its name.
pub(super) fn state(name: &str) -> Value {
    let found = STATES.iter().find(|(known, ..)| *known == name);
    match found {
        Some(&(_, label, tone, hint)) => context! { label, tone, hint },
        None => context! { label => name, tone => "quiet", hint => "" },
    }
}

/// An event's type as a title: `account.refresh_failed` becomes `Account refresh failed`.
pub(super) fn event(event_type: &str) -> String {
    capitalized(&event_type.replace(['.', '_'], " "))
}

/// A text with an initial capital letter.
pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// Explains an outcome of a call in a sentence.
pub(super) fn outcome(name: &str) -> &'static str {
    match ErrorKind::from_name(name) {
        Some(kind) => kind.summary(),
        None if name == "ok" => "The call succeeded.",
        None => "",
    }
}

/// Names a call by its tool, and a raw request by its method and path.
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

/// How the product refused a failed call: `Refused by Gmail (403)`.
pub(super) fn refused(call: &ExecutionRecord, product: &str) -> Option<String> {
    let is_of_product = call.outcome.starts_with("product_");
    match call.product_status.filter(|_| is_of_product)? {
        status @ 400..500 => Some(format!("Refused by {product} ({status})")),
        status @ 500.. => Some(format!("{product} failed ({status})")),
        _ => None,
    }
}

/// Advice about a failed call.
pub(super) fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::AuthorizationRequired | ErrorKind::ProductRejectedToken => {
            "Create a new link on the account’s page and send it to the user. The user opens it and consents."
        }
        ErrorKind::ScopeMissing => {
            "Create a new link on the account’s page. It asks the user for the missing permission."
        }
        ErrorKind::VerificationRequired => {
            "The application needs to confirm the user with POST /v1/authorizations/{id}/verify."
        }
        ErrorKind::AccountNotFound => {
            "Create a link for this user first, or check that the application sends the right user ID."
        }
        ErrorKind::AccountSuspended => "Resume the account to allow calls again.",
        ErrorKind::ConnectionNotReady | ErrorKind::ConnectionCredentialsRejected => {
            "Correct the client ID and secret on the connection’s page. Users don’t have to do anything."
        }
        ErrorKind::SchemaViolation | ErrorKind::InvalidRequest => {
            "Correct the input. The response to the call lists all errors."
        }
        ErrorKind::OutcomeUnknown | ErrorKind::WriteUnconfirmed => {
            "Check at the product whether the change happened, then decide whether to repeat the call."
        }
        ErrorKind::ProductForbidden => {
            "The user isn’t allowed to do this at the product. The object’s owner or the organization’s administrator can allow it."
        }
        ErrorKind::ProductNotEnabled => {
            "Enable the product’s API in the project that the OAuth client belongs to."
        }
        _ if kind.retryable() => "Retry the same call later.",
        _ => match kind.act_by() {
            ActBy::AppDeveloper => {
                "Correct the call in the application. The response to the call said what’s wrong."
            }
            ActBy::EndUser => "Create a new link on the account’s page and send it to the user.",
            ActBy::Product => {
                "Only the product can fix this. Contact its support with the time of the call."
            }
            _ => "Run stead doctor on the server to find the cause.",
        },
    }
}

/// The party that needs to act.
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
    use stead_core::resource::{
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
