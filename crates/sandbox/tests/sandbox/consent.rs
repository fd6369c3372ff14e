//! The authorization page and its responses. The sandbox rejects requests from pages of other sites, but not from
//! people and clients.

use reqwest::{Method, header::HOST};
use stead_sandbox::{CLIENT_ID, WAREHOUSE_ACCOUNT, WAREHOUSE_CLIENT_ID, WORKSPACE_CLIENT_ID};

use crate::client::{CHALLENGE, CONTACTS, GMAIL_READ, REDIRECT, Reply, Stage, cases, form, value};

#[tokio::test]
async fn the_page_offers_people_and_permissions_and_sends_back() {
    let stage = Stage::new().await;
    let page = stage
        .authorize(&[("scope", GMAIL_READ), ("login_hint", "grace@example.com")])
        .await;
    assert_eq!(page.status, 200);
    assert!(
        page.text.contains("value=\"grace@example.com\" checked"),
        "{}",
        page.text
    );
    assert!(page.text.contains("Ada Lovelace"));
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("x-frame-options"), "DENY");
    let fields = [
        ("user", "ada@example.com"),
        ("action", "allow"),
        ("scope", GMAIL_READ),
    ];
    let back = stage.post_form(&page.form_action(), &fields).await;
    assert_eq!(back.status, 303);
    assert!(back.header("location").starts_with(REDIRECT));
    let pairs: Vec<_> = back.location().query_pairs().into_owned().collect();
    assert_eq!(value(&pairs, "state"), "s t");
    assert_eq!(value(&pairs, "iss"), "https://accounts.google.com");
    assert_eq!(value(&pairs, "scope"), GMAIL_READ);
    assert!(value(&pairs, "code").starts_with("4/0"));
    // A page can only be submitted once.
    let again = stage.post_form(&page.form_action(), &fields).await;
    assert_eq!(again.status, 400);
}

#[tokio::test]
async fn the_sandbox_plays_the_user_without_a_browser() {
    let stage = Stage::new().await;
    let sandbox = stage.sandbox();
    let snowflake = format!("/{WAREHOUSE_ACCOUNT}.snowflakecomputing.com/oauth/authorize");
    for (path, client, name, value_of_name) in [
        (
            "/accounts.google.com/o/oauth2/v2/auth",
            CLIENT_ID,
            "scope",
            GMAIL_READ,
        ),
        (
            "/api.notion.com/v1/oauth/authorize",
            WORKSPACE_CLIENT_ID,
            "owner",
            "user",
        ),
        (&snowflake, WAREHOUSE_CLIENT_ID, "code_challenge", CHALLENGE),
    ] {
        let mut asked = vec![
            ("client_id", client),
            ("redirect_uri", REDIRECT),
            ("response_type", "code"),
            ("state", "s t"),
            (name, value_of_name),
        ];
        if name == "code_challenge" {
            asked.push(("code_challenge_method", "S256"));
        }
        let address = &format!("{}?{}", stage.url(path), form(&asked));
        let pairs = |scopes: &[&str]| -> Vec<(String, String)> {
            let back = sandbox.consent(address, "ada@example.com", scopes).unwrap();
            assert!(back.as_str().starts_with(REDIRECT));
            back.query_pairs().into_owned().collect()
        };
        let allowed = pairs(&["all"]);
        assert_eq!(value(&allowed, "state"), "s t");
        assert!(!value(&allowed, "code").is_empty());
        assert_eq!(value(&pairs(&[]), "error"), "access_denied");
        assert!(
            sandbox
                .consent(address, "eve@example.com", &["all"])
                .is_err()
        );
        let wrong = address.replace("client_id=", "client_id=x");
        assert!(
            sandbox
                .consent(&wrong, "ada@example.com", &["all"])
                .is_err()
        );
    }
}

