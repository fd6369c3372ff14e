//! Token requests as products receive them, and the meaning of each response.

use std::sync::{Arc, Mutex};

use serde_json::json;

use super::*;
use crate::{
    ports::Transport,
    product::{OAuth, TokenError},
    resource::NewConnection,
    testing::{Responses, STABLE, START, World, always, context, response},
};

const OAUTH: OAuth = OAuth {
    authorize: "https://login.demo.test/authorize",
    token: "https://login.demo.test/token",
    ..OAuth::BASE
};
static FORM: Product = Product {
    name: "demo",
    token_prefixes: &["demo-token."],
    oauth: OAUTH,
    ..Product::BASE
};
static JSON: Product = Product {
    name: "demo",
    oauth: OAuth {
        token_format: TokenFormat::Json,
        client_authentication: ClientAuthentication::Basic,
        token_headers: &[("demo-version", "7")],
        read_token_error: |body| {
            let text = |name| body.get(name)?.as_str().map(str::to_owned);
            Some(TokenError {
                code: text("code")?,
                message: text("message")?,
            })
        },
        ..OAUTH
    },
    ..Product::BASE
};
static HOURLY: Product = Product {
    name: "demo",
    oauth: OAuth {
        default_lifetime: Some(Duration::from_secs(3600)),
        ..OAUTH
    },
    ..Product::BASE
};

/// Refreshes through this transport.
fn refreshed(
    product: &'static Product,
    transport: Arc<dyn Transport>,
    kept: Option<&str>,
) -> Result<Granted, NoTokens> {
    let world = World::new();
    let context = context(&world, product, transport);
    let new = NewConnection::new("demo", "demo").client("client:1", "s3cret&=ü");
    let (kind, token) = ("refresh_token", "old+token");
    let grant = [("grant_type", kind), ("refresh_token", token)];
    let kept = kept.map(SecretString::from);
    world.send(&context, new);
    let connection = world.ok(context.connection_row("demo")).row;
    let (to, kept) = (product.oauth.token, kept.as_ref());
    world.run(request_tokens(
        &context,
        product,
        &connection,
        to,
        &grant,
        kept,
    ))
}

fn granted(product: &'static Product, body: &'static str, kept: Option<&str>) -> Granted {
    refreshed(product, always(200, body), kept).ok().unwrap()
}

fn outcome(result: &Result<Granted, NoTokens>) -> &'static str {
    match result {
        Ok(_) => "tokens",
        Err(NoTokens::Failure(failure, ..)) => match failure {
            TokenFailure::Rejected => "rejected",
            TokenFailure::Client => "client",
            TokenFailure::Misconfigured => "misconfigured",
            TokenFailure::Temporary => "temporary",
            TokenFailure::Unanswered => "unanswered",
        },
        Err(NoTokens::Error(_)) => "not asked",
    }
}

