//! The client over a transport that plays the service.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use http::{Request, Response};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use stead_core::{
    Error, ErrorKind,
    ports::{Body, BoxFuture, TransportError, TransportErrorKind},
    resource::{AccountState, ExecuteRequest, NewConnection, ProxyRequest, TokenAccess},
    schema::ExportFormat,
};

use super::*;

/// A request as it was sent: method and target, authorization, body.
type Seen = (String, Option<String>, String);

#[derive(Default)]
struct Script {
    responses: Mutex<VecDeque<Result<Response<Body>, TransportError>>>,
    seen: Mutex<Vec<Seen>>,
}

impl Script {
    fn of(responses: impl IntoIterator<Item = Response<Body>>) -> Arc<Self> {
        Arc::new(Self {
            responses: Mutex::new(responses.into_iter().map(Ok).collect()),
            ..Self::default()
        })
    }

    fn and_fail(self: Arc<Self>, kind: TransportErrorKind) -> Arc<Self> {
        let error = TransportError::new(kind, "planned");
        self.responses.lock().unwrap().push_back(Err(error));
        self
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl Transport for Script {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let body = body.collect(1 << 20).await?;
            self.seen
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((
                    format!("{} {}", head.method, head.uri),
                    head.headers
                        .get("authorization")
                        .map(|value| value.to_str().unwrap().to_owned()),
                    String::from_utf8(body.to_vec()).unwrap(),
                ));
            self.responses
                .lock()
                .unwrap()
                .pop_front()
                .expect("one request too many")
        })
    }
}

fn client(script: &Arc<Script>) -> Client {
    let transport: Arc<dyn Transport> = Arc::clone(script) as _;
    Client::with_transport("http://127.0.0.1:1/base/", "the app", "a&b=c", transport).unwrap()
}

fn reply(status: u16, kind: &str, body: impl Into<String>) -> Response<Body> {
    Response::builder()
        .status(status)
        .header("content-type", kind)
        .body(Body::from(body.into().into_bytes()))
        .unwrap()
}

fn ok(body: &Value) -> Response<Body> {
    reply(200, "application/json", body.to_string())
}

fn token(text: &str) -> Response<Body> {
    ok(&json!({ "access_token": text, "token_type": "Bearer", "expires_in": 3600 }))
}

fn problem(error: &Error) -> Response<Body> {
    let problem = error.to_problem();
    reply(
        problem.status,
        "application/problem+json",
        serde_json::to_string(&problem).unwrap(),
    )
}

fn execution() -> Response<Body> {
    ok(&json!({
        "execution_id": "exec_00000000000000000000000000000001",
        "tool": "mail_list_drafts",
        "tool_version": "2026-11-21",
        "data": { "drafts": [] },
    }))
}

#[tokio::test]
async fn one_token_is_used_for_many_calls() {
    let script = Script::of([token("t1"), execution(), execution()]);
    let actions = client(&script).actions();
    for _ in 0..2 {
        let execution = actions
            .execute_tool(
                "mail_list_drafts",
                "mail",
                "a/b",
                json!({ "max_results": 2 }),
            )
            .await
            .unwrap();
        assert_eq!(execution.data.get(), r#"{"drafts":[]}"#);
    }
    let execute = (
        "POST http://127.0.0.1:1/base/v1/tools/mail_list_drafts/execute".to_owned(),
        Some("Bearer t1".to_owned()),
        json!({ "connection_name": "mail", "identifier": "a/b", "input": { "max_results": 2 } })
            .to_string(),
    );
    let fetch = (
        "POST http://127.0.0.1:1/base/oauth/token".to_owned(),
        None,
        "grant_type=client_credentials&client_id=the%20app&client_secret=a%26b%3Dc".to_owned(),
    );
    assert_eq!(script.seen(), [fetch, execute.clone(), execute]);
}

#[tokio::test]
async fn a_refused_token_is_renewed_once() {
    let refusal = || {
        problem(&Error::new(
            ErrorKind::Unauthenticated,
            "the token has expired",
        ))
    };
    let script = Script::of([token("t1"), refusal(), token("t2"), execution()]);
    let actions = client(&script).actions();
    actions
        .execute_tool("mail_list_drafts", "mail", "you", json!({}))
        .await
        .unwrap();
    let bearers: Vec<_> = script
        .seen()
        .into_iter()
        .filter_map(|seen| seen.1)
        .collect();
    assert_eq!(bearers, ["Bearer t1", "Bearer t2"]);

    let script = Script::of([token("t1"), refusal(), token("t2"), refusal()]);
    let error = client(&script).tools().list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthenticated);
}

#[tokio::test]
async fn a_401_of_the_product_is_the_response() {
    let mut theirs = reply(401, "application/json", "{}");
    theirs.headers_mut().insert(
        "stead-execution-id",
        http::HeaderValue::from_static("exec_1"),
    );
    let script = Script::of([token("t1"), theirs]);
    let request = ProxyRequest::new("mail", "you", "GET", "/v1/users/me/profile");
    let response = client(&script).actions().request(request).await.unwrap();
    assert_eq!(response.status(), 401);
    assert_eq!(script.seen().len(), 2);
}

