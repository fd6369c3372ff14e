//! Pages for people.

use axum::http::{StatusCode, header};
use minijinja::{Environment, context, value::Serde};
use serde::Serialize;

use crate::{request::Request, response::Response};

/// A person to choose on the consent page.
#[derive(Debug, Serialize)]
pub(crate) struct Choice {
    pub(crate) email: String,
    pub(crate) name: String,
    pub(crate) chosen: bool,
}

/// A permission to tick on the consent page.
#[derive(Debug, Serialize)]
pub(crate) struct Permission {
    pub(crate) scope: String,
    pub(crate) text: &'static str,
}

/// The consent page.
pub(crate) fn consent(
    request: &str,
    client: &str,
    people: &[Choice],
    permissions: &[Permission],
) -> String {
    render(
        include_str!("consent.html"),
        &context! {
            request,
            client,
            people => Serde(people),
            permissions => Serde(permissions),
        },
    )
}

/// A page that says what went wrong.
pub(crate) fn problem(title: &str, text: &str) -> String {
    render(include_str!("problem.html"), &context! { title, text })
}

/// The page for an unknown address. Google answers those with HTML as well.
pub(crate) fn not_found(request: &Request) -> String {
    problem(
        "Error 404 (Not Found)",
        &format!(
            "The requested URL {} was not found on this server.",
            request.path
        ),
    )
}

/// The answer to a known address with a method that it does not have.
pub(crate) fn wrong_method(request: &Request) -> Response {
    let page = problem(
        "Error 405 (Method Not Allowed)",
        &format!(
            "The request method {} is inappropriate for the URL {}.",
            request.method, request.path
        ),
    );
    Response::html(StatusCode::METHOD_NOT_ALLOWED, page)
}

/// A page of the authorization server: never stored, never framed.
pub(crate) fn guarded(response: Response) -> Response {
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
        let page = consent(
            "r1",
            "client",
            &[Choice {
                email: "ada@example.com".to_owned(),
                name: "Ada Lovelace".to_owned(),
                chosen: true,
            }],
            &[Permission {
                scope: "openid".to_owned(),
                text: "Know who you are",
            }],
        );
        assert!(
            page.contains(r#"action="/accounts.google.com/consent/r1""#),
            "{page}"
        );
        assert!(
            page.contains(r#"name="scope" value="openid" checked"#),
            "{page}"
        );
    }
}
