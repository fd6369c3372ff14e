//! JWTs of a test issuer: which ones are accepted, and how often Stead requests documents from the issuer.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    Error, ErrorKind, Result,
    access::{authenticate, authenticate_agent},
    caller::{Caller, McpSession},
    context::{Context, McpIssuer, Verification},
    jwt::signers::Signer,
    ports::{Transport, TransportError, TransportErrorKind},
    testing::{Responses, STABLE, World, always, response},
};

const ISSUER: &str = "https://login.test/realm";

/// The issuer's documents, and the number of requests for each.
struct Issuer {
    configuration: Value,
    keys: Vec<Value>,
    is_down: bool,
    asked: Vec<String>,
}

struct Scene {
    world: World,
    context: Context,
    issuer: Arc<Mutex<Issuer>>,
    signer: Signer,
}

impl Scene {
    fn new(set: impl FnOnce(McpIssuer) -> McpIssuer) -> Self {
        let signer = Signer::ed25519(1);
        let issuer = Arc::new(Mutex::new(Issuer {
            configuration: json!({ "issuer": ISSUER, "jwks_uri": "https://keys.test/jwks" }),
            keys: vec![signer.jwk("k1")],
            is_down: false,
            asked: Vec::new(),
        }));
        let shared = Arc::clone(&issuer);
        let network: Arc<dyn Transport> = Responses::by(move |request| {
            let shared = Arc::clone(&shared);
            async move {
                let mut issuer = shared.lock().unwrap();
                let uri = request.uri().to_string();
                issuer.asked.push(uri.clone());
                if issuer.is_down {
                    let kind = TransportErrorKind::Unreachable;
                    return Err(TransportError::new(kind, "connection refused"));
                }
                let at = issuer.configuration["at"].as_str();
                let body = match uri.as_str() {
                    "https://keys.test/jwks" => json!({ "keys": issuer.keys }),
                    uri if at.is_none_or(|at| at == uri) => issuer.configuration.clone(),
                    _ => return Ok(response(404, "")),
                };
                Ok(response(200, body.to_string()))
            }
        });
        let world = World::new();
        let context = world.configured(&world.store(), &STABLE, network, |options| {
            options.verification = Verification::LinkPossession;
            options.mcp_issuer = Some(set(McpIssuer::new(ISSUER).unwrap()));
        });
        let context = context.unwrap();
        Self {
            world,
            context,
            issuer,
            signer,
        }
    }

    /// Claims of a token that is valid for five minutes, with these changes. `null` removes a claim.
    fn claims(&self, changes: &Value) -> Value {
        let now = self.context.host.now().as_second();
        let mut claims = json!({
            "iss": ISSUER, "aud": "https://stead.test/mcp", "sub": "ada", "client_id": "agent",
            "iat": now, "exp": now + 300,
        });
        let members = claims.as_object_mut().unwrap();
        members.extend(changes.as_object().unwrap().clone());
        members.retain(|_, value| !value.is_null());
        claims
    }

    fn token(&self, changes: &Value) -> String {
        let header = json!({ "alg": "EdDSA", "kid": "k1", "typ": "at+jwt" });
        self.signer.sign(&header, &self.claims(changes))
    }

    fn enter(&self, token: &str) -> Result<Arc<McpSession>> {
        match self.world.run(authenticate_agent(&self.context, token))? {
            Caller::McpSession(session) => Ok(session),
            other => panic!("{other:?}"),
        }
    }

    /// The error of a token with these changed claims.
    fn refused(&self, changes: &Value) -> Error {
        let entered = self.enter(&self.token(changes));
        entered.expect_err(&changes.to_string())
    }

    /// A token that another key signed.
    fn by_other(&self, kid: &str, changes: &Value) -> String {
        let header = json!({ "alg": "EdDSA", "kid": kid });
        Signer::ed25519(2).sign(&header, &self.claims(changes))
    }

    fn asked(&self) -> usize {
        self.issuer.lock().unwrap().asked.len()
    }
}

#[test]
fn a_valid_token_opens_a_session_of_its_user_with_the_operators_settings() {
    let scene = Scene::new(|issuer| {
        let issuer = issuer.connections(["mail"]).unwrap();
        issuer.policy("agents").read_only()
    });
    let session = scene.enter(&scene.token(&json!({}))).unwrap();
    assert_eq!(session.identifier.as_str(), "ada");
    assert_eq!(session.connections.to_texts().unwrap(), ["mail"]);
    assert_eq!(session.policies, [Some(String::from("agents")), None]);
    assert!(session.read_only && session.client_id.is_none());
    // The next token of the same user and client belongs to the same session. A token of another user or client
    // doesn't.
    let next = scene.token(&json!({ "jti": "2", "aud": ["x", "https://stead.test/mcp"] }));
    assert_eq!(scene.enter(&next).unwrap().session_id, session.session_id);
    for other in [json!({ "sub": "bob" }), json!({ "client_id": "other" })] {
        let other = scene.enter(&scene.token(&other)).unwrap();
        assert_ne!(other.session_id, session.session_id);
    }
    // Stead read the configuration and the keys once each.
    assert_eq!(scene.asked(), 2);
    // The token only works at `/mcp`.
    let fresh = scene.token(&json!({ "jti": "3" }));
    let elsewhere = scene.world.run(authenticate(&scene.context, &fresh));
    assert_eq!(elsewhere.unwrap_err().kind(), ErrorKind::Unauthenticated);
}