#[tokio::test]
async fn an_error_of_the_service_with_an_execution_is_not_the_products_response() {
    let mut theirs = problem(&Error::new(ErrorKind::ScopeMissing, "a scope is missing"));
    for (name, value) in [
        ("stead-execution-id", "exec_1"),
        ("stead-error", "scope_missing"),
    ] {
        let value = http::HeaderValue::from_static(value);
        theirs.headers_mut().insert(name, value);
    }
    let script = Script::of([token("t1"), theirs]);
    let request = ProxyRequest::new("mail", "you", "GET", "/v1/users/me/profile");
    let error = client(&script)
        .actions()
        .request(request)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ScopeMissing);
}

#[tokio::test]
async fn problems_become_errors() {
    let theirs = Error::new(
        ErrorKind::AuthorizationRequired,
        "the user has to authorize",
    )
    .with_authorization_link("https://stead.example.com/connect/x")
    .with_required_scopes(["a"]);
    let script = Script::of([token("t1"), problem(&theirs)]);
    let account = client(&script).account("mail", "a/b %2F@ü").unwrap();
    let error = account.read().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AuthorizationRequired);
    assert_eq!(error.message(), theirs.message());
    assert_eq!(error.authorization_link(), theirs.authorization_link());
    assert_eq!(error.required_scopes(), ["a"]);
    assert_eq!(
        script.seen()[1].0,
        "GET http://127.0.0.1:1/base/v1/accounts/mail/a%2Fb%20%252F%40%C3%BC"
    );
}

#[tokio::test]
async fn a_response_that_is_not_a_problem_is_an_error_of_its_status() {
    let script = Script::of([token("t1"), reply(404, "text/html", "<html>")]);
    let error = client(&script).tools().list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);

    let refused = reply(401, "application/json", r#"{"error":"invalid_client"}"#);
    let error = client(&Script::of([refused]))
        .tools()
        .list()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthenticated);
    assert!(!format!("{error:?}").contains("a&b=c"));
}

#[tokio::test]
async fn a_write_without_a_response_has_an_unknown_outcome() {
    for (kind, expected) in [
        (TransportErrorKind::Cut, ErrorKind::OutcomeUnknown),
        (TransportErrorKind::TimedOut, ErrorKind::OutcomeUnknown),
        (
            TransportErrorKind::Unreachable,
            ErrorKind::ServiceUnavailable,
        ),
        (TransportErrorKind::TooLarge, ErrorKind::ResponseTooLarge),
    ] {
        let script = Script::of([token("t1")]).and_fail(kind);
        let call = client(&script).actions();
        let error = call
            .execute_tool("mail_list_drafts", "mail", "you", json!({}))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), expected);
    }
    let script = Script::of([token("t1")]).and_fail(TransportErrorKind::Cut);
    let error = client(&script).tools().list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ServiceUnavailable);
}

#[tokio::test]
async fn keys_are_quoted_and_dots_are_refused() {
    let client = client(&Script::of([token("t1"), execution()]));
    let actions = client.actions();
    let with_key = |key: &str| {
        let mut request = ExecuteRequest::new("mail", "you", json!({}));
        request.idempotency_key = Some(key.to_owned());
        request
    };
    actions
        .execute_tool_with("mail_list_drafts", with_key("a\"b"))
        .await
        .unwrap();
    for bad in ["", "a\nb", "ü"] {
        let error = actions
            .execute_tool_with("mail_list_drafts", with_key(bad))
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{bad:?}");
    }
    for dots in [".", ".."] {
        let error = client.account("mail", dots).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    }
}

#[test]
fn debug_output_has_no_secret() {
    let transport = Script::of([]) as Arc<dyn Transport>;
    let client = Client::with_transport("https://example.com", "id", "hush", transport).unwrap();
    assert_eq!(
        format!("{client:?}"),
        r#"Client { environment_url: "https://example.com", .. }"#
    );
}

