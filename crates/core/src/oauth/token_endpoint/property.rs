//! Properties that hold for every response of a token endpoint.

use super::*;
use crate::product::OAuth;

static PRODUCT: Product = Product {
    name: "demo",
    token_prefixes: &["demo-token."],
    oauth: OAuth {
        default_lifetime: Some(Duration::from_secs(3600)),
        ..OAuth::BASE
    },
    ..Product::BASE
};

/// Checks that a response gives either usable tokens or one failure. A user's grant only counts as rejected if the
/// response says so explicitly: a mistake there would disconnect a working account.
pub(crate) fn holds(status: u16, body: &[u8]) {
    let members: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
    let member = |name: &str| members.get(name).and_then(Value::as_str);
    match tokens_of(status, body, &PRODUCT, &Secrets::default()) {
        Ok(response) => {
            assert!((200..300).contains(&status));
            let access = member("access_token").expect("an access token");
            check_granted(response, access, member("refresh_token"));
        }
        Err((failure, said)) => {
            check_failure(status, failure, member("error"));
            assert!(
                said.chars().count() <= 300 && !said.contains(char::is_control),
                "{said:?}"
            );
            let is_shown = |word: &str| {
                let at = word.find(PRODUCT.token_prefixes[0]);
                at.is_some_and(|at| word.len() - at >= 16)
            };
            assert!(
                !said
                    .split([' ', ':', '"', '\'', ',', ';', '<', '>', '(', ')'])
                    .any(is_shown),
                "{said:?}"
            );
        }
    }
}

fn check_granted(response: TokenResponse, access: &str, refresh: Option<&str>) {
    let sent_at = Timestamp::UNIX_EPOCH;
    // In half of all cases, there's an earlier refresh token.
    let kept = access
        .len()
        .is_multiple_of(2)
        .then(|| SecretString::from("kept"));
    let granted = response.granted(&PRODUCT, sent_at, kept.as_ref());
    let tokens = &granted.tokens;
    assert_eq!(tokens.access_token().expose_secret(), access);
    // Stead sends exactly the token, or nothing.
    if let Ok(bearer) = tokens.bearer() {
        assert!(!access.is_empty(), "an empty token is sent");
        assert!(bearer.is_sensitive());
        assert_eq!(bearer.as_bytes(), format!("Bearer {access}").as_bytes());
    }
    let given = refresh.filter(|token| !token.is_empty());
    let stays = kept.as_ref().map(|kept| kept.expose_secret());
    let now = tokens.refresh_token().map(|token| token.expose_secret());
    assert_eq!(now, given.or(stays));
    assert_eq!(granted.rotated, stays.is_some() && now != stays);
    assert!(tokens.expires_at().is_none_or(|end| end >= sent_at));
    let mut scopes = granted.scopes.iter().flatten();
    assert!(scopes.all(|scope| !scope.is_empty() && !scope.contains(' ')));
}

fn check_failure(status: u16, failure: TokenFailure, code: Option<&str>) {
    let is_refused = (400..500).contains(&status) && status != 429;
    match failure {
        TokenFailure::Rejected => assert!(is_refused && code == Some("invalid_grant")),
        TokenFailure::Client => {
            assert!(matches!(
                code,
                Some("invalid_client" | "unauthorized_client")
            ));
            assert!(status < 500 && status != 429);
        }
        TokenFailure::Misconfigured => assert!(code.is_some() && status < 500 && status != 429),
        TokenFailure::Unanswered => assert!((200..300).contains(&status)),
        TokenFailure::Temporary => assert!(!(200..300).contains(&status)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::RngSeed};

    use super::*;

    fn member() -> impl Strategy<Value = String> {
        let name = "access_token|refresh_token|expires_in|scope|error|error_description|x";
        let value = prop_oneof![
            "\"(invalid_grant|invalid_client|server_error|demo-token\\.[a-z]{0,20}|[a-z ]{0,8})\"",
            "[0-9]{1,20}|\"[0-9]{1,20}\"|null|1e400|-1|\\[\\]|\"\\\\n\"|\"\\\\u0000\"",
        ];
        (name, value).prop_map(|(name, value)| format!("\"{name}\":{value}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn any_response_has_one_meaning(
            status in prop::sample::select(vec![200, 201, 302, 400, 401, 429, 500, 503]),
            members in prop::collection::vec(member(), 0..5),
            any in prop::collection::vec(any::<u8>(), 0..40),
        ) {
            holds(status, format!("{{{}}}", members.join(",")).as_bytes());
            holds(status, &any);
        }
    }
}