#[test]
fn an_error_in_the_products_own_shape_is_read() {
    let own =
        br#"{"object":"error","status":400,"code":"invalid_grant","message":"Token was used."}"#;
    let read = error_of(own, &JSON).unwrap();
    assert_eq!(read.code, "invalid_grant");
    assert_eq!(read.message, "Token was used.");
    let standard = error_of(br#"{"error":"invalid_client","code":"other"}"#, &JSON).unwrap();
    assert_eq!(standard.code, "invalid_client");
    let own_word = br#"{"error":"invalid_client","message":"This is an invalid client."}"#;
    let read = error_of(own_word, &FORM).unwrap();
    assert_eq!(read.message, "This is an invalid client.");
    assert!(error_of(br#"{"message":"no code"}"#, &JSON).is_none());
}

#[test]
fn a_response_of_the_token_endpoint_has_one_meaning() {
    let all = r#"{"access_token":"a","token_type":"Bearer","expires_in":3600}"#;
    let odd = r#"{"access_token":"a","expires_in":"3600","token_type":"bearer","odd":[1]}"#;
    let revoked = r#"{"error":"invalid_grant","error_description":"Token has been revoked."}"#;
    let unsupported = r#"{"error":"unsupported_grant_type"}"#;
    for (status, body, expected) in [
        (200, all, "tokens"),
        (200, r#"{"access_token":"a"}"#, "tokens"),
        (200, odd, "tokens"),
        (400, revoked, "rejected"),
        (401, r#"{"error":"invalid_client"}"#, "client"),
        (400, r#"{"error":"unauthorized_client"}"#, "client"),
        (400, r#"{"error":"invalid_request"}"#, "misconfigured"),
        (400, unsupported, "misconfigured"),
        (400, r#"{"error":"invalid_scope"}"#, "misconfigured"),
        (403, r#"{"error":"org_internal"}"#, "misconfigured"),
        (400, r#"{"error":"temporarily_unavailable"}"#, "temporary"),
        (400, r#"{"error":"server_error"}"#, "temporary"),
        (500, r#"{"error":"internal_failure"}"#, "temporary"),
        (429, r#"{"error":"slow_down"}"#, "temporary"),
        (503, r#"{"error":"whatever"}"#, "temporary"),
        (503, "<html>Service Unavailable</html>", "temporary"),
        (404, "not here", "temporary"),
        (429, "", "temporary"),
        (302, "", "temporary"),
        (400, r#"{"message":"no OAuth error"}"#, "temporary"),
        // The product may have issued tokens that Stead can't read.
        (200, "", "unanswered"),
        (200, "{}", "unanswered"),
        (200, "<html>Sign in to the Wi-Fi</html>", "unanswered"),
        (200, r#"{"access_token":"a","#, "unanswered"),
    ] {
        let told = refreshed(&FORM, always(status, body), None);
        assert_eq!(outcome(&told), expected, "{status} {body}");
    }
}

#[test]
fn unsent_requests_are_temporary_failures_and_lost_ones_unanswered() {
    use TransportErrorKind::{Cut, Refused, TimedOut, TooLarge, Unreachable};
    for (kind, expected) in [
        (Unreachable, "temporary"),
        (Refused, "temporary"),
        (TimedOut, "unanswered"),
        (Cut, "unanswered"),
        (TooLarge, "unanswered"),
    ] {
        let transport =
            Responses::by(move |_| std::future::ready(Err(TransportError::new(kind, "lost"))));
        let told = refreshed(&FORM, transport, None);
        assert_eq!(outcome(&told), expected, "{kind:?}");
    }
}

#[test]
fn exhausted_resources_are_not_blamed_on_the_token_endpoint() {
    let transport = Responses::by(|_| {
        let lacks = TransportError::new(TransportErrorKind::Exhausted, "no descriptors");
        std::future::ready(Err(lacks))
    });
    let Err(NoTokens::Error(error)) = refreshed(&FORM, transport, None) else {
        panic!("blamed on the product")
    };
    assert_eq!(error.kind(), ErrorKind::Overloaded);
}

#[test]
fn an_endless_answer_is_not_read_to_its_end() {
    let large = Responses::by(|_| std::future::ready(Ok(response(200, vec![b' '; 300 * 1024]))));
    assert_eq!(outcome(&refreshed(&FORM, large, None)), "unanswered");
}

#[test]
fn error_messages_of_the_server_are_kept_without_credentials() {
    let body =
        r#"{"error":"invalid_grant","error_description":"token demo-token.abcdefgh is revoked"}"#;
    let Err(NoTokens::Failure(TokenFailure::Rejected, said, _)) =
        refreshed(&FORM, always(400, body), None)
    else {
        panic!("not rejected")
    };
    assert_eq!(said, "invalid_grant: token [removed] is revoked");
    let body = r#"{"error":"demo-token.abcdefgh"}"#;
    let Err(NoTokens::Failure(_, said, _)) = refreshed(&FORM, always(400, body), None) else {
        panic!("tokens")
    };
    assert!(!said.contains("demo-token"), "{said}");
}

/// The request that a product receives.
fn request_to(product: &'static Product) -> (http::request::Parts, String) {
    let seen = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&seen);
    let transport = Responses::by(move |request: http::Request<Body>| {
        let keep = Arc::clone(&keep);
        async move {
            let (head, body) = request.into_parts();
            let body = String::from_utf8(body.collect(10_000).await?.to_vec()).unwrap();
            *keep.lock().unwrap() = Some((head, body));
            Ok(response(200, r#"{"access_token":"a"}"#))
        }
    });
    assert_eq!(outcome(&refreshed(product, transport, None)), "tokens");
    seen.lock().unwrap().take().unwrap()
}

#[test]
fn a_form_with_the_secret_in_it() {
    let (head, body) = request_to(&FORM);
    assert_eq!(head.method, "POST");
    assert_eq!(head.uri, "https://login.demo.test/token");
    let form = "application/x-www-form-urlencoded";
    assert_eq!(head.headers[header::CONTENT_TYPE], form);
    assert!(!head.headers.contains_key(header::AUTHORIZATION));
    let expected = "grant_type=refresh_token&refresh_token=old%2Btoken&client_id=client%3A1&client_secret=s3cret%26%3D%C3%BC";
    assert_eq!(body, expected);
    assert_eq!(head.extensions.get::<Limits>(), Some(&LIMITS));
}

#[test]
fn json_with_the_secret_in_a_sensitive_header() {
    let (head, body) = request_to(&JSON);
    assert_eq!(head.headers[header::CONTENT_TYPE], "application/json");
    assert_eq!(head.headers["demo-version"], "7");
    assert!(head.headers[header::AUTHORIZATION].is_sensitive());
    // RFC 6749, 2.3.1: both halves are form-encoded first.
    let basic = "Basic Y2xpZW50JTNBMTpzM2NyZXQlMjYlM0QlQzMlQkM=";
    assert_eq!(head.headers[header::AUTHORIZATION], basic);
    let body: Value = serde_json::from_str(&body).unwrap();
    let expected = json!({ "grant_type": "refresh_token", "refresh_token": "old+token" });
    assert_eq!(body, expected);
}

#[test]
fn an_unreadable_optional_member_is_ignored() {
    let lifetimes = [
        ("60", Some(60)),
        ("\"60\"", Some(60)),
        ("60.5", Some(60)),
        ("\" 60.9 \"", Some(60)),
        ("null", None),
        ("\"soon\"", None),
        ("\"\"", None),
        ("-1", None),
        ("[60]", None),
        ("{\"a\":1}", None),
    ];
    for (lifetime, seconds) in lifetimes {
        let body = format!(r#"{{"access_token":"a","refresh_token":"r","expires_in":{lifetime}}}"#);
        let read = TokenResponse::read(body.as_bytes()).unwrap();
        assert_eq!(read.expires_in, seconds, "{lifetime}");
        assert_eq!(read.refresh_token.as_deref(), Some("r"), "{lifetime}");
    }
    for (scope, expected) in [
        (r#""a b""#, Some("a b")),
        (r#"["a","b"]"#, Some("a b")),
        ("[1]", None),
        ("7", None),
        ("null", None),
    ] {
        let body = format!(r#"{{"access_token":"a","scope":{scope}}}"#);
        let read = TokenResponse::read(body.as_bytes()).unwrap();
        assert_eq!(read.scope.as_deref(), expected, "{scope}");
    }
    let marked = "\u{feff}{\"access_token\":\"a\"}";
    assert!(TokenResponse::read(marked.as_bytes()).is_some());
    let created = always(201, r#"{"access_token":"a"}"#);
    assert_eq!(outcome(&refreshed(&FORM, created, None)), "tokens");
}

#[test]
fn a_response_says_when_the_user_has_to_authorize_again() {
    let by = |body, kept| granted(&FORM, body, kept).reauthorize_by;
    let after = |seconds| Some(START + SignedDuration::from_secs(seconds));
    let testing = r#"{"access_token":"a","refresh_token":"r","expires_in":60,"refresh_token_expires_in":604799}"#;
    assert_eq!(by(testing, None), after(604_799));
    // Without a refresh token, the account expires with its access token.
    let bare = r#"{"access_token":"a","expires_in":600}"#;
    assert_eq!(by(bare, None), after(600));
    assert_eq!(by(bare, Some("kept")), None);
    assert_eq!(by(r#"{"access_token":"a"}"#, None), None);
    let odd = r#"{"access_token":"a","refresh_token":"r","refresh_token_expires_in":"soon"}"#;
    assert_eq!(by(odd, None), None);
}

#[test]
fn a_token_request_names_its_user_agent() {
    let (head, _) = request_to(&FORM);
    let agent = head.headers[header::USER_AGENT].to_str().unwrap();
    assert!(agent.starts_with("stead/"), "{agent}");
}

#[test]
fn an_expiry_counts_from_the_sending() {
    let end = |product, body| granted(product, body, None).tokens.expires_at();
    let after = |seconds| Some(START + SignedDuration::from_secs(seconds));
    let minute = r#"{"access_token":"a","expires_in":60}"#;
    assert_eq!(end(&FORM, minute), after(60));
    assert_eq!(end(&HOURLY, minute), after(60));
    assert_eq!(end(&HOURLY, r#"{"access_token":"a"}"#), after(3600));
    assert_eq!(end(&FORM, r#"{"access_token":"a"}"#), None);
    let far = r#"{"access_token":"a","expires_in":18446744073709551615}"#;
    assert_eq!(end(&FORM, far), None);
}

#[test]
fn a_refresh_token_is_kept_unless_there_is_a_new_one() {
    let token = |body, kept| {
        let tokens = granted(&FORM, body, kept).tokens;
        let token = tokens.refresh_token();
        token.map(|token| token.expose_secret().to_owned())
    };
    let (bare, new) = (
        r#"{"access_token":"a"}"#,
        r#"{"access_token":"a","refresh_token":"new"}"#,
    );
    assert_eq!(token(bare, Some("old")).as_deref(), Some("old"));
    assert_eq!(token(new, Some("old")).as_deref(), Some("new"));
    assert_eq!(token(bare, None), None);
}

#[test]
fn scopes_come_from_the_response_if_it_names_any() {
    let scopes = |body| granted(&FORM, body, None).scopes;
    let two = scopes(r#"{"access_token":"a","scope":"one two"}"#);
    assert_eq!(two.unwrap(), ["one", "two"]);
    assert_eq!(scopes(r#"{"access_token":"a"}"#), None);
}

#[test]
fn the_refresh_token_is_kept_if_the_access_token_fits_no_header() {
    let body = r#"{"access_token":"a\r\nCookie: b","refresh_token":"new"}"#;
    let tokens = granted(&FORM, body, Some("old")).tokens;
    let error = tokens.bearer().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ProductProtocolError);
    assert_eq!(tokens.refresh_token().unwrap().expose_secret(), "new");
}

#[test]
fn a_connection_without_a_secret_has_no_client() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let draft = NewConnection::new("demo", "demo");
    world.send(&context, draft);
    let connection = world.ok(context.connection_row("demo")).row;
    let asked = request(&context, &STABLE, &connection, STABLE.oauth.token, &[]);
    let error = world.err(asked);
    assert_eq!(error.kind(), ErrorKind::ConnectionNotReady);
}
