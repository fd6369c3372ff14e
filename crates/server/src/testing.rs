//! A real router over a platform in memory, and products that respond from a function.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, body::Body};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use stead::{ErrorKind, Platform, PlatformBuilder};
use stead_core::{
    api::Paging,
    caller::Caller,
    environment::Verification,
    ports::{self, BoxFuture, Transport, TransportError},
    resource::{
        AppCredential, ExecuteRequest, Execution, ListAppCredentials, NewAppCredential,
        NewAuthorizationLink, NewConnection, SetPolicy,
    },
    scope::Scopes,
};
use tower::ServiceExt as _;

use crate::{document::check::check, routes::Route, testing_clock::Clock};

const KEY: &str = "k1:BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";
/// The URL of the proxy host.
pub(crate) const PROXY_URL: &str = "https://proxy.example.com";
pub(crate) const READONLY: &str = "https://www.googleapis.com/auth/gmail.readonly";
/// The scope that the product grants to the client with this ID, instead of the requested ones.
pub(crate) const SPREADSHEETS: &str = "https://www.googleapis.com/auth/spreadsheets";
pub(crate) const OF_SHEETS: &str = "client-of-sheets";

/// A request that a product received.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) method: String,
    pub(crate) uri: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) limits: Option<ports::Limits>,
}

type Respond = Box<dyn Fn(&Received) -> Response<ports::Body> + Send + Sync>;

/// The network. The token endpoint grants everything. All other responses come from a function.
pub(crate) struct Products {
    respond: Respond,
    received: Mutex<Vec<Received>>,
}

impl Transport for Products {
    fn send(
        &self,
        request: Request<ports::Body>,
    ) -> BoxFuture<'_, Result<Response<ports::Body>, TransportError>> {
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let body = body.collect(u64::MAX).await?;
            let received = Received {
                method: head.method.to_string(),
                uri: head.uri.to_string(),
                headers: head.headers,
                body,
                limits: head.extensions.get().copied(),
            };
            let response = match received.uri.as_str() {
                "https://oauth2.googleapis.com/token" => granted(&received),
                _ => (self.respond)(&received),
            };
            self.received.lock().unwrap().push(received);
            Ok(response)
        })
    }
}

fn granted(received: &Received) -> Response<ports::Body> {
    let mut form = url::form_urlencoded::parse(&received.body);
    let client = form.find(|(name, _)| name == "client_id");
    let of_sheets = client.as_ref().is_some_and(|(_, id)| id == OF_SHEETS);
    let scope = if of_sheets { SPREADSHEETS } else { READONLY };
    // An ID token like Google's, valid until 2100.
    let claims = json!({
        "iss": "https://accounts.google.com", "aud": client.map(|(_, id)| id), "exp": 4_102_444_800_u64, "sub": "1",
        "email": "ada@example.com",
    });
    json_response(&json!({
        "access_token": "ya29.CANARY-access", "refresh_token": "1//CANARY-refresh", "expires_in": 3600, "token_type": "Bearer",
        "scope": format!("openid https://www.googleapis.com/auth/userinfo.email {scope}"),
        "id_token": format!("e30.{}.e30", URL_SAFE_NO_PAD.encode(claims.to_string())),
    }))
}

/// A response of a product, in JSON.
pub(crate) fn json_response(body: &Value) -> Response<ports::Body> {
    let mut response = Response::new(ports::Body::from(body.to_string().into_bytes()));
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
    response
}

/// A credential that may do everything.
pub(crate) fn everything(name: &str) -> NewAppCredential {
    NewAppCredential::new(name).scopes(Scopes::all().words())
}

/// A service with its products.
pub(crate) struct TestService {
    pub(crate) router: Router,
    pub(crate) platform: Platform,
    products: Arc<Products>,
    pub(crate) clock: Arc<Clock>,
    bearer: String,
}

