//! Scopes, return addresses and failures of a code exchange.

use uuid::Uuid;

use super::*;
use crate::{
    digest::Digest,
    domain::authorization::new_authorization,
    product::OAuth,
    testing::{START, account},
};

fn authorization() -> Authorization {
    let id = AuthorizationId::from_uuid(Uuid::from_u128(1));
    let link = Digest::of("link");
    new_authorization(id, &account(1, "ada"), link, START, START)
}

#[test]
fn what_was_asked_for_and_not_granted_is_missing() {
    let scopes = |scopes: &[&str]| {
        scopes
            .iter()
            .map(|scope| (*scope).to_owned())
            .collect::<Vec<_>>()
    };
    let product = Product {
        oauth: OAuth {
            permissions: Permissions::Scopes {
                always: &[],
                default: &[],
            },
            ..OAuth::BASE
        },
        ..Product::BASE
    };
    let asked = scopes(&["openid", "a", "b"]);
    for (granted, expected) in [
        (&["a"][..], &["b"][..]),
        (&["b", "a"], &[]),
        (&[], &["a", "b"]),
        (&["openid", "c"], &["a", "b"]),
    ] {
        assert_eq!(
            missing(&product, &asked, &scopes(granted)),
            scopes(expected),
            "{granted:?}"
        );
    }
    assert!(missing(&Product::BASE, &asked, &[]).is_empty());
}

#[test]
fn the_browser_goes_back_with_the_authorization_and_the_state() {
    let id = authorization().id;
    let back = |url: &str, state: Option<&str>| {
        return_to(&Authorization {
            verify_url: Some(url.to_owned()),
            app_state: state.map(str::to_owned),
            ..authorization()
        })
    };
    assert_eq!(
        back("https://app.test/back", None).unwrap(),
        format!("https://app.test/back?authorization_id={id}")
    );
    assert_eq!(
        back("https://app.test/back?tab=1", Some("a&b=ü #")).unwrap(),
        format!("https://app.test/back?tab=1&authorization_id={id}&state=a%26b%3D%C3%BC+%23")
    );
    assert_eq!(return_to(&authorization()), None);
}

#[test]
fn a_failed_exchange_says_who_has_to_act() {
    use TokenFailure::{Client, Misconfigured, Rejected, Temporary, Unanswered};
    let failed_kind = ErrorKind::AuthorizationFailed;
    let table = [
        (Rejected, failed_kind, "exchange_rejected"),
        (
            Client,
            ErrorKind::ConnectionCredentialsRejected,
            "client_rejected",
        ),
        (Misconfigured, failed_kind, "exchange_refused"),
        (Temporary, failed_kind, "exchange_failed"),
        (Unanswered, failed_kind, "exchange_outcome_unknown"),
    ];
    for (failure, kind, reason) in table {
        let (error, why) = failed(failure, String::from("said"));
        assert_eq!((error.kind(), why), (kind, reason));
        assert_eq!(error.context()["product_message"], "said");
    }
}
