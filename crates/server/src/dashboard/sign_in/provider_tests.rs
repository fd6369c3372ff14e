//! Signing in at a provider, as a browser does.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use stead_core::{
    api::Paging,
    environment::{SignInProvider, Verification},
    ports,
    resource::{ChangeMember, ListMembers, MemberChange, NewMember, Role},
};
use url::Url;

use crate::{
    dashboard::session::session_of,
    testing::{Received, TestResponse, TestService, json_response},
};

const ISSUER: &str = "https://login.example.com";
const BEGIN: &str = "/dashboard/sign-in/provider";

/// Claims of the next ID token. `None` while the provider is down.
type Claims = Arc<Mutex<Option<Value>>>;

fn provider(claims: &Claims) -> impl Fn(&Received) -> Response<ports::Body> + use<> {
    let claims = Arc::clone(claims);
    move |received| {
        let Some(claims) = claims.lock().unwrap().clone() else {
            let mut response = json_response(&json!({}));
            *response.status_mut() = StatusCode::BAD_GATEWAY;
            return response;
        };
        if received.uri.ends_with("/.well-known/openid-configuration") {
            return json_response(&json!({
                "issuer": ISSUER, "authorization_endpoint": format!("{ISSUER}/authorize"),
                "token_endpoint": format!("{ISSUER}/token"),
            }));
        }
        let token = format!("e30.{}.e30", URL_SAFE_NO_PAD.encode(claims.to_string()));
        json_response(&json!({ "access_token": "a", "token_type": "Bearer", "id_token": token }))
    }
}

async fn service(public_url: &str) -> (TestService, Claims) {
    let claims = Claims::new(Mutex::new(Some(json!({}))));
    let respond = provider(&claims);
    let secret = SecretString::from("CANARY-oidc-secret");
    let own = SignInProvider::new(ISSUER, "stead", secret).unwrap();
    let own = own.required_claim("hd", "example.com").unwrap();
    let own = own.name("Example <b>").unwrap();
    let verification = Verification::Application;
    let service = TestService::open_with(public_url, verification, respond, |builder| {
        builder.sign_in_provider(own)
    });
    let service = service.await;
    // Creates the first owner, as the set-up link would.
    session_of(service.platform.environment(), Role::Owner).await;
    (service, claims)
}

/// The cookie of a response, as the browser sends it back.
fn cookie(response: &TestResponse, name: &str) -> String {
    let mut all = response.headers.get_all("set-cookie").iter();
    let set = all.find(|set| set.to_str().unwrap().starts_with(&format!("{name}=")));
    let set = set.map_or("", |set| set.to_str().unwrap());
    set.split(';').next().unwrap().to_owned()
}

/// Signs in at the provider as someone. Returns the path by which the browser comes back, and its cookies.
async fn go(service: &TestService, claims: &Claims, begin: &str, session: &str) -> Back {
    let started = service.browse("GET", begin, Some(session)).await;
    assert_eq!(started.status, StatusCode::SEE_OTHER, "{}", started.text());
    let location = Url::parse(started.header("location")).unwrap();
    let query: BTreeMap<String, String> = location.query_pairs().into_owned().collect();
    let now = service.platform.environment().runtime().now().as_second();
    *claims.lock().unwrap() = Some(json!({
        "iss": ISSUER, "aud": "stead", "sub": "u-1", "email": "bob@example.com", "email_verified": true, "hd": "example.com",
        "iat": now, "exp": now + 3600, "nonce": query["nonce"],
    }));
    Back {
        path: format!(
            "/dashboard/sign-in/callback?code=c&state={}",
            query["state"]
        ),
        cookies: format!("{}; {session}", cookie(&started, "stead-sign-in-80")),
        query,
    }
}

struct Back {
    path: String,
    cookies: String,
    query: BTreeMap<String, String>,
}

impl Back {
    async fn arrive(&self, service: &TestService) -> TestResponse {
        service.browse("GET", &self.path, Some(&self.cookies)).await
    }
}

/// A browser with Bob signed in: the cookie of his session.
async fn bob(service: &TestService, claims: &Claims) -> String {
    let back = go(service, claims, BEGIN, "").await;
    cookie(&back.arrive(service).await, "stead-80")
}

