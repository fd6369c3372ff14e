//! Why a consent ended without success: what that means, who can act, and how.

use serde::Serialize;
use stead::core::{error::ActBy, resource::AuthorizationState};

use crate::dashboard::words;

/// What is behind an end.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct Cause {
    pub(super) about: &'static str,
    pub(super) remedy: &'static str,
    pub(super) who: &'static str,
    /// The connection's page where it is corrected; empty where there is nothing to correct here.
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
        "The product says that the access was not allowed.",
        "Sign in again and allow it. Where the product refused by itself, see there who may use the OAuth client: test users, the organization, or roles that may not authorize.",
        "",
    ),
    (
        &["client_rejected", "invalid_client", "unauthorized_client"],
        ActBy::Operator,
        "The product refuses the client id or the client secret.",
        "Compare both with the product’s console, and enter the secret again.",
        "secret",
    ),
    (
        &["invalid_scope"],
        ActBy::Operator,
        "The product refuses one of the permissions.",
        "Take out what the OAuth client may not ask for, or allow it at the product.",
        "edit",
    ),
    (
        &[
            "redirect_uri_mismatch",
            "invalid_request",
            "exchange_refused",
        ],
        ActBy::Operator,
        "The product refuses the request.",
        "Most often the redirect URI at the product is not the one of this connection, byte for byte, or the OAuth client is of another type.",
        "set-up",
    ),
    (
        &["exchange_rejected"],
        ActBy::Operator,
        "The product refuses the code that it gave.",
        "Try it again. If it stays so, compare the redirect URI, and see whether the OAuth client is of another type.",
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
        "The product could not complete it.",
        "Try it again in a while.",
        "",
    ),
    (
        &["exchange_not_possible"],
        ActBy::Operator,
        "The product’s token endpoint could not be asked.",
        "See whether this machine reaches the product: stead doctor asks its addresses.",
        "",
    ),
    (
        &["id_token_refused"],
        ActBy::Operator,
        "The product’s ID token, which says who the user is, can’t be accepted.",
        "Compare the claim below. If iss differs, set the connection’s issuer. If exp is past, this machine’s clock is wrong: stead doctor compares it.",
        "",
    ),
    (
        &["client_changed"],
        ActBy::Operator,
        "The connection was given another OAuth client in the middle of it.",
        "Try it again.",
        "",
    ),
    (
        &["timeout", "verification_timeout"],
        ActBy::EndUser,
        "It took too long: the link is past its time.",
        "Try it again.",
        "",
    ),
];

/// What is behind the end of an authorization.
pub(super) fn cause(state: AuthorizationState, reason: &str) -> Cause {
    let found = CAUSES
        .iter()
        .find(|(reasons, ..)| reasons.contains(&reason));
    let (_, party, about, remedy, page) = found.copied().unwrap_or(match state {
        AuthorizationState::Superseded | AuthorizationState::Expired => (
            &[],
            ActBy::EndUser,
            "This attempt was replaced by another one, or is past its time.",
            "Try it again.",
            "",
        ),
        _ => (
            &[],
            ActBy::Operator,
            "The product ended it with an error of its own.",
            "See what the product says about it, and correct the OAuth client there.",
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
    fn a_cause_says_who_acts_and_where() {
        let failed = |reason| cause(AuthorizationState::Failed, reason);
        assert_eq!(failed("client_rejected").page, "secret");
        assert_eq!(failed("invalid_scope").page, "edit");
        assert_eq!(failed("access_denied").who, "The user");
        assert_eq!(failed("exchange_failed").who, "The product");
        assert_eq!(failed("odd_code").page, "set-up");
        let late = cause(AuthorizationState::Superseded, "newer links were made");
        assert_eq!(late.remedy, "Try it again.");
    }
}