#[tokio::test]
async fn every_operation_is_a_request_of_the_service() {
    let account = || {
        ok(&json!({
            "id": "acct_00000000000000000000000000000001", "connection_name": "mail", "product": "mail",
            "identifier": "a/b", "state": "active", "health": "ok", "granted_scopes": [], "missing_scopes": [],
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        }))
    };
    let connection = || {
        ok(&json!({
            "id": "conn_00000000000000000000000000000001", "connection_name": "mail", "product": "mail",
            "state": "ready", "health": "client_ok", "has_client_secret": true, "redirect_uri": "https://x",
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        }))
    };
    let authorization = ok(&json!({
        "authorization_id": "auth_00000000000000000000000000000001", "connection_name": "mail", "identifier": "a/b",
        "state": "denied", "reason": "access_denied", "created_at": "2026-01-01T00:00:00Z",
        "expires_at": "2026-01-01T00:00:00Z",
    }));
    let page = || ok(&json!({ "items": [] }));
    let gone = || reply(204, "text/plain", "");
    let ended = ok(&json!({ "revocation": "requested", "ends_other_grants": true }));
    let taken = problem(&Error::new(
        ErrorKind::AlreadyExists,
        "the connection mail exists",
    ));
    let account_token = || {
        ok(&json!({
            "token": "stead_account_1", "token_id": "tok_00000000000000000000000000000001", "connection_name": "mail",
            "identifier": "a/b", "access": "read", "expires_at": "2026-01-01T00:00:00Z",
        }))
    };
    let script = Script::of([
        token("t"),
        taken,
        connection(),
        connection(),
        page(),
        gone(),
        page(),
        account(),
        account(),
        account(),
        account(),
        ended,
        authorization,
        account(),
        page(),
        account_token(),
        page(),
        gone(),
    ]);
    let stead = client(&script);
    let new = NewConnection::mail("mail")
        .client("id", "hush")
        .permissions(["a b"]);
    stead.connections().ensure(new).await.unwrap();
    stead.connections().list().page_size(1000).await.unwrap();
    stead.connections().delete("mail").await.unwrap();
    let accounts = stead.accounts().identifier("a/b").product("mail");
    let accounts = accounts.identifier_prefix("a");
    let accounts = accounts.state(AccountState::NeedsReauthorization);
    assert!(accounts.list().all().await.unwrap().is_empty());
    let user = stead.account("mail", "a/b").unwrap();
    user.read().await.unwrap();
    user.refresh().await.unwrap();
    user.suspend().await.unwrap();
    user.resume().await.unwrap();
    let ended = user.disconnect().revoke_at_product(true).erase(true);
    let ended = ended.await.unwrap();
    assert!(ended.ends_other_grants);
    let read = stead.authorizations().read("auth_1").await.unwrap();
    assert_eq!(read.reason.as_deref(), Some("access_denied"));
    stead
        .authorizations()
        .verify("auth_1", "a/b")
        .await
        .unwrap();
    let tools = stead.tools().product("mail");
    tools.export(ExportFormat::OpenaiStrict).await.unwrap();
    let half_an_hour = Duration::from_secs(1800);
    let token = user.token(TokenAccess::Read, half_an_hour).await.unwrap();
    assert_eq!(token.token.expose_secret(), "stead_account_1");
    assert!(user.tokens().await.unwrap().items.is_empty());
    user.end_token(token.token_id).await.unwrap();

    let given = json!({ "client_id": "id", "client_secret": "hush", "permissions": ["a b"] });
    let mut new = given.clone();
    new["connection_name"] = "mail".into();
    new["product"] = "mail".into();
    new["settings"] = json!({});
    let expected = [
        ("POST /v1/connections", Some(new)),
        ("GET /v1/connections/mail", None),
        ("PATCH /v1/connections/mail", Some(given)),
        ("GET /v1/connections?page_size=100", None),
        ("DELETE /v1/connections/mail", None),
        (
            "GET /v1/accounts?product=mail&identifier=a%2Fb&identifier_prefix=a&state=needs_reauthorization&page_size=50",
            None,
        ),
        ("GET /v1/accounts/mail/a%2Fb", None),
        ("POST /v1/accounts/mail/a%2Fb/refresh", None),
        ("POST /v1/accounts/mail/a%2Fb/suspend", None),
        ("POST /v1/accounts/mail/a%2Fb/resume", None),
        (
            "DELETE /v1/accounts/mail/a%2Fb?revoke_at_product=true&erase=true",
            None,
        ),
        ("GET /v1/authorizations/auth_1", None),
        (
            "POST /v1/authorizations/auth_1/verify",
            Some(json!({ "identifier": "a/b" })),
        ),
        ("GET /v1/tools?product=mail&format=openai_strict", None),
        (
            "POST /v1/account-tokens",
            Some(json!({
                "connection_name": "mail", "identifier": "a/b", "access": "read", "expires_in": 1800,
            })),
        ),
        (
            "GET /v1/account-tokens?connection_name=mail&identifier=a%2Fb&page_size=50",
            None,
        ),
        (
            "DELETE /v1/account-tokens/tok_00000000000000000000000000000001",
            None,
        ),
    ];
    let seen = script.seen();
    for ((line, body), (target, _, sent)) in expected.iter().zip(&seen[1..]) {
        assert_eq!(*line, target.replace("http://127.0.0.1:1/base", ""));
        let sent: Option<Value> = (!sent.is_empty()).then(|| sent.parse().unwrap());
        assert_eq!(*body, sent, "{line}");
    }
    assert_eq!(seen.len(), expected.len() + 1);
}
