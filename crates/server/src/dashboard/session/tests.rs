//! Every route of the dashboard for every kind of caller, and for a person at the service's own machine.

use std::{collections::BTreeMap, net::SocketAddr};

use axum::{body::Body, extract::ConnectInfo};
use http::{Request, StatusCode, header};
use secrecy::{ExposeSecret as _, SecretString};
use stead_core::{
    access::SignIn,
    environment::{Environment, Verification},
    resource::{NewMember, Role},
};

use crate::{
    ServerOptions, dashboard,
    options::DashboardAccess,
    router_with,
    testing::{TestResponse, TestService, json_response, request_to},
};

const PASSWORD: &str = "a long pass phrase";

/// A session of a member with this role: its ID, and the token of its forms.
pub(in crate::dashboard) async fn session_of(
    environment: &Environment,
    role: Role,
) -> (String, String) {
    let email = format!("{}@example.com", role.name());
    let password = || SecretString::from(PASSWORD);
    if let Ok(invited) = environment.send(NewMember::new(&email, role)).await {
        let link = invited.link.expose_secret();
        let token = link.split_once("token=").unwrap().1;
        let accepted = environment.accept_invitation(token, None, password());
        accepted.await.unwrap();
    }
    let given = SignIn::new(email, password(), "");
    let started = environment.sign_in(given).await.unwrap();
    let id = started.id.expose_secret().to_owned();
    let csrf = environment.signed_in(&id).await.unwrap().csrf_token;
    (id, csrf)
}

/// A page as a member with this role sees it.
pub(in crate::dashboard) async fn browse_as(
    service: &TestService,
    role: Role,
    path: &str,
) -> TestResponse {
    let (id, _) = session_of(service.platform.environment(), role).await;
    let cookie = format!("stead-80={id}");
    service.browse("GET", path, Some(&cookie)).await
}

/// The session of a role, or a new one if a route has ended it.
async fn live(
    environment: &Environment,
    sessions: &mut BTreeMap<Role, (String, String)>,
    role: Role,
) -> (String, String) {
    if let Some(known) = sessions.get(&role)
        && environment.signed_in(&known.0).await.is_ok()
    {
        return known.clone();
    }
    let session = session_of(environment, role).await;
    sessions.insert(role, session.clone());
    session
}

/// A fault of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    OtherOrigin,
    OtherSite,
    NoToken,
    TokenOfAnother,
    ForgedHost,
}

const FAULTS: [Fault; 6] = [
    Fault::None,
    Fault::OtherOrigin,
    Fault::OtherSite,
    Fault::NoToken,
    Fault::TokenOfAnother,
    Fault::ForgedHost,
];

async fn ask(
    service: &TestService,
    route: &dashboard::PageRoute,
    session: Option<&(String, String)>,
    fault: Fault,
) -> TestResponse {
    let mut request = request_to(&route.route)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(
            header::HOST,
            match fault {
                Fault::ForgedHost => "rebound.example",
                _ => "127.0.0.1",
            },
        );
    request = match fault {
        Fault::OtherOrigin => request.header(header::ORIGIN, "https://evil.example"),
        Fault::OtherSite => request.header("sec-fetch-site", "cross-site"),
        _ => request.header("sec-fetch-site", "same-origin"),
    };
    let mut body = String::new();
    if let Some((id, csrf)) = session {
        request = request.header(header::COOKIE, format!("stead-80={id}"));
        body = match fault {
            Fault::NoToken => String::from("a=b"),
            Fault::TokenOfAnother => format!("csrf={}", "0".repeat(csrf.len())),
            _ => format!("csrf={csrf}"),
        };
    }
    service.send(request.body(Body::from(body)).unwrap()).await
}