#[tokio::test]
async fn cancelling_and_ticking_nothing_is_a_refusal() {
    let stage = Stage::new().await;
    let user = ("user", "ada@example.com");
    for fields in [vec![("action", "deny")], vec![user, ("action", "allow")]] {
        let back = stage.consent(&[("scope", GMAIL_READ)], &fields).await;
        assert_eq!(value(&back, "error"), "access_denied");
        assert_eq!(value(&back, "state"), "s t");
        assert_eq!(value(&back, "iss"), "https://accounts.google.com");
    }
}

#[tokio::test]
async fn a_person_may_allow_less() {
    let stage = Stage::new().await;
    let scope = format!("{GMAIL_READ} {CONTACTS}");
    let back = stage
        .consent(
            &[("scope", &scope)],
            &[
                ("user", "ada@example.com"),
                ("action", "allow"),
                ("scope", CONTACTS),
            ],
        )
        .await;
    assert_eq!(value(&back, "scope"), CONTACTS);
    let tokens = stage.exchange(&value(&back, "code")).await.ok();
    assert_eq!(tokens["scope"], CONTACTS);
}

#[tokio::test]
async fn bad_submissions_of_the_page_are_refused() {
    let stage = Stage::new().await;
    let page = stage.authorize(&[("scope", GMAIL_READ)]).await;
    let action = page.form_action();
    let user = ("user", "ada@example.com");
    let allow = ("action", "allow");
    for fields in [
        vec![user, ("scope", GMAIL_READ)],
        vec![("user", "eve@example.com"), allow, ("scope", "all")],
        vec![user, allow, ("scope", CONTACTS)],
        vec![user, allow, ("scope", "all"), ("request", "other")],
    ] {
        let back = stage.post_form(&action, &fields).await;
        assert_eq!(back.status, 400, "{fields:?}");
        assert_eq!(back.header("location"), "");
    }
    let unknown = stage
        .post_form("/accounts.google.com/consent/nope", &[allow])
        .await;
    assert_eq!(unknown.status, 400);
}

#[tokio::test]
async fn bad_requests_stay_on_an_error_page() {
    let stage = Stage::new().await;
    let table = "
        scope=MAIL&client_id=nobody => invalid_client
        scope=MAIL&client_id=(absent) => invalid_request
        scope=MAIL&redirect_uri=http://app.example.com/cb => redirect_uri_mismatch
        scope=MAIL&redirect_uri=https://app.example.com/cb#x => redirect_uri_mismatch
        scope=MAIL&response_type=token => unsupported_response_type
        => invalid_request
        scope=BLANK => invalid_request
        scope=https://example.com/unknown => invalid_scope
        scope=MAIL&scope=MAIL => invalid_request
        scope=MAIL&prompt=none consent => invalid_request
        scope=MAIL&access_type=always => invalid_request
        scope=MAIL&include_granted_scopes=yes => invalid_request
        scope=MAIL&code_challenge=CHALLENGE&code_challenge_method=plain => invalid_request
        scope=MAIL&code_challenge=CHALLENGE => invalid_request
        scope=MAIL&code_challenge=short&code_challenge_method=S256 => invalid_request
        scope=MAIL&code_challenge_method=S256 => invalid_request
    ";
    for [asked, code] in cases(table) {
        let asked = asked
            .replace("MAIL", GMAIL_READ)
            .replace("CHALLENGE", CHALLENGE)
            .replace("BLANK", " ");
        let asked: Vec<(&str, &str)> = asked
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .collect();
        let page = stage.authorize(&asked).await;
        assert_eq!(page.status, 400, "{asked:?}");
        assert!(
            page.text.contains(&format!("Error 400: {code}")),
            "{asked:?} {}",
            page.text
        );
        assert_eq!(page.header("location"), "");
    }
}

#[tokio::test]
async fn a_sign_in_without_a_page_is_refused() {
    let stage = Stage::new().await;
    let back = stage
        .authorize(&[("scope", GMAIL_READ), ("prompt", "none")])
        .await;
    assert_eq!(back.status, 303);
    assert!(
        back.header("location")
            .contains("error=interaction_required")
    );
}