/// A response of the service.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl TestService {
    /// At `http://127.0.0.1`. Anyone who holds a link is treated as its user. Products respond with `{}`.
    pub(crate) async fn new() -> Self {
        Self::open("http://127.0.0.1", Verification::LinkPossession, |_| {
            json_response(&json!({}))
        })
        .await
    }

    /// The same with products that respond from `respond`.
    pub(crate) async fn with_products(
        respond: impl Fn(&Received) -> Response<ports::Body> + Send + Sync + 'static,
    ) -> Self {
        Self::open("http://127.0.0.1", Verification::LinkPossession, respond).await
    }

    pub(crate) async fn open(
        public_url: &str,
        verification: Verification,
        respond: impl Fn(&Received) -> Response<ports::Body> + Send + Sync + 'static,
    ) -> Self {
        Self::open_with(public_url, verification, respond, |builder| builder).await
    }

    /// The same with more settings.
    pub(crate) async fn open_with(
        public_url: &str,
        verification: Verification,
        respond: impl Fn(&Received) -> Response<ports::Body> + Send + Sync + 'static,
        set: impl FnOnce(PlatformBuilder) -> PlatformBuilder,
    ) -> Self {
        let products = Arc::new(Products {
            respond: Box::new(respond),
            received: Mutex::default(),
        });
        let transport: Arc<dyn Transport> = Arc::clone(&products) as _;
        let clock = Arc::new(Clock::new());
        let builder = Platform::builder(public_url)
            .runtime(Arc::clone(&clock) as _)
            .key(KEY)
            .proxy_url(PROXY_URL)
            .in_memory()
            .transport(transport);
        let platform = set(builder)
            .verification(verification)
            .build()
            .await
            .unwrap();
        let credential = platform
            .environment()
            .send(everything("test"))
            .await
            .unwrap();
        let issued = platform.environment().issue_access_token(
            &credential.credential.client_id,
            credential.client_secret.expose_secret(),
            None,
        );
        let bearer = issued
            .await
            .unwrap()
            .access_token
            .expose_secret()
            .to_owned();
        Self {
            router: crate::router_with(&platform, &crate::ServerOptions::default()),
            platform,
            products,
            clock,
            bearer,
        }
    }

    /// The same service, called with a credential that has only these scopes.
    pub(crate) async fn with_scopes(&self, scopes: &[&str]) -> Self {
        let new = NewAppCredential::new("limited").scopes(scopes.iter().copied());
        self.with_credential(new).await
    }

    /// The same service, called with a new credential.
    pub(crate) async fn with_credential(&self, new: NewAppCredential) -> Self {
        let environment = self.platform.environment();
        let made = environment.send(new).await.unwrap();
        let secret = made.client_secret.expose_secret();
        let issued = environment.issue_access_token(&made.credential.client_id, secret, None);
        let issued = issued.await.unwrap();
        Self {
            router: self.router.clone(),
            platform: self.platform.clone(),
            products: Arc::clone(&self.products),
            clock: Arc::clone(&self.clock),
            bearer: issued.access_token.expose_secret().to_owned(),
        }
    }

    /// The credential with this name.
    pub(crate) async fn credential(&self, name: &str) -> AppCredential {
        let all = ListAppCredentials::new().page(Paging::new(None, 100));
        let all = self.platform.environment().send(all).await.unwrap();
        all.items.into_iter().find(|one| one.name == name).unwrap()
    }

    /// Moves the clock forward, without waiting.
    pub(crate) fn pass(&self, time: Duration) {
        self.clock.pass(time);
    }

    /// The requests that the products received, including token requests.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.products.received.lock().unwrap().clone()
    }

    /// Sends a request unchanged. The response must match the OpenAPI document.
    pub(crate) async fn send(&self, request: Request<Body>) -> TestResponse {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        // The proxy host serves the product's API, which the document doesn't describe.
        let proxy_host = self.platform.environment().proxy_url();
        let proxy_host = proxy_host.and_then(|url| url.host_str().map(str::to_owned));
        let host = request.headers().get(header::HOST).cloned();
        let host = host.and_then(|host| host.to_str().map(str::to_owned).ok());
        let is_described =
            !matches!((host, proxy_host), (Some(host), Some(proxy)) if host.starts_with(&proxy));
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        if is_described {
            check(&method, &path, head.status, &head.headers, &body);
        }
        TestResponse {
            status: head.status,
            headers: head.headers,
            body,
        }
    }

    /// Sends a request of the application, with JSON if there is any.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<Value>) -> TestResponse {
        let mut request = self.request(method, path);
        let body = match body {
            None => Body::empty(),
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                Body::from(body.to_string())
            }
        };
        self.send(request.body(body).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.call("GET", path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> TestResponse {
        self.call("POST", path, Some(body)).await
    }

    /// Sets a policy that requires approval to list threads, calls that tool as this user with another application, and
    /// returns the ID of the pending approval.
    pub(crate) async fn asked_for_approval(&self, identifier: &str) -> String {
        let policy = json!({
            "name": "asks", "environment": true,
            "requires_approval": { "tools": ["mail_list_threads"] },
        });
        let policy: stead_core::resource::Policy = serde_json::from_value(policy).unwrap();
        let environment = self.platform.environment();
        environment.send(SetPolicy::from(policy)).await.unwrap();
        let asked = self.list_threads(identifier).await.unwrap_err();
        assert_eq!(asked.kind(), ErrorKind::ApprovalRequired, "{asked}");
        asked.context()["approval_id"].as_str().unwrap().to_owned()
    }

    /// The call that needs approval.
    pub(crate) async fn list_threads(&self, identifier: &str) -> stead::Result<Execution> {
        let caller = Caller::application("app_01a2037b035070009412e81b2b61a1aa");
        let environment = self.platform.environment().acting_as(caller);
        let request = ExecuteRequest::new("mail", identifier, json!({ "query": "<mark>" }));
        environment.execute("mail_list_threads", request).await
    }

    /// The same service within another router.
    pub(crate) fn within(self, around: impl FnOnce(Router) -> Router) -> Self {
        Self {
            router: around(self.router.clone()),
            ..self
        }
    }

    /// A request of the application for a test to complete.
    pub(crate) fn request(&self, method: &str, path: &str) -> http::request::Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.bearer))
    }

    /// A request of a browser.
    pub(crate) async fn browse(
        &self,
        method: &str,
        path: &str,
        cookie: Option<&str>,
    ) -> TestResponse {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }
        self.send(request.body(Body::empty()).unwrap()).await
    }

    /// A page that a browser without cookies opens.
    pub(crate) async fn visit(&self, path: &str) -> TestResponse {
        self.browse("GET", path, None).await
    }

    /// The product sends the browser back with a code.
    pub(crate) async fn come_back(
        &self,
        connection_id: &str,
        state: &str,
        cookie: &str,
    ) -> TestResponse {
        let path = format!("/sso/v1/oauth/{connection_id}/callback?state={state}&code=4%2F0A");
        self.browse("GET", &path, Some(cookie)).await
    }

    /// The connection `mail`, ready.
    pub(crate) async fn connect_mail(&self) -> String {
        let new = NewConnection::mail("mail")
            .client("client", "CANARY-client-secret")
            .permissions([READONLY]);
        self.platform
            .environment()
            .send(new)
            .await
            .unwrap()
            .id
            .to_string()
    }

    /// The path of a link for `identifier`, on the connection `mail`.
    pub(crate) async fn link(&self, identifier: &str, verify_url: Option<&str>) -> String {
        let mut new = NewAuthorizationLink::new("mail", identifier);
        new.verify_url = verify_url.map(str::to_owned);
        let link = self.platform.environment().send(new).await.unwrap().link;
        url::Url::parse(&link).unwrap().path().to_owned()
    }

    /// An active account of `identifier`, on a new connection `mail`.
    pub(crate) async fn with_account(self, identifier: &str) -> Self {
        let connection_id = self.connect_mail().await;
        let (state, cookie) = self.consent(&self.link(identifier, None).await).await;
        let back = self.come_back(&connection_id, &state, &cookie).await;
        assert_eq!(
            back.header("location"),
            "http://127.0.0.1/connect/done?product=Gmail"
        );
        self
    }

    /// Presses the button of a link. Returns the state that the product would return, and the browser's cookie.
    pub(crate) async fn consent(&self, link: &str) -> (String, String) {
        let started = self.browse("POST", link, None).await;
        assert_eq!(started.status, StatusCode::SEE_OTHER, "{}", started.text());
        let location: url::Url = started.header("location").parse().unwrap();
        let (_, state) = location
            .query_pairs()
            .find(|(name, _)| name == "state")
            .unwrap();
        let cookie = started
            .header("set-cookie")
            .split(';')
            .next()
            .unwrap()
            .to_owned();
        (state.into_owned(), cookie)
    }
}

