//! The platform inside a program, over the sandbox.

#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails the test, in helpers too"
)]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use stead::{
    Callback, ErrorKind, KeyRing, NewConnection, OsEntropy, Platform, PlatformBuilder,
    TokioRuntime, Verification,
    mail::ListDrafts,
    ports::{
        Body, BoxFuture, Decision, Entropy, Policy, PolicyRequest, Runtime, Transport,
        TransportError,
    },
    resource::{AccountState, ProxyRequest},
    store::MemoryStore,
    transport::{ReqwestTransport, TransportOptions},
};
use stead_sandbox::{Running, Sandbox};

const KEY: &str = "k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";

#[tokio::test]
async fn typed_named_and_raw_calls_reach_the_product_as_the_user() {
    let sandbox = Sandbox::start().await.unwrap();
    let platform = builder(&sandbox).in_memory().build().await.unwrap();
    connected(&platform, &sandbox).await;
    let actions = platform.actions();

    let tool = ListDrafts::default().max_results(1);
    let typed = actions.call("mail", "a/b %2F@ü", &tool).await.unwrap();
    let named = actions
        .execute_tool(
            "mail_list_drafts",
            "mail",
            "a/b %2F@ü",
            json!({ "max_results": 1 }),
        )
        .await
        .unwrap();
    assert_eq!(typed.data.get(), named.data.get());
    assert_eq!(
        typed.json::<Value>().unwrap()["drafts"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    let response = actions.request(profile("a/b %2F@ü")).await.unwrap();
    let body: Value = serde_json::from_slice(response.body()).unwrap();
    assert_eq!(body["emailAddress"], "ada@example.com");

    let tools = platform.tools().list().await.unwrap();
    let of_mail = tools.iter().filter(|tool| tool.product == "mail");
    assert_eq!(of_mail.count(), 12);
    let user = platform.account("mail", "a/b %2F@ü").unwrap();
    assert_eq!(user.read().await.unwrap().state, AccountState::Active);

    user.disconnect().await.unwrap();
    let error = actions.request(profile("a/b %2F@ü")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AuthorizationRequired);

    platform.shut_down().await;
    let error = actions.call("mail", "a/b %2F@ü", &tool).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ShuttingDown);
}

#[tokio::test]
async fn every_port_can_be_replaced() {
    let sandbox = Sandbox::start().await.unwrap();
    let counts = Arc::new(Counts::new());
    let runtime = Arc::new(TokioRuntime::current().unwrap());
    let store = Arc::new(MemoryStore::new(Arc::clone(&runtime) as Arc<dyn Runtime>));
    let platform = builder(&sandbox)
        .transport(Arc::clone(&counts) as _)
        .entropy(Arc::clone(&counts) as _)
        .policy(Arc::clone(&counts) as _)
        .runtime(runtime)
        .store(Arc::clone(&store) as _)
        .build()
        .await
        .unwrap();
    connected(&platform, &sandbox).await;
    let tool = ListDrafts::default();
    platform
        .actions()
        .call("mail", "a/b %2F@ü", &tool)
        .await
        .unwrap();
    assert_eq!(
        counts.sent.load(Ordering::Relaxed),
        2,
        "a token request and a list"
    );
    assert!(counts.drawn.load(Ordering::Relaxed) > 0);
    assert_eq!(counts.asked.load(Ordering::Relaxed), 1);

    let other = Platform::builder("http://127.0.0.1").store(store);
    let (ring, _) = KeyRing::generate(&OsEntropy);
    let error = other.keys(ring).build().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
}

#[tokio::test]
async fn missing_settings_are_named() {
    let build = |builder: PlatformBuilder| async { builder.build().await.unwrap_err() };

    let error = build(Platform::builder("http://127.0.0.1").in_memory()).await;
    assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
    assert!(error.message().contains("`stead keys generate`"), "{error}");

    let error = build(
        Platform::builder("http://127.0.0.1")
            .in_memory()
            .key("k1:hush"),
    )
    .await;
    assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
    assert!(!format!("{error:?}").contains("hush"));

    // The person who runs the tests may have set a key.
    if std::env::var_os("STEAD_KEY").is_none() {
        let builder = Platform::builder("http://127.0.0.1").key_from_env();
        let error = build(builder.in_memory()).await;
        assert_eq!(error.kind(), ErrorKind::KeyUnavailable);
        assert!(error.message().contains("STEAD_KEY"), "{error}");
    }

    let error = build(Platform::builder("http://127.0.0.1").key(KEY)).await;
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert!(error.message().contains("in_memory()"), "{error}");

    let error = build(Platform::builder("http://example.com").key(KEY).in_memory()).await;
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);

    let builder = Platform::builder("http://127.0.0.1").key(KEY);
    assert!(!format!("{builder:?}").contains("AAECAwQ"));
}

fn builder(sandbox: &Running) -> PlatformBuilder {
    Platform::builder("http://127.0.0.1")
        .key(KEY)
        .gateway(&sandbox.url)
        .verification(Verification::LinkPossession)
}

/// Connects the user through a link, like your own page and callback would.
async fn connected(platform: &Platform, sandbox: &Running) {
    let environment = platform.environment();
    let new =
        NewConnection::mail("mail").client(stead_sandbox::CLIENT_ID, stead_sandbox::CLIENT_SECRET);
    let connection = platform.connections().create(new).await.unwrap();
    let link = platform
        .actions()
        .authorization_link("mail", "a/b %2F@ü")
        .await
        .unwrap();
    let token = link.link.rsplit('/').next().unwrap();
    let started = environment.start_authorization(token, None).await.unwrap();
    let returned = sandbox
        .sandbox
        .consent(&started.location, "ada@example.com", &["all"])
        .unwrap();
    let callback = Callback::from_query(returned.query().unwrap_or_default());
    let cookie = |_| Some(started.browser.expose_secret().to_owned());
    environment
        .finish_authorization(&connection.id.to_string(), callback, cookie)
        .await
        .unwrap();
}

fn profile(identifier: &str) -> ProxyRequest {
    ProxyRequest::new("mail", identifier, "GET", "/v1/users/me/profile")
}

/// Ports that count how often they are asked.
struct Counts {
    transport: ReqwestTransport,
    sent: AtomicUsize,
    drawn: AtomicUsize,
    asked: AtomicUsize,
}

impl Counts {
    fn new() -> Self {
        Self {
            transport: ReqwestTransport::new(TransportOptions::default()).unwrap(),
            sent: AtomicUsize::new(0),
            drawn: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
        }
    }
}

impl Transport for Counts {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        self.sent.fetch_add(1, Ordering::Relaxed);
        self.transport.send(request)
    }
}

impl Entropy for Counts {
    fn fill(&self, buffer: &mut [u8]) {
        self.drawn.fetch_add(1, Ordering::Relaxed);
        OsEntropy.fill(buffer);
    }
}

impl Policy for Counts {
    fn admit(&self, _: &PolicyRequest<'_>) -> Decision {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Decision::Allow
    }
}