#[test]
fn a_token_for_another_issuer_audience_or_time_is_refused() {
    let scene = Scene::new(|issuer| issuer);
    let now = scene.context.host.now().as_second();
    let audience = "different audience";
    for (changes, why) in [
        (json!({ "iss": "https://login.test/" }), "different issuer"),
        (json!({ "iss": null }), "different issuer"),
        (json!({ "aud": "https://stead.test" }), audience),
        (json!({ "aud": ["https://other.test/mcp"] }), audience),
        (json!({ "aud": null }), audience),
        (json!({ "exp": now - 60 }), "it has expired"),
        (json!({ "exp": 0.5 }), "it has expired"),
        (json!({ "exp": null }), "its exp claim"),
        (json!({ "exp": "tomorrow" }), "its exp claim"),
        (json!({ "nbf": now + 61 }), "isn't valid yet"),
        (json!({ "nbf": "x" }), "its nbf claim"),
        (json!({ "sub": null }), "can't be an identifier"),
        (json!({ "sub": 7 }), "can't be an identifier"),
        (json!({ "sub": "" }), "can't be an identifier"),
    ] {
        let error = scene.refused(&changes);
        assert_eq!(error.kind(), ErrorKind::Unauthenticated, "{changes}");
        assert!(error.message().contains(why), "{changes}: {error}");
    }
    let says = scene.refused(&json!({ "aud": "x" }));
    let expected = "for the audience https://stead.test/mcp";
    assert!(says.message().contains(expected), "{says}");
    // Clocks can differ by up to a minute.
    for changes in [json!({ "exp": now - 59 }), json!({ "nbf": now + 60 })] {
        assert!(scene.enter(&scene.token(&changes)).is_ok(), "{changes}");
    }
    // A token expires even if it was accepted a moment ago.
    let token = scene.token(&json!({ "exp": now - 58 }));
    scene.enter(&token).unwrap();
    scene.world.advance(Duration::from_secs(2));
    let error = scene.enter(&token).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthenticated);
}

#[test]
fn the_operator_sets_audience_identifier_claim_and_scope() {
    let scene = Scene::new(|issuer| {
        let issuer = issuer.audience("stead").identifier_claim("email");
        issuer.required_scope("tools")
    });
    let with = |changes: Value| {
        let mut all = json!({ "aud": "stead", "email": "ada@example.com", "email_verified": true });
        let members = all.as_object_mut().unwrap();
        members.extend(changes.as_object().unwrap().clone());
        scene.enter(&scene.token(&all))
    };
    for scope in [
        json!({ "scope": "openid tools" }),
        json!({ "scp": ["tools"] }),
        json!({ "scp": "tools x" }),
    ] {
        let session = with(scope).unwrap();
        assert_eq!(session.identifier.as_str(), "ada@example.com");
    }
    let other = json!({ "scope": "toolsmith" });
    for scope in [json!({}), other, json!({ "scp": [] })] {
        let error = with(scope).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InsufficientScope);
        assert_eq!(error.required_scopes(), ["tools"]);
    }
    let own = json!({ "aud": "https://stead.test/mcp", "scope": "tools" });
    assert_eq!(with(own).unwrap_err().kind(), ErrorKind::Unauthenticated);
}

#[test]
fn an_unverified_email_or_phone_number_is_refused() {
    for (claim, verified) in [
        ("email", "email_verified"),
        ("phone_number", "phone_number_verified"),
    ] {
        let scene = Scene::new(|issuer| issuer.identifier_claim(claim));
        let with = |said: Value| {
            let claims = json!({ claim: "victim@example.com", verified: said });
            scene.enter(&scene.token(&claims))
        };
        let refused = json!([false, "false", 1, [true], null]);
        for said in refused.as_array().unwrap() {
            let error = with(said.clone()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unauthenticated, "{said}");
            assert!(error.message().contains(verified), "{error}");
        }
        for said in [json!(true), json!("true")] {
            let session = with(said).unwrap();
            assert_eq!(session.identifier.as_str(), "victim@example.com");
        }
    }
}