#[tokio::test]
async fn the_button_leads_to_the_provider_and_back_to_the_requested_page() {
    let (service, claims) = service("http://127.0.0.1").await;
    let page = service
        .visit("/dashboard/sign-in?next=%2Fdashboard%2Ftools")
        .await;
    page.assert_contains("Sign in with Example &lt;b&gt;");
    page.assert_contains("/sign-in/provider?next=%2Fdashboard%2Ftools");
    let begin = format!("{BEGIN}?next=%2Fdashboard%2Ftools");
    let back = go(&service, &claims, &begin, "").await;
    let head = service
        .browse("HEAD", &back.path, Some(&back.cookies))
        .await;
    assert_eq!(
        (head.status, head.header("set-cookie")),
        (StatusCode::NO_CONTENT, "")
    );
    let arrived = back.arrive(&service).await;
    assert_eq!(arrived.status, StatusCode::SEE_OTHER, "{}", arrived.text());
    assert_eq!(arrived.header("location"), "/dashboard/tools");
    assert_eq!(cookie(&arrived, "stead-sign-in-80"), "stead-sign-in-80=");
    let session = cookie(&arrived, "stead-80");
    let home = service.browse("GET", "/dashboard", Some(&session)).await;
    home.assert_contains("bob@example.com");
    let you = service
        .browse("GET", "/dashboard/you", Some(&session))
        .await;
    you.assert_contains("You sign in with Example &lt;b&gt; and have no password here");
    assert!(!you.text().contains("Current password"), "{}", you.text());
    // The sign-in doesn't redirect to another site, and can't be finished in another browser.
    let begin = format!("{BEGIN}?next=%2F%2Fevil.example");
    let back = go(&service, &claims, &begin, "").await;
    let elsewhere = service.visit(&back.path).await;
    assert_eq!(elsewhere.status, StatusCode::FORBIDDEN);
    elsewhere.assert_contains("This browser didn&#x27;t start the sign-in");
    elsewhere.assert_contains("Sign in again");
    assert_eq!(back.arrive(&service).await.header("location"), "/dashboard");
    for request in service.received() {
        assert!(!request.uri.contains("CANARY"), "{}", request.uri);
    }
}

#[tokio::test]
async fn a_failed_sign_in_is_a_page_that_says_who_can_act() {
    let (service, claims) = service("http://127.0.0.1").await;
    let back = go(&service, &claims, BEGIN, "").await;
    claims.lock().unwrap().as_mut().unwrap()["hd"] = json!("evil.example");
    let refused = back.arrive(&service).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    refused.assert_contains("sign_in_refused");
    refused.assert_contains("the claim hd");
    assert_eq!(cookie(&refused, "stead-sign-in-80"), "stead-sign-in-80=");
    assert_eq!(cookie(&refused, "stead-80"), "");
    let (path, _) = back.path.split_once("code=c&").unwrap();
    let path = format!("{path}error=access_denied&state={}", back.query["state"]);
    let cancelled = service.browse("GET", &path, Some(&back.cookies)).await;
    cancelled.assert_contains("The sign-in was cancelled at the provider");
    // A new service, which hasn't read its provider's metadata yet.
    let (service, claims) = self::service("http://127.0.0.1").await;
    *claims.lock().unwrap() = None;
    let down = service.visit(BEGIN).await;
    assert_eq!(down.status, StatusCode::BAD_GATEWAY);
    down.assert_contains("<dt>Who needs to act</dt><dd>The operator</dd>");
    down.assert_contains("returned the status 502");
    assert_eq!(down.header("set-cookie"), "");
    // Members can still sign in by password.
    service
        .visit("/dashboard/sign-in")
        .await
        .assert_contains("name=\"password\"");
}

