//! Requests that are rejected before a handler sees them, through the router.

use std::{convert::Infallible, io, net::SocketAddr, sync::Mutex};

use axum::{body::Body, extract::ConnectInfo, response::Response};
use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture, stream};
use http::{Request, StatusCode, header};
use secrecy::ExposeSecret as _;
use stead::ErrorKind;
use stead_core::{environment::Verification, ports};
use tower::ServiceExt as _;

use crate::{
    ServerOptions, router_with,
    testing::{TestService, everything, json_response},
};

/// A service with other options.
fn with_options(service: TestService, options: &ServerOptions) -> TestService {
    let router = router_with(&service.platform, options);
    service.within(|_| router)
}

/// A running request until it's dropped: of the application, or of a stranger at this address.
struct Waiting(BoxFuture<'static, Result<Response, Infallible>>);

impl Waiting {
    fn of(service: &TestService, path: &str, media_type: &str, address: &str) -> Self {
        let never = stream::pending::<Result<Bytes, Infallible>>();
        let request = service
            .request("POST", path)
            .header(header::CONTENT_TYPE, media_type);
        let mut request = request.body(Body::from_stream(never)).unwrap();
        let peer: SocketAddr = address.parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
        Self(service.router.clone().oneshot(request).boxed())
    }

    fn application(service: &TestService) -> Self {
        Self::of(service, "/v1/proxy", "application/json", "127.0.0.1:1")
    }

    fn stranger(service: &TestService, address: &str) -> Self {
        let form = "application/x-www-form-urlencoded";
        Self::of(service, "/oauth/token", form, address)
    }

    /// Starts it. `None` if it wasn't admitted.
    fn begins(mut self) -> Option<Self> {
        self.0.as_mut().now_or_never().is_none().then_some(self)
    }
}

fn places(most: usize) -> ServerOptions {
    ServerOptions {
        max_requests: most,
        ..ServerOptions::default()
    }
}

#[tokio::test]
async fn a_full_server_refuses_requests_and_is_not_ready() {
    let service = with_options(TestService::new().await, &places(1));
    let waiting = Waiting::application(&service).begins();
    assert!(waiting.is_some());

    let refused = service.get("/v1/tools").await;
    refused.assert_problem(StatusCode::SERVICE_UNAVAILABLE, "overloaded");
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(service.visit("/healthz").await.status, StatusCode::OK);
    for path in ["/readyz", "/readyz?exclude=store"] {
        let full = service.visit(path).await;
        full.assert_problem(StatusCode::SERVICE_UNAVAILABLE, "overloaded");
    }
    drop(waiting);
    for path in ["/readyz", "/readyz?exclude=store"] {
        assert_eq!(service.visit(path).await.status, StatusCode::OK, "{path}");
    }
    assert_eq!(service.get("/v1/tools").await.status, StatusCode::OK);
    let unknown = service.visit("/readyz?exclude=everything").await;
    unknown.assert_problem(StatusCode::BAD_REQUEST, "invalid_request");
}

#[tokio::test]
async fn a_buffered_response_counts_until_its_head_and_a_stream_until_its_end() {
    let pieces = stream::repeat_with(|| Ok::<_, io::Error>(Bytes::from_static(b"piece")));
    let pieces = Mutex::new(Some(pieces));
    let service = TestService::with_products(move |received| {
        if received.uri.ends_with("/streamed") {
            let pieces = pieces.lock().unwrap().take().unwrap();
            return http::Response::new(ports::Body::stream(Body::from_stream(pieces)));
        }
        json_response(&serde_json::json!({}))
    });
    let service = with_options(service.await.with_account("u1").await, &places(1));
    let begin = async |path: &str| {
        let request = service.request("GET", path).body(Body::empty());
        let response = service.router.clone().oneshot(request.unwrap()).await;
        response.unwrap()
    };
    let unread = begin("/v1/tools").await;
    let streamed = begin("/proxy/mail/u1/gmail/v1/streamed").await;
    assert_eq!(
        (unread.status(), streamed.status()),
        (StatusCode::OK, StatusCode::OK)
    );
    assert_eq!(
        service.get("/v1/tools").await.status,
        StatusCode::SERVICE_UNAVAILABLE
    );
    drop(streamed);
    assert_eq!(service.get("/v1/tools").await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_flooding_application_leaves_room_for_others() {
    let service = with_options(TestService::new().await, &places(8));
    let other = service.with_credential(everything("other")).await;
    let mut waiting = Vec::new();
    for _ in 0..6 {
        waiting.push(Waiting::application(&service).begins().unwrap());
    }
    let refused = service.get("/v1/tools").await;
    refused.assert_problem(StatusCode::SERVICE_UNAVAILABLE, "overloaded");
    assert!(
        refused.problem()["detail"]
            .as_str()
            .unwrap()
            .contains("6 running requests")
    );
    waiting.push(Waiting::application(&other).begins().unwrap());
    assert_eq!(other.get("/v1/tools").await.status, StatusCode::OK);
    drop(waiting);
    assert_eq!(service.get("/v1/tools").await.status, StatusCode::OK);
}

#[tokio::test]
async fn unauthenticated_callers_are_limited_in_total_and_per_network() {
    let service = with_options(TestService::new().await, &places(1000));
    // As many as it gets, from made-up networks of one customer.
    let mut waiting = Vec::new();
    let mut flood = |network: &str| {
        let before = waiting.len();
        for host in 1..=300 {
            let address = format!("[{network}:{host:x}::1]:1");
            waiting.extend(Waiting::stranger(&service, &address).begins());
        }
        waiting.len() - before
    };
    assert_eq!(flood("2001:db8:1"), 63);
    let all: usize = (2..30)
        .map(|network| flood(&format!("2001:db8:{network:x}")))
        .sum();
    assert!((180..=250).contains(&(63 + all)), "{all}");

    // Applications, members and probes aren't affected.
    assert_eq!(service.get("/v1/tools").await.status, StatusCode::OK);
    assert_eq!(service.visit("/readyz").await.status, StatusCode::OK);
    let of_application: Vec<_> = (0..500)
        .map(|_| Waiting::application(&service).begins())
        .collect();
    assert!(of_application.iter().all(Option::is_some));
    drop(waiting);
    assert!(
        Waiting::stranger(&service, "192.0.2.1:1")
            .begins()
            .is_some()
    );
}

#[tokio::test]
async fn browsers_reach_the_service_only_by_allowed_hosts() {
    let service = TestService::open(
        "https://stead.example.com",
        Verification::LinkPossession,
        |_| json_response(&serde_json::json!({})),
    )
    .await;
    let options = ServerOptions {
        allowed_hosts: vec![String::from("Stead.internal")],
        ..ServerOptions::default()
    };
    let service = with_options(service, &options);
    let status = async |host: &str, path: &str| {
        let request = Request::get(path).header(header::HOST, host);
        service.send(request.body(Body::empty()).unwrap()).await
    };
    for host in [
        "stead.example.com",
        "STEAD.example.com:443",
        "stead.example.com.",
        "stead.internal:8484",
        "localhost:8484",
        "127.0.0.1:8484",
        "[::1]:8484",
    ] {
        let response = status(host, "/connect/done").await;
        assert_eq!(response.status, StatusCode::OK, "{host}");
    }
    for host in [
        "rebound.example.net",
        "stead.example.com.evil.test",
        "192.0.2.7:8484",
        "127.0.0.1.nip.io",
        "a b",
    ] {
        let response = status(host, "/connect/done").await;
        assert_eq!(response.status, StatusCode::FORBIDDEN, "{host}");
        let back = status(host, "/sso/v1/oauth/conn_1/callback?state=x").await;
        let kind = format!("kind={}", ErrorKind::HostRejected);
        assert!(back.header("location").contains(&kind), "{host}: {back:?}");
    }
    let health = status("192.0.2.7:8484", "/healthz").await;
    assert_eq!(health.status, StatusCode::OK, "machines may use any name");
}

/// A request from an address.
async fn from(
    service: &TestService,
    address: &str,
    request: http::request::Builder,
    body: &str,
) -> crate::testing::TestResponse {
    let mut request = request.body(Body::from(body.to_owned())).unwrap();
    let peer: SocketAddr = address.parse().unwrap();
    request.extensions_mut().insert(ConnectInfo(peer));
    service.send(request).await
}

#[tokio::test]
async fn a_caller_who_guesses_links_is_limited_and_others_are_not() {
    let service = TestService::new().await;
    let guess = async |address: &str| {
        let path = format!("/connect/{}", "x".repeat(43));
        from(&service, address, Request::get(path), "").await
    };
    let mut passed = 0;
    let refused = loop {
        let response = guess(&format!("[2001:db8::{passed}]:1")).await;
        if response.status != StatusCode::NOT_FOUND {
            break response;
        }
        passed += 1;
    };
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.header("retry-after"), "1");
    assert!(passed >= 100, "{passed}");
    let other = guess("192.0.2.7:1").await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
    let callback = "/sso/v1/oauth/conn_1/callback?state=x";
    loop {
        let back = from(&service, "[2001:db8::1]:1", Request::get(callback), "").await;
        if back.header("location").contains("kind=rate_limited") {
            break;
        }
    }
}

#[tokio::test]
async fn made_up_networks_are_limited_together_and_real_links_work() {
    let service = TestService::new().await;
    service.connect_mail().await;
    let path = service.link("u1", None).await;
    service.clock.stop();
    let open = async |host: u32, path: &str| {
        let address = format!("[2001:db8:1:{host:x}::1]:1");
        from(&service, &address, Request::get(path), "").await
    };
    let guess = format!("/connect/{}", "x".repeat(43));
    let mut passed = 0;
    while open(passed, &guess).await.status == StatusCode::NOT_FOUND {
        passed += 1;
    }
    assert!((500..5000).contains(&passed), "{passed}");
    let slowed = open(passed + 1, &guess).await;
    assert_eq!(slowed.status, StatusCode::TOO_MANY_REQUESTS);
    // A user in the same network.
    let user = open(60_000, &path).await;
    assert!(!user.status.is_client_error(), "{user:?}");
    let other = from(&service, "192.0.2.7:1", Request::get(&*guess), "").await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn wrong_secrets_are_limited_and_the_right_one_still_works() {
    let service = TestService::new().await;
    let environment = service.platform.environment();
    let credential = environment.send(everything("app")).await.unwrap();
    let ask = async |secret: &str| {
        let request = Request::post("/oauth/token")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        let id = &credential.credential.client_id;
        let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
        from(&service, "127.0.0.1:1", request, &form).await
    };
    let mut refused = 0;
    let slowed = loop {
        let response = ask("wrong").await;
        if response.status != StatusCode::UNAUTHORIZED {
            break response;
        }
        refused += 1;
    };
    assert!(refused >= 10, "{refused}");
    assert_eq!(slowed.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(slowed.json()["error"], "temporarily_unavailable");
    assert_eq!(slowed.header("retry-after"), "1");
    let secret = credential.client_secret.expose_secret();
    let token = ask(secret).await;
    assert_eq!(
        (token.status, token.header("pragma")),
        (StatusCode::OK, "no-cache")
    );

    let mut issued = 1;
    while ask(secret).await.status == StatusCode::OK {
        issued += 1;
    }
    assert!(issued >= 100, "{issued}");
    assert_eq!(ask(secret).await.header("retry-after"), "1");
}

#[tokio::test]
async fn readiness_has_no_rate_limit() {
    let service = TestService::new().await;
    for _ in 0..200 {
        assert_eq!(service.visit("/readyz").await.status, StatusCode::OK);
    }
}
