//! Every way to sign in, as a browser uses it.

use std::{net::SocketAddr, time::Duration};

use axum::{body::Body, extract::ConnectInfo};
use http::{Request, StatusCode, header};
use secrecy::ExposeSecret as _;
use stead_core::resource::{NewMember, Role};
use url::form_urlencoded;

use crate::testing::{TestResponse, TestService};

const PASSWORD: &str = "a long pass phrase";

async fn send(
    service: &TestService,
    path: &str,
    cookie: &str,
    fields: &[(&str, &str)],
) -> TestResponse {
    send_from(service, "192.0.2.1:5", path, cookie, fields).await
}

async fn send_from(
    service: &TestService,
    peer: &str,
    path: &str,
    cookie: &str,
    fields: &[(&str, &str)],
) -> TestResponse {
    let peer: SocketAddr = peer.parse().unwrap();
    let body = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    let request = Request::post(path)
        .extension(ConnectInfo(peer))
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin")
        .header(header::COOKIE, cookie)
        .body(Body::from(body));
    service.send(request.unwrap()).await
}

/// The cookie that a response sets.
fn cookie(response: &TestResponse) -> String {
    let set = response.header("set-cookie");
    set.split(';').next().unwrap().to_owned()
}

/// The value of a hidden field.
fn hidden(page: &TestResponse, name: &str) -> String {
    let start = format!("name=\"{name}\" value=\"");
    let (_, rest) = page.text().split_once(&start).unwrap();
    rest.split('"').next().unwrap().replace("&#x2f;", "/")
}

/// A service with the owner ada@example.com, and the cookie of her session.
async fn owned() -> (TestService, String) {
    let service = TestService::new().await;
    let environment = service.platform.environment();
    let link = environment.begin_setup().await.unwrap().unwrap();
    let path = link
        .expose_secret()
        .strip_prefix("http://127.0.0.1")
        .unwrap();
    let page = service.visit(path).await;
    assert_eq!(page.status, StatusCode::OK);
    let token = hidden(&page, "token");
    let fields = |password| {
        [
            ("token", token.as_str()),
            ("email", "ada@example.com"),
            ("name", "Ada <b>"),
            ("password", password),
        ]
    };
    let short = send(&service, "/dashboard/setup", "", &fields("too short")).await;
    assert_eq!(short.status, StatusCode::UNPROCESSABLE_ENTITY);
    short.assert_contains("at least 12 characters");
    short.assert_contains("aria-invalid=\"true\"");
    let (before, field) = short.text().split_once("id=\"password\"").unwrap();
    let field = field.split_once("</div>").unwrap().0;
    for part in ["autofocus", "at least 12 characters", "class=\"error\""] {
        assert!(field.contains(part), "{part}: {field}");
    }
    assert!(!before.contains("autofocus") && !before.contains("at least 12"));
    // The input stays, except for the password.
    short.assert_contains("Ada &lt;b&gt;");
    assert!(!short.text().contains("too short"));
    let made = send(&service, "/dashboard/setup", "", &fields(PASSWORD)).await;
    assert_eq!(made.header("location"), "/dashboard", "{}", made.text());
    let cookie = cookie(&made);
    let used = service.visit(path).await;
    assert_eq!(used.status, StatusCode::NOT_FOUND);
    used.assert_contains("The operator");
    (service, cookie)
}

#[tokio::test]
async fn the_first_owner_is_made_by_the_link_signs_out_and_signs_in_again() {
    let (service, first) = owned().await;
    let home = service.browse("GET", "/dashboard", Some(&first)).await;
    home.assert_contains("Ada &lt;b&gt;");
    let csrf = hidden(&home, "csrf");
    let out = send(&service, "/dashboard/sign-out", &first, &[("csrf", &csrf)]).await;
    assert_eq!(out.header("location"), "/dashboard/sign-in");
    assert!(out.header("set-cookie").contains("Max-Age=0"));
    let away = service.browse("GET", "/dashboard?a=b", Some(&first)).await;
    assert_eq!(away.status, StatusCode::SEE_OTHER);
    let sign_in = away.header("location").to_owned();
    let page = service.visit(&sign_in).await;
    assert_eq!(hidden(&page, "next"), "/dashboard?a=b");
    let enter = |password, next| {
        [
            ("email", "ada@example.com"),
            ("password", password),
            ("next", next),
        ]
    };
    let path = "/dashboard/sign-in";
    let wrong = send(
        &service,
        path,
        "",
        &enter("wrong pass phrase", "/dashboard"),
    )
    .await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.assert_contains("The email address or the password is wrong");
    wrong.assert_contains("aria-describedby=\"problem\"");
    assert_eq!(wrong.header("set-cookie"), "");
    // Signing in changes the session ID, to prevent session fixation.
    let right = send(&service, path, &first, &enter(PASSWORD, "/dashboard?a=b")).await;
    assert_eq!(right.header("location"), "/dashboard?a=b");
    assert_ne!(cookie(&right), first);
    let elsewhere = send(&service, path, "", &enter(PASSWORD, "//evil.example")).await;
    assert_eq!(elsewhere.header("location"), "/dashboard");
}

