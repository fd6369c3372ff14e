//! Explains why a consent failed: what it means, who needs to act, and how.

use serde::Serialize;
use stead_core::{error::ActBy, resource::AuthorizationState};

use crate::dashboard::words;

/// The explanation of a failure.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct Cause {
    pub(super) about: &'static str,
    pub(super) remedy: &'static str,
    pub(super) who: &'static str,
    /// The connection's page where the cause is fixed. Empty if there is nothing to fix here.
    pub(super) page: &'static str,
}

type Line = (
    &'static [&'static str],
    ActBy,
    &'static str,
    &'static str,
    &'static str,
);

/// By the reason of the authorization.
const CAUSES: &[Line] = &[
    (
        &["access_denied"],
        ActBy::EndUser,
        "The product says that access was denied.",
        "Sign in again and allow access. If the product refused without asking, check there who can use the OAuth client: test users, your organization, or blocked roles.",
        "",
    ),
    (
        &["client_rejected", "invalid_client", "unauthorized_client"],
        ActBy::Operator,
        "The product rejects the client ID or client secret.",
        "Compare both with the product’s console, and enter the secret again.",
        "secret",
    ),
    (
        &["invalid_scope"],
        ActBy::Operator,
        "The product rejects one of the permissions.",
        "Remove the permission here, or allow it for your OAuth client at the product.",
        "edit",
    ),
    (
        &[
            "redirect_uri_mismatch",
            "invalid_request",
            "exchange_refused",
        ],
        ActBy::Operator,
        "The product rejects the request.",
        "Usually the redirect URI at the product isn’t exactly this connection’s, or the OAuth client has another type. Correct it there.",
        "set-up",
    ),
    (
        &["exchange_rejected"],
        ActBy::Operator,
        "The product rejects the code that it issued.",
        "Try again. If it still fails, compare the redirect URI and the type of the OAuth client.",
        "set-up",
    ),
    (
        &[
            "exchange_failed",
            "temporarily_unavailable",
            "server_error",
            "exchange_outcome_unknown",
            "no_code",
        ],
        ActBy::Product,
        "The product couldn’t complete the consent.",
        "Try again in a few minutes.",
        "",
    ),
    (
        &["exchange_not_possible"],
        ActBy::Operator,
        "Stead couldn’t reach the product’s token endpoint.",
        "Run stead doctor to check whether this machine can reach the product.",
        "",
    ),
    (
        &["id_token_refused"],
        ActBy::Operator,
        "Stead can’t accept the product’s ID token, which identifies the user.",
        "Compare the claim below. If iss differs, set the connection’s issuer. If exp is in the past, check this machine’s clock with stead doctor.",
        "",
    ),
    (
        &["client_changed"],
        ActBy::Operator,
        "Someone changed the connection’s OAuth client during the consent.",
        "Try again.",
        "",
    ),
    (
        &["timeout", "verification_timeout"],
        ActBy::EndUser,
        "It took too long, and the link expired.",
        "Try again.",
        "",
    ),
];

/// Explains why an authorization failed.
pub(super) fn cause(state: AuthorizationState, reason: &str) -> Cause {
    let found = CAUSES
        .iter()
        .find(|(reasons, ..)| reasons.contains(&reason));
    let (_, party, about, remedy, page) = found.copied().unwrap_or(match state {
        AuthorizationState::Superseded | AuthorizationState::Expired => (
            &[],
            ActBy::EndUser,
            "This attempt expired, or a newer one replaced it.",
            "Try again.",
            "",
        ),
        _ => (
            &[],
            ActBy::Operator,
            "The product returned an error.",
            "Read the product’s message, and correct the OAuth client there.",
            "set-up",
        ),
    });
    Cause {
        about,
        remedy,
        who: words::act_by(party),
        page,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_says_who_can_fix_it_and_where() {
        let failed = |reason| cause(AuthorizationState::Failed, reason);
        assert_eq!(failed("client_rejected").page, "secret");
        assert_eq!(failed("invalid_scope").page, "edit");
        assert_eq!(failed("access_denied").who, "The user");
        assert_eq!(failed("exchange_failed").who, "The product");
        assert_eq!(failed("odd_code").page, "set-up");
        let late = cause(AuthorizationState::Superseded, "newer links were made");
        assert_eq!(late.remedy, "Try again.");
    }
}