#[tokio::test]
async fn a_query_in_the_redirect_address_stays() {
    let stage = Stage::new().await;
    let address = "https://app.example.com/cb?tenant=1";
    let page = stage
        .authorize(&[("scope", "email openid"), ("redirect_uri", address)])
        .await;
    let fields = [
        ("user", "ada@example.com"),
        ("action", "allow"),
        ("all", "1"),
    ];
    let back = stage.post_form(&page.form_action(), &fields).await;
    assert!(back.header("location").starts_with(&format!("{address}&")));
    // Short scope names are returned in full.
    assert!(back.text.is_empty());
    let pairs: Vec<_> = back.location().query_pairs().into_owned().collect();
    assert_eq!(
        value(&pairs, "scope"),
        "https://www.googleapis.com/auth/userinfo.email openid"
    );
}

const LOG: &str = "/sandbox/log";
const RESET: &str = "/sandbox/reset";
const TOKEN: &str = "/oauth2.googleapis.com/token";
const CONSENT: &str = "/accounts.google.com/o/oauth2/v2/auth";

impl Stage {
    async fn as_browser(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut request = self.http.request(method, self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request).await
    }
}

#[tokio::test]
async fn a_page_of_another_site_cannot_change_or_read_anything() {
    let stage = Stage::new().await;
    let other_port = stage.running.url.clone() + "0";
    for headers in [
        &[
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
        ][..],
        &[
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-mode", "no-cors"),
        ],
        &[("sec-fetch-site", "cross-site"), ("origin", "null")],
        &[("origin", "https://evil.example")],
        &[("origin", &other_port)],
        &[("origin", "null")],
    ] {
        for path in [
            RESET,
            "/sandbox/faults",
            "/sandbox/records",
            "/sandbox/records/delete",
            TOKEN,
            CONSENT,
        ] {
            let reply = stage.as_browser(Method::POST, path, headers).await;
            assert_eq!(reply.status, 403, "{path} {headers:?} {}", reply.text);
            assert!(reply.json()["error"].is_string());
        }
    }
    let read = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "no-cors"),
    ];
    assert_eq!(stage.as_browser(Method::GET, LOG, &read).await.status, 403);
    for host in [
        "rebound.example",
        "127.0.0.1.rebound.example",
        "localhost.rebound.example.",
        "a b",
    ] {
        for path in [LOG, "/", "/gmail.googleapis.com/gmail/v1/users/me/profile"] {
            let reply = stage
                .as_browser(Method::GET, path, &[(HOST.as_str(), host)])
                .await;
            assert_eq!(reply.status, 403, "{host} {path} {}", reply.text);
        }
    }
    assert_eq!(
        stage.sandbox().received().len(),
        0,
        "none of them is a product's request"
    );
}

#[tokio::test]
async fn people_clients_and_the_sandboxs_own_pages_are_not_refused() {
    let stage = Stage::new().await;
    let own = stage.running.url.clone();
    for headers in [
        &[][..],
        &[("sec-fetch-site", "same-origin"), ("origin", "null")],
        &[("sec-fetch-site", "same-origin"), ("origin", &own)],
        &[("origin", &own)],
        // A client on Node.js.
        &[("sec-fetch-mode", "cors")],
    ] {
        let reply = stage.as_browser(Method::POST, RESET, headers).await;
        assert_eq!(reply.status, 204, "{headers:?}");
    }
    for site in ["none", "same-site", "cross-site"] {
        let headers = [("sec-fetch-site", site), ("sec-fetch-mode", "navigate")];
        for path in [LOG, CONSENT] {
            let reply = stage.as_browser(Method::GET, path, &headers).await;
            assert_ne!(reply.status, 403, "{site} {path}");
        }
    }
    for host in [
        "localhost:1",
        "LOCALHOST",
        "[::1]:8485",
        "192.0.2.1",
        "sandbox",
        "host.docker.internal",
        "a.localhost.",
    ] {
        let reply = stage
            .as_browser(Method::GET, LOG, &[(HOST.as_str(), host)])
            .await;
        assert_eq!(reply.status, 200, "{host}");
    }
}
