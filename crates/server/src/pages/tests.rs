//! The pages through the router: in every language, and with the operator's brand.

use axum::body::Body;
use http::{Request, StatusCode, header};
use stead::ErrorKind;
use stead_core::{product::LANGUAGES, resource::NewConnection};

use crate::{
    Brand, ServerOptions,
    testing::{READONLY, TestResponse, TestService},
};

const CONTACTS: &str = "https://www.googleapis.com/auth/contacts.readonly";

/// A page as a browser with this language sees it.
async fn read(service: &TestService, path: &str, language: &str, cookie: &str) -> TestResponse {
    let request = Request::get(path)
        .header(header::ACCEPT, "text/html")
        .header(header::ACCEPT_LANGUAGE, language)
        .header(header::COOKIE, cookie);
    service.send(request.body(Body::empty()).unwrap()).await
}

/// A connection that asks for more than the product grants.
async fn connect_more(service: &TestService) -> String {
    let new = NewConnection::mail("mail")
        .client("client", "CANARY-client-secret")
        .permissions([READONLY, CONTACTS]);
    let environment = service.platform.environment();
    environment.send(new).await.unwrap().id.to_string()
}

/// The path of the last page, and the browser's cookies there.
async fn come_back_with_less(service: &TestService) -> (String, String) {
    let connection_id = connect_more(service).await;
    let (state, cookie) = service.consent(&service.link("u1", None).await).await;
    let back = service.come_back(&connection_id, &state, &cookie).await;
    let set: Vec<&str> = back
        .headers
        .get_all(header::SET_COOKIE)
        .iter()
        .map(|set| set.to_str().unwrap().split(';').next().unwrap())
        .collect();
    let there = back.header("location").strip_prefix("http://127.0.0.1");
    let cookies = format!("{cookie}; {}", set.join("; "));
    (there.unwrap().to_owned(), cookies)
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text
        .split_once(start)
        .unwrap_or_else(|| panic!("{start} in {text}"));
    rest.split_once(end).unwrap().0
}

#[tokio::test]
async fn every_page_is_in_every_language() {
    let service = TestService::new().await;
    let (done, cookies) = come_back_with_less(&service).await;
    let mut paths = vec![
        service.link("u1", None).await,
        done,
        String::from("/connect/done?product=Gmail"),
        String::from("/connect/done?product=Gmail&next=confirm"),
        String::from("/connect/done"),
        String::from("/connect/cancelled"),
        String::from("/nothing"),
        String::from("/v1/tools"),
        String::from("/"),
    ];
    let kinds = ErrorKind::ALL.iter();
    paths.extend(kinds.map(|kind| format!("/connect/failed?kind={kind}")));
    for path in paths {
        let mut bodies: Vec<String> = Vec::new();
        for language in LANGUAGES {
            let accepted = format!("pt, {language}-XX;q=0.9, en;q=0.1");
            let page = read(&service, &path, &accepted, &cookies).await;
            let text = page.text();
            assert!(
                text.contains(&format!("<html lang=\"{language}\">")),
                "{path} {text}"
            );
            assert_eq!(page.header("content-language"), language, "{path}");
            assert_eq!(page.header("vary"), "accept-language", "{path}");
            let body = text.split_once("<body>").unwrap().1;
            assert!(!body.contains(['{', '}']) || path == "/", "{path} {body}");
            let heading = between(body, "<h1>", "</h1>");
            assert!(
                !heading.is_empty() && !bodies.contains(&heading.to_owned()),
                "{path} {heading}"
            );
            bodies.push(heading.to_owned());
        }
    }
}

#[tokio::test]
async fn the_page_lists_permissions_in_the_users_language() {
    let service = TestService::new().await;
    connect_more(&service).await;
    let link = service.link("u1", None).await;
    for (language, expected) in [
        (
            "de-AT",
            "<li>Ihre E-Mails mit Anhängen und Ihre Entwürfe lesen</li>\n\n<li>Ihre Kontakte sehen</li>\n\n<li>Erkennen, welches Konto es ist</li>\n\n<li>Ihre E-Mail-Adresse sehen</li>",
        ),
        (
            "ja",
            "<strong>127.0.0.1</strong> が、あなたの Gmail アカウントへのアクセスを求めています。",
        ),
        (
            "en",
            "Google may warn you that it hasn’t verified this app. Google shows this warning until it has reviewed an app. If you don’t trust 127.0.0.1, stop there.",
        ),
        (
            "fr-CA;q=0.8, de;q=0.7",
            "Le lien fonctionne encore 10 minutes.",
        ),
    ] {
        read(&service, &link, language, "")
            .await
            .assert_contains(expected);
    }
}

#[test]
fn only_products_of_google_warn_about_unverified_clients() {
    for product in stead::products::PRODUCTS {
        let google = !matches!(product.name, "workspace" | "warehouse");
        assert_eq!(
            super::warns_about_unverified(product),
            google,
            "{}",
            product.name
        );
    }
}

