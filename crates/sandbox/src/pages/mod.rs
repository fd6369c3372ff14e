//! Pages for people: the consent pages of the authorization servers, and pages that say what went wrong.

use axum::http::{StatusCode, header};
use minijinja::{Environment, context, value::Serde};
use serde::Serialize;

use crate::{request::Request, response::Response};

/// What a consent page asks.
#[derive(Debug, Serialize)]
pub(crate) struct Consent {
    pub(crate) title: String,
    /// The client's id.
    pub(crate) client: String,
    /// What the client does: `asks for …`.
    pub(crate) asks: String,
    /// Path that the form is sent to, of characters that HTML need not escape.
    pub(crate) action: String,
    /// Id of the request.
    pub(crate) id: String,
    pub(crate) people: Vec<Choice>,
    pub(crate) permissions: Vec<Permission>,
}

/// A person to choose on the consent page.
#[derive(Debug, Serialize)]
pub(crate) struct Choice {
    pub(crate) email: String,
    pub(crate) name: String,
    pub(crate) chosen: bool,
    /// Ids and titles of the pages that the person can share.
    pub(crate) pages: Vec<(String, String)>,
}

/// A permission to tick on the consent page.
#[derive(Debug, Serialize)]
pub(crate) struct Permission {
    pub(crate) scope: String,
    pub(crate) text: &'static str,
}

/// The consent page.
pub(crate) fn consent(page: &Consent) -> Response {
    let page = render(
        include_str!("consent.html"),
        &context! { page => Serde(page) },
    );
    Response::html(StatusCode::OK, page)
}

/// A page that says what went wrong.
pub(crate) fn problem(title: &str, text: &str) -> String {
    render(include_str!("problem.html"), &context! { title, text })
}

/// The response to an unknown address. Google's is a page as well.
pub(crate) fn not_found(request: &Request) -> Response {
    let text = format!(
        "The requested URL {} was not found on this server.",
        request.path
    );
    Response::html(
        StatusCode::NOT_FOUND,
        problem("Error 404 (Not Found)", &text),
    )
}

/// The response to a known address with a method that it does not have.
pub(crate) fn wrong_method(request: &Request) -> Response {
    let text = format!(
        "The request method {} is inappropriate for the URL {}.",
        request.method, request.path
    );
    let page = problem("Error 405 (Method Not Allowed)", &text);
    Response::html(StatusCode::METHOD_NOT_ALLOWED, page)
}

/// A page of an authorization server: never stored, never framed.
pub(crate) fn with_security_headers(response: Response) -> Response {
    response
        .with(header::CACHE_CONTROL, "no-store")
        .with(header::X_FRAME_OPTIONS, "DENY")
        .with(header::REFERRER_POLICY, "no-referrer")
        .with(
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
        )
}

fn render(template: &str, values: &minijinja::Value) -> String {
    // The name ends in .html, so that every value is escaped.
    Environment::new()
        .render_named_str("page.html", template, values)
        .unwrap_or_else(|error| {
            tracing::error!(%error, "a page could not be made");
            String::new()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::ResponseBody;

    #[test]
    fn values_are_escaped() {
        let page = problem("<b>", "a & b");
        assert!(
            page.contains("&lt;b&gt;") && page.contains("a &amp; b"),
            "{page}"
        );
    }

    #[test]
    fn the_consent_page_names_people_and_permissions() {
        let response = consent(&Consent {
            title: "Choose an account".to_owned(),
            client: "client".to_owned(),
            asks: "asks for access".to_owned(),
            action: "/accounts.google.com/consent/r1".to_owned(),
            id: "r1".to_owned(),
            people: vec![Choice {
                email: "ada@example.com".to_owned(),
                name: "Ada Lovelace".to_owned(),
                chosen: true,
                pages: vec![("p1".to_owned(), "Notes & ideas".to_owned())],
            }],
            permissions: vec![Permission {
                scope: "openid".to_owned(),
                text: "Know who you are",
            }],
        });
        let ResponseBody::Whole(page) = response.body else {
            panic!("a page is in memory");
        };
        let page = String::from_utf8(page.to_vec()).unwrap();
        for part in [
            r#"action="/accounts.google.com/consent/r1""#,
            r#"name="user" value="ada@example.com" checked"#,
            r#"name="page" value="p1" checked> Notes &amp; ideas"#,
            r#"name="scope" value="openid" checked"#,
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