#[tokio::test]
async fn every_route_allows_only_its_roles() {
    let service = TestService::new().await;
    let environment = service.platform.environment();
    let (mut walked, mut sessions) = (0, BTreeMap::new());
    for route in dashboard::routes() {
        let acts = route.route.method != "GET";
        for role in [
            None,
            Some(Role::Viewer),
            Some(Role::Operator),
            Some(Role::Owner),
        ] {
            for fault in FAULTS {
                let what = format!(
                    "{} {} {role:?} {fault:?}",
                    route.route.method, route.route.path
                );
                let session = match role {
                    Some(role) => Some(live(environment, &mut sessions, role).await),
                    None => None,
                };
                let response = ask(&service, &route, session.as_ref(), fault).await;
                let refused = |kind: &str| {
                    assert_eq!(response.status, StatusCode::FORBIDDEN, "{what}");
                    response.assert_contains(kind);
                };
                let is_token = matches!(fault, Fault::NoToken | Fault::TokenOfAnother);
                let is_origin = matches!(fault, Fault::OtherOrigin | Fault::OtherSite);
                match role {
                    _ if fault == Fault::ForgedHost => {
                        assert_eq!(response.status, StatusCode::FORBIDDEN, "{what}");
                        assert_eq!(response.problem()["kind"], "host_rejected", "{what}");
                    }
                    _ if acts && is_origin => refused("origin_rejected"),
                    None => {
                        assert_eq!(response.status, StatusCode::SEE_OTHER, "{what}");
                        let to = response.header("location");
                        assert!(to.starts_with("/dashboard/sign-in?next="), "{what} {to}");
                    }
                    Some(_) if acts && is_token => refused("origin_rejected"),
                    Some(role) if role < route.role => refused("forbidden"),
                    Some(_) => {
                        assert_ne!(response.status, StatusCode::FORBIDDEN, "{what}");
                        let to = response.header("location");
                        assert!(!to.contains("sign-in?next"), "{what} {to}");
                    }
                }
                walked += 1;
            }
        }
    }
    assert!(walked >= 4 * 4 * 6, "{walked}");
}

/// A service that signs in anyone at its own machine.
async fn trusting() -> TestService {
    let service = TestService::new().await;
    let mut options = ServerOptions::default();
    options.dashboard.access = DashboardAccess::SignedInOnLoopback;
    let router = router_with(&service.platform, &options);
    service.within(|_| router)
}