impl TestResponse {
    /// The header's text. Empty if it's absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    #[track_caller]
    pub(crate) fn assert_contains(&self, expected: &str) {
        assert!(self.text().contains(expected), "{}", self.text());
    }

    #[track_caller]
    pub(crate) fn assert_problem(&self, status: StatusCode, kind: &str) {
        assert_eq!(
            (self.status, self.problem()["kind"].as_str()),
            (status, Some(kind))
        );
    }

    /// The body as JSON, without values that differ from run to run.
    pub(crate) fn json(&self) -> Value {
        let mut value: Value = serde_json::from_slice(&self.body).unwrap();
        normalize(&mut value);
        value
    }

    /// The body as JSON with the status. The response must be a problem with a request ID.
    pub(crate) fn problem(&self) -> Value {
        assert_eq!(
            self.header("content-type"),
            "application/problem+json",
            "{}",
            self.text()
        );
        assert_eq!(self.header("cache-control"), "no-store");
        let mut value = self.json();
        assert_eq!(value["status"], self.status.as_u16());
        assert_eq!(value["request_id"], "req_…");
        for same in [
            "type",
            "title",
            "status",
            "request_id",
            "retryable",
            "act_by",
        ] {
            value.as_object_mut().unwrap().remove(same).unwrap();
        }
        value
    }
}

/// IDs keep their prefix, times become `time`.
fn normalize(value: &mut Value) {
    match value {
        Value::String(text) => {
            let prefix = ["req_", "conn_", "acct_", "auth_", "exec_", "tok_"]
                .iter()
                .find(|prefix| text.starts_with(**prefix));
            if let Some(prefix) = prefix {
                *text = format!("{prefix}…");
            } else if text.len() > 19 && text.as_bytes()[10] == b'T' && text.ends_with('Z') {
                *text = String::from("time");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::Object(members) => members.values_mut().for_each(normalize),
        _ => {}
    }
}

/// A request to a route, with any text for its parameters.
pub(crate) fn request_to(route: &Route) -> http::request::Builder {
    let steps: Vec<&str> = route
        .path
        .split('/')
        .map(|step| if step.starts_with('{') { "x" } else { step })
        .collect();
    let method = match route.method {
        "ANY" => "PROPFIND",
        one => one,
    };
    Request::builder().method(method).uri(steps.join("/"))
}