#[tokio::test]
async fn a_form_of_another_site_cannot_sign_in() {
    let (service, _) = owned().await;
    let request = Request::post("/dashboard/sign-in")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "cross-site")
        .body(Body::from(format!(
            "email=ada%40example.com&password={PASSWORD}"
        )));
    let refused = service.send(request.unwrap()).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(refused.header("set-cookie"), "");
}

#[tokio::test]
async fn an_invited_member_sets_a_password_once() {
    let (service, _) = owned().await;
    let environment = service.platform.environment();
    let new = NewMember::new("bob@example.com", Role::Viewer);
    let invited = environment.send(new).await.unwrap();
    let path = invited
        .link
        .expose_secret()
        .strip_prefix("http://127.0.0.1")
        .unwrap();
    let page = service.visit(path).await;
    page.assert_contains("bob@example.com");
    let token = hidden(&page, "token");
    let fields = [
        ("token", token.as_str()),
        ("name", "Bob"),
        ("password", PASSWORD),
    ];
    let accepted = send(&service, "/dashboard/invitation", "", &fields).await;
    assert_eq!(
        accepted.header("location"),
        "/dashboard",
        "{}",
        accepted.text()
    );
    let home = service
        .browse("GET", "/dashboard", Some(&cookie(&accepted)))
        .await;
    home.assert_contains("Bob");
    let again = send(&service, "/dashboard/invitation", "", &fields).await;
    assert_eq!(again.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_code_without_a_password_is_refused() {
    let (service, cookie) = owned().await;
    for cookie in ["", cookie.as_str()] {
        let fields = [("code", "123456")];
        let refused = send(&service, "/dashboard/sign-in/code", cookie, &fields).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused.header("set-cookie"), "");
    }
}

#[tokio::test]
async fn a_second_factor_is_shown_once_and_active_after_a_code() {
    let (service, cookie) = owned().await;
    let you = "/dashboard/you";
    let page = service.browse("GET", you, Some(&cookie)).await;
    page.assert_contains("ada@example.com");
    let csrf = hidden(&page, "csrf");
    let path = "/dashboard/you/second-factor";
    let shown = send(&service, path, &cookie, &[("csrf", &csrf)]).await;
    shown.assert_contains("otpauth:");
    let fields = [("csrf", csrf.as_str()), ("code", "no code")];
    let path = "/dashboard/you/second-factor/confirm";
    let wrong = send(&service, path, &cookie, &fields).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    wrong.assert_contains("The code is wrong");
    assert!(!wrong.text().contains("otpauth:"));
    let page = service.browse("GET", you, Some(&cookie)).await;
    page.assert_contains("Add a second factor");
}

#[tokio::test]
async fn changing_the_password_starts_a_new_session() {
    let (service, first) = owned().await;
    let page = service.browse("GET", "/dashboard/you", Some(&first)).await;
    let csrf = hidden(&page, "csrf");
    let set = |present| {
        [
            ("csrf", csrf.as_str()),
            ("present", present),
            ("password", "another long pass phrase"),
        ]
    };
    let path = "/dashboard/you/password";
    let wrong = send(&service, path, &first, &set("wrong pass phrase")).await;
    wrong.assert_contains("The current password is wrong");
    let done = send(&service, path, &first, &set(PASSWORD)).await;
    assert_eq!(done.status, StatusCode::SEE_OTHER);
    let gone = service.browse("GET", "/dashboard", Some(&first)).await;
    assert_eq!(gone.status, StatusCode::SEE_OTHER);
    let stays = service
        .browse("GET", "/dashboard", Some(&cookie(&done)))
        .await;
    assert_eq!(stays.status, StatusCode::OK);
}

#[tokio::test]
async fn a_step_up_asks_for_the_password_again() {
    let (service, cookie) = owned().await;
    let page = service
        .browse(
            "GET",
            "/dashboard/confirm?next=%2Fdashboard%3Fa",
            Some(&cookie),
        )
        .await;
    let (csrf, next) = (hidden(&page, "csrf"), hidden(&page, "next"));
    let fields = |password| {
        [
            ("csrf", csrf.as_str()),
            ("next", next.as_str()),
            ("password", password),
        ]
    };
    let path = "/dashboard/confirm";
    let wrong = send(&service, path, &cookie, &fields("wrong pass phrase")).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    let right = send(&service, path, &cookie, &fields(PASSWORD)).await;
    assert_eq!(right.header("location"), "/dashboard?a");
}

/// The cookie that identifies a known browser.
fn device(response: &TestResponse) -> String {
    let all = response.headers.get_all("set-cookie").iter();
    let mut all = all.map(|set| set.to_str().unwrap().to_owned());
    let set = all.find(|set| set.starts_with("stead-device-80=")).unwrap();
    assert!(set.contains("; Max-Age=15552000; HttpOnly"), "{set}");
    set.split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn password_guessing_does_not_block_known_browsers_or_open_sessions() {
    let (service, session) = owned().await;
    let path = "/dashboard/sign-in";
    let enter = |password| [("email", "ada@example.com"), ("password", password)];
    let before = send(&service, path, "", &enter(PASSWORD)).await;
    let known = device(&before);
    assert!(!known.contains("ada") && !known.contains('@'), "{known}");
    let guess = enter("wrong pass phrase");
    for number in 0..20 {
        let stranger = format!("203.0.113.{number}:5");
        send_from(&service, &stranger, path, "", &guess).await;
    }
    for _ in 0..20 {
        send(&service, path, "", &guess).await;
    }
    let stranger = send(&service, path, "", &enter(PASSWORD)).await;
    assert_eq!(stranger.status, StatusCode::TOO_MANY_REQUESTS);
    // The owner's known browser isn't limited, although it shares the strangers' address.
    let signed_in = send(&service, path, &known, &enter(PASSWORD)).await;
    assert_eq!(
        signed_in.status,
        StatusCode::SEE_OTHER,
        "{}",
        signed_in.text()
    );
    // The open session can still step up.
    service.pass(Duration::from_secs(601));
    let page = service.browse("GET", "/dashboard/confirm", Some(&session));
    let csrf = hidden(&page.await, "csrf");
    let fields = [("csrf", csrf.as_str()), ("password", PASSWORD)];
    let stepped_up = send(&service, "/dashboard/confirm", &session, &fields).await;
    assert_eq!(stepped_up.header("location"), "/dashboard");
    let set = [
        ("csrf", csrf.as_str()),
        ("present", PASSWORD),
        ("password", "another long pass phrase"),
    ];
    let changed = send(&service, "/dashboard/you/password", &session, &set).await;
    assert_eq!(changed.status, StatusCode::SEE_OTHER, "{}", changed.text());
}

#[tokio::test]
async fn a_known_browser_has_its_own_limit_for_its_account() {
    let (service, _) = owned().await;
    let environment = service.platform.environment();
    let new = NewMember::new("bob@example.com", Role::Viewer);
    let invited = environment.send(new).await.unwrap();
    let token = invited.link.expose_secret().split_once("token=").unwrap().1;
    let fields = [("token", token), ("password", PASSWORD)];
    let joined = send(&service, "/dashboard/invitation", "", &fields).await;
    let of_bob = device(&joined);
    let path = "/dashboard/sign-in";
    let guess = [
        ("email", "ada@example.com"),
        ("password", "wrong pass phrase"),
    ];
    for _ in 0..10 {
        let refused = send(&service, path, &of_bob, &guess).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let refused = send(&service, path, &of_bob, &guess).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    let own = |password| [("email", "bob@example.com"), ("password", password)];
    for _ in 0..10 {
        let refused = send(&service, path, &of_bob, &own("wrong pass phrase")).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let refused = send(&service, path, &of_bob, &own(PASSWORD)).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
}
