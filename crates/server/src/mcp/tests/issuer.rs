//! JWTs of a test issuer, through the router.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use stead_core::environment::{McpIssuer, Verification};

use super::*;

const ISSUER: &str = "https://login.test/realm";

fn pair() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
}

/// A service that accepts the issuer's tokens, and the account `u1`.
async fn service(is_up: bool) -> TestService {
    let set = |issuer: McpIssuer| issuer.required_scope("tools").read_only().tool_set("all");
    TestService::open_with(
        "http://127.0.0.1",
        Verification::LinkPossession,
        move |received| match received.uri.as_str() {
            uri if uri.starts_with("https://login.test/") && !is_up => {
                let mut response = json_response(&json!({}));
                *response.status_mut() = StatusCode::BAD_GATEWAY;
                response
            }
            "https://login.test/realm/.well-known/openid-configuration" => {
                json_response(&json!({ "issuer": ISSUER, "jwks_uri": "https://login.test/keys" }))
            }
            "https://login.test/keys" => {
                let x = URL_SAFE_NO_PAD.encode(pair().public_key().as_ref());
                let key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": x });
                json_response(&json!({ "keys": [key] }))
            }
            _ => json_response(&json!({ "drafts": [] })),
        },
        |builder| builder.mcp_issuer(set(McpIssuer::new(ISSUER).unwrap())),
    )
    .await
    .with_account("u1")
    .await
}

fn client<'s>(service: &'s TestService, changes: &Value) -> Client<'s> {
    let now = service.platform.environment().runtime().now().as_second();
    let mut claims = json!({
        "iss": ISSUER, "aud": "http://127.0.0.1/mcp", "sub": "u1", "scope": "tools", "exp": now + 60,
    });
    let changes = changes.as_object().unwrap().clone();
    claims.as_object_mut().unwrap().extend(changes);
    let header = json!({ "alg": "EdDSA", "kid": "k1", "typ": "at+jwt" });
    let parts = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
    let signed = parts.join(".");
    let signature = URL_SAFE_NO_PAD.encode(pair().sign(signed.as_bytes()));
    Client {
        service,
        token: format!("{signed}.{signature}"),
        capabilities: json!({}),
    }
}

async fn refused(client: &Client<'_>) -> TestResponse {
    let request = client.request().body(Body::from("{}")).unwrap();
    client.service.send(request).await
}

#[tokio::test(start_paused = true)]
async fn a_token_of_the_issuer_calls_tools_as_its_user() {
    let service = service(true).await;
    let of_drafts = || {
        let received = service.received();
        received
            .iter()
            .filter(|one| one.uri.contains("/drafts"))
            .count()
    };
    let ada = client(&service, &json!({}));
    let tools = ada.tools().await;
    assert!(names(&tools).contains(&LIST_DRAFTS));
    let writes = tools.iter().filter(|tool| {
        tool["annotations"]["readOnlyHint"] == false
            && !tool["name"].as_str().unwrap().starts_with("stead_")
    });
    assert_eq!(writes.count(), 0, "the operator lets agents read only");
    let result = ada.call(LIST_DRAFTS, &json!({})).await;
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(of_drafts(), 1);
    // No argument can name another user. A user without an account is asked to authorize.
    let named = ada.call(LIST_DRAFTS, &json!({ "identifier": "u2" })).await;
    assert_eq!(named["isError"], true, "{named}");
    let bob = client(&service, &json!({ "sub": "u2" }));
    let asked = bob.call(LIST_DRAFTS, &json!({})).await;
    assert!(
        text(&asked).contains("http://127.0.0.1/connect/"),
        "{asked}"
    );
    assert_eq!(of_drafts(), 1);
    // It allows nothing else.
    let request = ada.request().method("GET").uri("/v1/tools");
    let elsewhere = service.send(request.body(Body::empty()).unwrap()).await;
    assert!(elsewhere.status.is_client_error());
    for path in ["", "/mcp"] {
        let path = format!("/.well-known/oauth-protected-resource{path}");
        let metadata = service.visit(&path).await.json();
        assert_eq!(metadata["authorization_servers"], json!([ISSUER]));
        assert_eq!(metadata["scopes_supported"], json!(["tools"]));
    }
}

#[tokio::test]
async fn a_refused_token_returns_the_reason_and_the_metadata_url() {
    let service = service(true).await;
    let resource =
        "resource_metadata=\"http://127.0.0.1/.well-known/oauth-protected-resource/mcp\"";
    let wrong = refused(&client(&service, &json!({ "aud": "https://other.test" }))).await;
    wrong.assert_problem(StatusCode::UNAUTHORIZED, "unauthenticated");
    let challenge = wrong.header("www-authenticate");
    for part in ["error=\"invalid_token\"", "different audience", resource] {
        assert!(challenge.contains(part), "{challenge}");
    }
    let poor = refused(&client(&service, &json!({ "scope": "openid" }))).await;
    poor.assert_problem(StatusCode::FORBIDDEN, "insufficient_scope");
    let challenge = poor.header("www-authenticate");
    for part in ["error=\"insufficient_scope\"", "scope=\"tools\"", resource] {
        assert!(challenge.contains(part), "{challenge}");
    }
}

#[tokio::test]
async fn an_issuer_that_is_away_is_not_the_agents_fault() {
    let service = service(false).await;
    let problem = refused(&client(&service, &json!({}))).await;
    problem.assert_problem(StatusCode::SERVICE_UNAVAILABLE, "issuer_unavailable");
    assert_eq!(problem.header("retry-after"), "5");
    let problem = problem.json();
    assert_eq!(
        (&problem["retryable"], &problem["act_by"]),
        (&json!(true), &json!("operator"))
    );
}