#[tokio::test]
async fn declined_permissions_can_be_requested_again() {
    let service = TestService::new().await;
    let (done, cookies) = come_back_with_less(&service).await;
    let page = read(&service, &done, "en", &cookies).await;
    for expected in [
        "<strong>ada@example.com</strong>",
        "<li>See your contacts</li>",
        "Allow this too",
    ] {
        page.assert_contains(expected);
    }
    assert!(
        page.header("content-security-policy")
            .contains("form-action 'self' https:")
    );
    let action = between(page.text(), "action=\"http://127.0.0.1", "\"").to_owned();

    // Another browser isn't offered this, and can't do it.
    let stranger = service.visit(&done).await;
    stranger.assert_contains("<li>See your contacts</li>");
    stranger.assert_contains("ask for a new one");
    assert!(!stranger.text().contains("<form"), "{}", stranger.text());
    for (path, cookie, status) in [
        (action.as_str(), None, StatusCode::FORBIDDEN),
        (
            "/connect/again/auth_1",
            Some(cookies.as_str()),
            StatusCode::NOT_FOUND,
        ),
        (
            "/connect/again/auth_00000000000000000000000000000007",
            Some(cookies.as_str()),
            StatusCode::NOT_FOUND,
        ),
    ] {
        assert_eq!(
            service.browse("POST", path, cookie).await.status,
            status,
            "{path}"
        );
    }
    let from_elsewhere = Request::post(&action)
        .header("sec-fetch-site", "cross-site")
        .header(header::COOKIE, &cookies);
    let refused = service
        .send(from_elsewhere.body(Body::empty()).unwrap())
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);

    let again = service.browse("POST", &action, Some(&cookies)).await;
    assert_eq!(again.status, StatusCode::SEE_OTHER, "{}", again.text());
    let location: url::Url = again.header("location").parse().unwrap();
    let (_, scopes) = location
        .query_pairs()
        .find(|(name, _)| name == "scope")
        .unwrap();
    for scope in ["openid", READONLY, CONTACTS] {
        assert!(scopes.split(' ').any(|asked| asked == scope), "{scopes}");
    }
    let new = again.header("set-cookie").split('=').next().unwrap();
    assert!(
        new.starts_with("stead-auth_") && !cookies.contains(new),
        "{new}"
    );
}

#[tokio::test]
async fn without_missing_permissions_nothing_is_requested_again() {
    let service = TestService::new().await;
    let connection_id = service.connect_mail().await;
    let (state, cookie) = service.consent(&service.link("u1", None).await).await;
    let id = cookie
        .strip_prefix("stead-")
        .unwrap()
        .split('=')
        .next()
        .unwrap();
    let path = format!("/connect/again/{id}");
    for (status, why) in [
        (StatusCode::GONE, "before the return"),
        (StatusCode::GONE, "after it"),
    ] {
        let refused = service.browse("POST", &path, Some(&cookie)).await;
        assert_eq!(refused.status, status, "{why} {}", refused.text());
        service.come_back(&connection_id, &state, &cookie).await;
    }
}

fn branded() -> ServerOptions {
    let brand = Brand::default()
        .name("Mail & <More>")
        .and_then(|brand| brand.color("#7a1fa2"))
        .and_then(|brand| brand.logo(&include_bytes!("icon.svg")[..]))
        .and_then(|brand| brand.support("mailto:help@example.com"))
        .and_then(|brand| brand.privacy("https://example.com/privacy?a=1&b=2"));
    ServerOptions {
        brand: brand.unwrap(),
        ..ServerOptions::default()
    }
}

#[tokio::test]
async fn pages_show_the_operators_brand_and_load_nothing_else() {
    let mut service = TestService::new().await;
    service.connect_mail().await;
    let link = service.link("u1", None).await;
    let plain = read(&service, &link, "en", "").await;
    assert!(!plain.text().contains("<img") && !plain.text().contains("<footer"));
    assert_eq!(service.visit("/logo").await.status, StatusCode::NOT_FOUND);

    service.router = crate::router_with(&service.platform, &branded());
    for path in [
        link.as_str(),
        "/connect/cancelled",
        "/connect/failed?kind=internal",
    ] {
        let page = read(&service, path, "en", "").await;
        for expected in [
            "<span>Mail &amp; &lt;More&gt;</span>",
            "<img src=\"http://127.0.0.1/logo\" alt=\"\">",
            "--accent: #7a1fa2; --on-accent: #ffffff;",
            "<a href=\"mailto:help@example.com\">Help</a>",
            "<a href=\"https:&#x2f;&#x2f;example.com&#x2f;privacy?a=1&amp;b=2\">Privacy</a>",
        ] {
            page.assert_contains(expected);
        }
        assert_eq!(page.text().matches("src=").count(), 1, "{}", page.text());
    }
    let page = read(&service, &link, "en", "").await;
    page.assert_contains(
        "<strong>Mail &amp; &lt;More&gt;</strong> wants to access your Gmail account",
    );
    let logo = service.visit("/logo").await;
    assert_eq!(logo.body, include_bytes!("icon.svg")[..]);
    assert_eq!(logo.header("content-type"), "image/svg+xml");
    assert!(logo.header("content-security-policy").ends_with("sandbox"));
}