#[tokio::test]
async fn a_provider_as_the_only_method_hides_the_password_field() {
    let secret = SecretString::from("CANARY-oidc-secret");
    let own = SignInProvider::new(ISSUER, "stead", secret).unwrap();
    let own = own.required_claim("hd", "example.com").unwrap().only();
    let respond = |_: &Received| json_response(&json!({}));
    let public_url = "http://127.0.0.1";
    let service =
        TestService::open_with(public_url, Verification::Application, respond, |builder| {
            builder.sign_in_provider(own)
        });
    let service = service.await;
    let new = NewMember::new("ada@example.com", Role::Owner);
    let invited = service.platform.environment().send(new).await;
    let link = invited.unwrap().link;
    let invitation = link.expose_secret().strip_prefix(public_url).unwrap();
    for path in ["/dashboard/sign-in", invitation] {
        let page = service.visit(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        page.assert_contains("/sign-in/provider?");
        assert!(!page.text().contains("type=\"password\""), "{path}");
    }
    let request = http::Request::post("/dashboard/sign-in")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin")
        .body("email=ada%40example.com&password=x".into());
    let refused = service.send(request.unwrap()).await;
    refused.assert_contains("sign in with a password here");
    assert_eq!(refused.header("set-cookie"), "");
}

#[tokio::test]
async fn without_a_provider_there_is_no_button_and_no_route() {
    let service = TestService::new().await;
    let page = service.visit("/dashboard/sign-in").await;
    assert!(
        !page.text().contains("/sign-in/provider"),
        "{}",
        page.text()
    );
    for path in [BEGIN, "/dashboard/sign-in/callback?code=c&state=s"] {
        let refused = service.visit(path).await;
        assert!(refused.status.is_client_error(), "{path}");
    }
}

#[tokio::test]
async fn a_member_without_a_password_signs_in_again_before_irreversible_actions() {
    let (service, claims) = service("http://127.0.0.1").await;
    let session = bob(&service, &claims).await;
    let environment = service.platform.environment();
    let members = environment
        .send(ListMembers::new().page(Paging::new(None, 10)))
        .await
        .unwrap()
        .items;
    let bob = members
        .iter()
        .find(|one| one.email == "bob@example.com")
        .unwrap();
    let owner = MemberChange::default().role(Role::Owner);
    let id = bob.member_id.to_string();
    environment
        .send(ChangeMember::new(&id, owner))
        .await
        .unwrap();
    service.pass(Duration::from_secs(601));
    let page = service.browse(
        "GET",
        "/dashboard/confirm?next=%2Fdashboard%2Fyou",
        Some(&session),
    );
    let page = page.await;
    page.assert_contains("Sign in again");
    assert!(
        !page.text().contains("name=\"password\""),
        "{}",
        page.text()
    );
    let begin = format!("{BEGIN}?again=true&amp;next=%2Fdashboard%2Fyou").replace("&amp;", "&");
    let back = go(&service, &claims, &begin, &session).await;
    assert_eq!(back.query["prompt"], "login");
    let arrived = back.arrive(&service).await;
    assert_eq!(
        arrived.header("location"),
        "/dashboard/you",
        "{}",
        arrived.text()
    );
    // The step-up keeps the session.
    assert_eq!(cookie(&arrived, "stead-80"), "");
    let (_, id) = session.split_once('=').unwrap();
    assert!(environment.signed_in(id).await.unwrap().stepped_up);
    // If the session has ended, the step-up starts a new one.
    environment.sign_out(id).await.unwrap();
    let back = go(&service, &claims, &begin, &session).await;
    assert!(!back.query.contains_key("prompt"));
    let arrived = back.arrive(&service).await;
    assert!(
        cookie(&arrived, "stead-80").len() > 20,
        "{}",
        arrived.text()
    );
}

#[tokio::test]
async fn over_https_the_sign_in_cookie_has_the_host_prefix_and_expires_soon() {
    let (service, _) = service("https://stead.example.com").await;
    let started = service.visit(BEGIN).await;
    let set = started.header("set-cookie");
    let rest = set.strip_prefix("__Host-stead-sign-in=").unwrap();
    let (_, attributes) = rest.split_once(';').unwrap();
    assert_eq!(
        attributes,
        " Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure"
    );
    assert_eq!(started.header("referrer-policy"), "no-referrer");
    let location = started.header("location");
    assert!(
        location.starts_with("https://login.example.com/authorize?"),
        "{location}"
    );
}