async fn from(
    service: &TestService,
    peer: Option<&str>,
    host: &str,
    header: Option<(&'static str, &str)>,
) -> TestResponse {
    let mut request = Request::get("/dashboard").header(header::HOST, host);
    if let Some((name, value)) = header {
        request = request.header(name, value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    if let Some(peer) = peer {
        let peer: SocketAddr = peer.parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(peer));
    }
    service.send(request).await
}

/// Headers that a browser sends when it opens or reloads a page.
const OF_BROWSERS: [(&str, &str); 14] = [
    ("accept", "text/html"),
    ("accept-encoding", "gzip, br"),
    ("accept-language", "en"),
    ("cache-control", "max-age=0"),
    ("connection", "keep-alive"),
    ("cookie", "other=1"),
    ("dnt", "1"),
    ("if-none-match", "\"1\""),
    ("pragma", "no-cache"),
    ("referer", "http://127.0.0.1/"),
    ("sec-ch-ua", "\"Chromium\";v=\"140\""),
    ("sec-fetch-site", "none"),
    ("upgrade-insecure-requests", "1"),
    ("user-agent", "Mozilla/5.0"),
];

/// Headers that proxies and tunnels add, each on its own.
const OF_PROXIES: [&str; 14] = [
    "cf-connecting-ip",
    "client-ip",
    "fly-client-ip",
    "forwarded",
    "ngrok-skip-browser-warning",
    "tailscale-user-login",
    "true-client-ip",
    "via",
    "x-an-unknown-tunnel",
    "x-envoy-external-address",
    "x-forwarded-for",
    "x-forwarded-proto",
    "x-original-host",
    "x-real-ip",
];

#[tokio::test]
async fn browsers_on_this_machine_are_signed_in_only_if_the_options_allow_it() {
    let service = trusting().await;
    for (peer, host) in [
        ("127.0.0.1:5", "127.0.0.1:8484"),
        ("[::1]:5", "localhost:8484"),
        ("[::ffff:127.0.0.1]:5", "[::1]"),
    ] {
        let page = from(&service, Some(peer), host, None).await;
        assert_eq!(page.status, StatusCode::OK, "{peer} {host}");
        page.assert_contains("You");
        let cookie = page.header("set-cookie");
        let id = cookie
            .strip_prefix("stead-80=")
            .unwrap()
            .split(';')
            .next()
            .unwrap();
        let environment = service.platform.environment();
        let signed_in = environment.signed_in(id).await.unwrap();
        assert_eq!(signed_in.member.role, Role::Owner);
    }
    let local = Some("127.0.0.1:5");
    for (name, value) in OF_BROWSERS {
        let page = from(&service, local, "127.0.0.1", Some((name, value))).await;
        assert_eq!(page.status, StatusCode::OK, "{name}");
    }
    for (peer, host, header) in [
        (Some("192.0.2.1:5"), "127.0.0.1", None),
        (Some("192.0.2.1:5"), "localhost", None),
        (None, "localhost", None),
        (local, "rebound.example", None),
        (local, "rebound.example:8484", None),
        (local, "127.0.0.1.rebound.example", None),
        (local, "localhost.rebound.example", None),
        (local, "0.0.0.0", None),
        (local, "127.0.0.1", Some(("host", "rebound.example"))),
    ]
    .into_iter()
    .chain(OF_PROXIES.map(|name| (local, "127.0.0.1", Some((name, "192.0.2.1")))))
    {
        let refused = from(&service, peer, host, header).await;
        let what = format!("{peer:?} {host} {header:?} {}", refused.text());
        let is_sent_away = refused.status == StatusCode::SEE_OTHER
            && refused.header("location").starts_with("/dashboard/sign-in");
        assert!(
            is_sent_away || refused.status == StatusCode::FORBIDDEN,
            "{what}"
        );
        assert_eq!(refused.header("set-cookie"), "", "{what}");
    }
    // Without the option, no one is signed in automatically.
    let service = TestService::new().await;
    let page = from(&service, local, "127.0.0.1", None).await;
    assert_eq!(page.status, StatusCode::SEE_OTHER);
}

#[tokio::test]
async fn the_page_says_that_this_machine_needs_no_password() {
    let browser = dashboard::tests::Browser::new(TestService::new().await);
    let page = browser.get("/dashboard/you").await;
    page.assert_contains("signs in every browser on this machine automatically");
    assert!(!page.text().contains("no longer set up"), "{}", page.text());
}

#[tokio::test]
async fn over_https_only_the_host_prefixed_cookie_is_read() {
    let public_url = "https://stead.example.com";
    let service = TestService::open(public_url, Verification::Application, |_| {
        json_response(&serde_json::json!({}))
    });
    let service = service.await;
    let (id, _) = session_of(service.platform.environment(), Role::Viewer).await;
    let by = |name: &str| format!("{name}={id}");
    let page = service
        .browse("GET", "/dashboard", Some(&by("stead")))
        .await;
    assert_eq!(page.status, StatusCode::SEE_OTHER);
    let page = service
        .browse("GET", "/dashboard", Some(&by("__Host-stead")))
        .await;
    assert_eq!(page.status, StatusCode::OK);
}

#[tokio::test]
async fn pages_have_security_headers() {
    let service = TestService::new().await;
    for path in [
        "/dashboard",
        "/dashboard/sign-in",
        "/dashboard/confirm",
        "/dashboard/setup",
    ] {
        let page = browse_as(&service, Role::Viewer, path).await;
        let policy = page.header("content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{path} {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path} {policy}");
        assert!(!policy.contains("unsafe"), "{path} {policy}");
        assert_eq!(page.header("cache-control"), "no-store", "{path}");
        assert_eq!(page.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(page.header("x-frame-options"), "DENY", "{path}");
    }
}
