//! Pages for people: the home page, the consent pages of the authorization servers, and error pages.

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

/// The contents of a consent page.
#[derive(Debug, Serialize)]
pub(crate) struct Consent {
    /// The simulated host.
    pub(crate) host: String,
    pub(crate) title: String,
    /// The client's ID.
    pub(crate) client: String,
    /// What the client asks for: `asks for …`.
    pub(crate) asks: String,
    /// The path to which the form is sent. It has no characters that HTML must escape.
    pub(crate) action: String,
    /// The ID of the request.
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
    /// The IDs and titles of the pages that the person can share.
    pub(crate) pages: Vec<(String, String)>,
}

/// A permission to tick on the consent page.
#[derive(Debug, Serialize)]
pub(crate) struct Permission {
    pub(crate) scope: String,
    pub(crate) text: &'static str,
}

pub(crate) fn consent(page: &Consent) -> Response {
    let page = render("consent.html", context! { page => Serde(page) });
    Response::html(StatusCode::OK, page)
}

/// Explains what the sandbox is and how to make it fail. `url` is its own URL.
pub(crate) fn home(url: &str) -> String {
    render("home.html", context! { url })
}

/// A page that explains an error.
pub(crate) fn problem(title: &str, text: &str) -> String {
    render("problem.html", context! { title, text })
}

/// The response to an unknown URL. Google's is a page too.
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

/// The response to a known path with a wrong method.
pub(crate) fn wrong_method(request: &Request) -> Response {
    let text = format!(
        "The request method {} is inappropriate for the URL {}.",
        request.method, request.path
    );
    let page = problem("Error 405 (Method Not Allowed)", &text);
    Response::html(StatusCode::METHOD_NOT_ALLOWED, page)
}

/// Adds the headers of an authorization server's page: it must not be cached or framed.
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
    // The names end in .html, so minijinja escapes every value.
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

    /// The consent page for Ada and Grace. `chosen` is selected.
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