#[test]
fn an_unknown_key_is_fetched_at_most_once_a_minute() {
    let scene = Scene::new(|issuer| issuer);
    let new = Signer::ed25519(2);
    let of_new = |id: u8| scene.by_other("k2", &json!({ "jti": id }));
    scene.enter(&scene.token(&json!({}))).unwrap();
    assert_eq!(scene.asked(), 2);
    for id in 0..5 {
        let error = scene.enter(&of_new(id)).unwrap_err();
        let why = "doesn't publish the key";
        assert!(error.message().contains(why), "{error}");
    }
    assert_eq!(scene.asked(), 2, "they were read less than a minute ago");
    // The issuer rotates its key. Both keys are valid until it withdraws the first one.
    let both = vec![scene.signer.jwk("k1"), new.jwk("k2")];
    scene.issuer.lock().unwrap().keys = both;
    scene.world.advance(Duration::from_secs(60));
    scene.enter(&of_new(6)).unwrap();
    assert_eq!(scene.asked(), 4);
    scene.enter(&scene.token(&json!({ "jti": 7 }))).unwrap();
    let unknown = scene.by_other("k3", &json!({}));
    for _ in 0..3 {
        scene.enter(&unknown).unwrap_err();
    }
    assert_eq!(scene.asked(), 4);
    scene.issuer.lock().unwrap().keys = vec![new.jwk("k2")];
    scene.world.advance(Duration::from_secs(3600));
    // It was withdrawn.
    scene.refused(&json!({}));
    scene.enter(&of_new(8)).unwrap();
    assert_eq!(scene.asked(), 6);
}

#[test]
fn an_unreachable_issuer_is_reported_and_cached_keys_still_work() {
    let scene = Scene::new(|issuer| issuer);
    let is_down = |is_down| scene.issuer.lock().unwrap().is_down = is_down;
    is_down(true);
    for _ in 0..3 {
        let error = scene.refused(&json!({}));
        assert_eq!(error.kind(), ErrorKind::IssuerUnavailable);
        assert!(error.retryable() && error.retry_after().is_some());
        assert!(error.message().contains("operator's issuer"), "{error}");
    }
    assert_eq!(scene.asked(), 1);
    is_down(false);
    scene.world.advance(Duration::from_secs(5));
    scene.enter(&scene.token(&json!({}))).unwrap();
    is_down(true);
    let asked = scene.asked();
    scene.world.advance(Duration::from_secs(3600));
    scene.enter(&scene.token(&json!({}))).unwrap();
    scene.enter(&scene.token(&json!({ "jti": 1 }))).unwrap();
    assert_eq!(scene.asked(), asked + 1, "once a minute");
    // The issuer is down, so Stead can't check whether this key belongs to it.
    let error = scene.enter(&scene.by_other("k2", &json!({}))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IssuerUnavailable);
    scene.world.advance(Duration::from_secs(24 * 3600));
    let error = scene.refused(&json!({}));
    assert_eq!(error.kind(), ErrorKind::IssuerUnavailable);
}

#[test]
fn a_configuration_is_found_by_either_standard_and_speaks_for_its_issuer_only() {
    let of = |configuration: Value| {
        let scene = Scene::new(|issuer| issuer);
        scene.issuer.lock().unwrap().configuration = configuration;
        let entered = scene.enter(&scene.token(&json!({})));
        let asked = scene.issuer.lock().unwrap().asked.clone();
        (entered.map(drop), asked)
    };
    let jwks = "https://keys.test/jwks";
    let openid = "https://login.test/realm/.well-known/openid-configuration";
    let oauth = "https://login.test/.well-known/oauth-authorization-server/realm";
    let (entered, asked) = of(json!({ "issuer": ISSUER, "jwks_uri": jwks, "at": oauth }));
    entered.unwrap();
    assert_eq!(asked, [openid, oauth, jwks]);
    for wrong in [
        json!({ "issuer": "https://login.test", "jwks_uri": jwks }),
        json!({ "issuer": ISSUER, "jwks_uri": "http://keys.test/jwks" }),
        json!({ "issuer": ISSUER }),
        json!({ "issuer": ISSUER, "jwks_uri": "https://keys.test/other" }),
        json!({ "at": "nowhere" }),
    ] {
        let error = of(wrong.clone()).0.unwrap_err().kind();
        assert_eq!(error, ErrorKind::IssuerUnavailable, "{wrong}");
    }
}

#[test]
fn an_issuer_with_unusable_settings_is_refused() {
    let opened = |set: fn(McpIssuer) -> McpIssuer, verification| {
        let world = World::new();
        let opened = world.configured(&world.store(), &STABLE, always(404, ""), |options| {
            options.verification = verification;
            options.mcp_issuer = Some(set(McpIssuer::new(ISSUER).unwrap()));
        });
        opened.map(drop)
    };
    let (link, application) = (Verification::LinkPossession, Verification::Application);
    opened(|issuer| issuer, link).unwrap();
    let back = |issuer: McpIssuer| issuer.verify_url("https://app.test/back");
    opened(back, application).unwrap();
    for (set, verification) in [
        ((|issuer| issuer) as fn(McpIssuer) -> McpIssuer, application),
        (|issuer| issuer.verify_url("ftp://app.test"), link),
        (|issuer| issuer.tools(["no_such_tool"]), link),
        (|issuer| issuer.tools(Vec::<String>::new()), link),
        (|issuer| issuer.connections([""; 0]).unwrap(), link),
        (|issuer| issuer.audience(" "), link),
        (|issuer| issuer.identifier_claim(""), link),
    ] {
        opened(set, verification).unwrap_err();
    }
    for wrong in ["login.test", "http://login.test", "https://login.test?x"] {
        assert!(McpIssuer::new(wrong).is_err(), "{wrong}");
    }
    assert!(McpIssuer::new("http://127.0.0.1:8080").is_ok());
}
