//! Templates, and the headers of the pages that they make.

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use minijinja::{AutoEscape, Environment as Templates, Value, context};
use stead::core::environment::Environment;

const FIXED: &[(&str, &str)] = &[
    ("cache-control", "no-store"),
    ("content-type", "text/html; charset=utf-8"),
    ("cross-origin-opener-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("x-robots-tag", "noindex"),
];

/// What every page extends.
const SHARED: &[(&str, &str)] = &[
    ("layout.html", include_str!("templates/layout.html")),
    ("problem.html", include_str!("templates/problem.html")),
];

/// Makes pages of templates.
#[derive(Debug)]
pub(super) struct Renderer {
    templates: Templates<'static>,
    policy: HeaderValue,
    /// The path of the public URL, without a slash at its end.
    prefix: String,
}

impl Renderer {
    pub(super) fn new(environment: &Environment) -> Self {
        let url = environment.public_url();
        let prefix = url.path().trim_end_matches('/').to_owned();
        let policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
        let mut templates = Templates::new();
        templates.set_auto_escape_callback(|_| AutoEscape::Html);
        let site = context! {
            prefix => prefix.as_str(),
            dashboard => format!("{prefix}/dashboard"),
        };
        templates.add_global("site", site);
        for (name, source) in SHARED.iter().chain(super::templates()) {
            if let Err(error) = templates.add_template(name, source) {
                tracing::error!(name, error = ?error, "a page's template is broken");
            }
        }
        Self {
            templates,
            policy: HeaderValue::from_static(policy),
            prefix,
        }
    }

    pub(super) fn page(&self, status: StatusCode, name: &str, context: &Value) -> Response {
        let rendered = self
            .templates
            .get_template(name)
            .and_then(|template| template.render(context));
        let (status, text) = match rendered {
            Ok(text) => (status, text),
            Err(error) => {
                tracing::error!(name, error = ?error, "a page cannot be rendered");
                let text = "<!doctype html><title>Error</title>Something went wrong.";
                (StatusCode::INTERNAL_SERVER_ERROR, String::from(text))
            }
        };
        let mut response = (status, Bytes::from(text)).into_response();
        self.write_headers(response.headers_mut());
        response
    }

    pub(super) fn redirect(&self, to: &str) -> Response {
        let to = if to.starts_with('/') {
            format!("{}{to}", self.prefix)
        } else {
            to.to_owned()
        };
        let mut response = StatusCode::SEE_OTHER.into_response();
        self.write_headers(response.headers_mut());
        if let Ok(to) = HeaderValue::try_from(to) {
            response.headers_mut().insert(header::LOCATION, to);
        }
        response
    }

    fn write_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in FIXED {
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        headers.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
    }
}
