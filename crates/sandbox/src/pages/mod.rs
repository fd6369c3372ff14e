//! Pages for people: the home page, the consent pages of the authorization servers, and pages that say what went wrong.

use axum::http::{StatusCode, header};
use minijinja::{Environment, Value, context, value::Serde};
use serde::Serialize;

use crate::{request::Request, response::Response};

const STYLE: &str = include_str!("style.css");
const TEMPLATES: [(&str, &str); 4] = [
    ("layout.html", include_str!("layout.html")),
    ("home.html", include_str!("home.html")),
    ("consent.html", include_str!("consent.html")),
    ("problem.html", include_str!("problem.html")),
];

/// What a consent page asks.
#[derive(Debug, Serialize)]
pub(crate) struct Consent {
    /// The host that is played.
    pub(crate) host: String,
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
    let page = render("consent.html", context! { page => Serde(page) });
    Response::html(StatusCode::OK, page)
}

/// What the sandbox is and how it is asked to fail; `url` is where it is reached.
pub(crate) fn home(url: &str) -> String {
    render("home.html", context! { url })
}

/// A page that says what went wrong.
pub(crate) fn problem(title: &str, text: &str) -> String {
    render("problem.html", context! { title, text })
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
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
        )
}

fn render(name: &str, values: Value) -> String {
    let mut templates = Environment::new();
    templates.add_global("style", Value::from_safe_string(STYLE.to_owned()));
    // The names end in .html, so that every value is escaped.
    TEMPLATES
        .iter()
        .try_for_each(|(name, source)| templates.add_template(name, source))
        .and_then(|()| templates.get_template(name)?.render(values))
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

    /// The consent page of Ada and Grace; `chosen` was named before.
    fn page(chosen: Option<&str>) -> String {
        let person = |email: &str, name: &str| Choice {
            email: email.to_owned(),
            name: name.to_owned(),
            chosen: Some(email) == chosen,
            pages: vec![(format!("page-of-{email}"), "Notes & ideas".to_owned())],
        };
        let response = consent(&Consent {
            host: "accounts.google.com".to_owned(),
            title: "Choose an account".to_owned(),
            client: "client".to_owned(),
            asks: "asks for access".to_owned(),
            action: "/accounts.google.com/consent/r1".to_owned(),
            id: "r1".to_owned(),
            people: vec![
                person("ada@example.com", "Ada Lovelace"),
                person("grace@example.com", "Grace Hopper"),
            ],
            permissions: vec![Permission {
                scope: "openid".to_owned(),
                text: "Know who you are",
            }],
        });
        let ResponseBody::Whole(page) = response.body else {
            panic!("a page is in memory");
        };
        String::from_utf8(page.to_vec()).unwrap()
    }

    #[test]
    fn the_consent_page_names_people_and_permissions() {
        let page = page(None);
        for part in [
            r#"action="/accounts.google.com/consent/r1""#,
            r#"name="page" value="page-of-ada@example.com" checked> <span>Notes &amp; ideas"#,
            r#"name="scope" value="openid" checked"#,
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn pages_that_look_like_a_products_say_that_they_are_not() {
        assert!(page(None).contains("This is not the real accounts.google.com."));
        assert!(problem("a", "b").contains("This is not the real product"));
    }

    #[test]
    fn one_person_is_chosen_and_cancel_needs_no_choice() {
        let of_ada = r#"value="ada@example.com" checked required"#;
        let of_grace = r#"value="grace@example.com" checked required"#;
        for (named, chosen, not) in [
            (None, of_ada, of_grace),
            (Some("grace@example.com"), of_grace, of_ada),
        ] {
            let page = page(named);
            assert!(page.contains(chosen) && !page.contains(not), "{page}");
            assert!(page.contains(r#"value="deny" formnovalidate"#), "{page}");
        }
    }

    #[test]
    fn every_page_is_of_one_layout_that_fits_a_phone_and_the_dark() {
        for page in [page(None), problem("a", "b"), home("http://127.0.0.1:8485")] {
            assert!(page.starts_with("<!doctype html>"), "{page}");
            for part in [
                "width=device-width",
                "prefers-color-scheme: dark",
                "overflow-wrap: anywhere",
            ] {
                assert!(page.contains(part), "{part}: {page}");
            }
        }
    }
}
