//! Renders templates, and sets the headers of pages.

use std::sync::LazyLock;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use minijinja::{
    AutoEscape, Environment as Templates, UndefinedBehavior, Value, context, value::Serde,
};
use serde::Serialize;
use stead_core::environment::Environment;
use url::Url;

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;

use super::{assets, cookie, format, icons, markdown, words};
use crate::pages::LazyTemplates;

/// The colors that a member has chosen.
#[derive(Debug, Clone, Copy)]
pub(super) enum Theme {
    /// The browser's preference.
    Auto,
    Light,
    Dark,
}

impl Theme {
    /// The choice in the cookie, which the page's script sets.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        match cookie::read(headers, "stead-theme") {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::Auto,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// The page of the sandbox, if there is one.
const SANDBOX: &str = "/dashboard/sandbox";

/// The navigation, in order. An entry is shown if its page exists.
const NAVIGATION: &[(&str, &str, &str)] = &[
    ("Home", "/dashboard", "home"),
    ("Connections", "/dashboard/connections", "plug"),
    ("Accounts", "/dashboard/accounts", "users"),
    ("Playground", "/dashboard/playground", "play"),
    ("Activity", "/dashboard/activity", "activity"),
    ("Approvals", "/dashboard/approvals", "eye"),
    ("Policies", "/dashboard/policies", "lock"),
    ("Tools", "/dashboard/tools", "wrench"),
    ("Sandbox", SANDBOX, "box"),
    ("Settings", "/dashboard/settings", "settings"),
];

#[derive(Debug, Serialize)]
struct Entry {
    title: &'static str,
    path: &'static str,
    icon: &'static str,
}

/// Renders pages from templates.
#[derive(Debug)]
pub(super) struct Renderer {
    templates: LazyTemplates,
    policy: HeaderValue,
    /// The path of the public URL, without a slash at its end.
    prefix: String,
}

const FIXED: &[(&str, &str)] = &[
    ("cache-control", "no-store"),
    ("content-type", "text/html; charset=utf-8"),
    ("cross-origin-opener-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("x-robots-tag", "noindex"),
];

impl Renderer {
    pub(super) fn new(environment: &Environment, has_sandbox: bool) -> Self {
        let url = environment.public_url();
        let prefix = url.path().trim_end_matches('/').to_owned();
        // A form can redirect to a link, which always starts with the public URL.
        let origin = url.origin().ascii_serialization();
        let policy = format!(
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self' {origin}; base-uri 'none'; frame-ancestors 'none'"
        );
        let (public_url, below) = (url.clone(), prefix.clone());
        Self {
            templates: LazyLock::new(Box::new(move || {
                templates(&public_url, &below, has_sandbox)
            })),
            policy: HeaderValue::try_from(policy)
                .unwrap_or(HeaderValue::from_static("default-src 'none'")),
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

    /// A part of a page. Empty if it can't be rendered.
    pub(super) fn part(&self, name: &str, context: &Value) -> String {
        let template = self.templates.get_template(name);
        let rendered = template.and_then(|template| template.render(context));
        rendered.unwrap_or_else(|error| {
            tracing::error!(name, error = ?error, "a part of a page cannot be rendered");
            String::new()
        })
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

/// The templates that every page extends or imports.
const SHARED: &[(&str, &str)] = &[
    ("layout.html", include_str!("templates/layout.html")),
    ("macros.html", include_str!("templates/macros.html")),
    ("problem.html", include_str!("templates/problem.html")),
];

fn templates(public_url: &Url, prefix: &str, has_sandbox: bool) -> Templates<'static> {
    let mut templates = Templates::new();
    templates.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    templates.set_auto_escape_callback(|_| AutoEscape::Html);
    let asset = |name| format!("{prefix}{}", assets::path(name));
    let routes = super::routes();
    let exists = |path: &str| routes.iter().any(|route| route.route.path == path);
    let navigation = NAVIGATION
        .iter()
        .filter(|(_, path, _)| exists(path) && (*path != SANDBOX || has_sandbox));
    let navigation: Vec<Entry> = navigation
        .map(|&(title, path, icon)| Entry { title, path, icon })
        .collect();
    let site = context! {
        prefix => prefix,
        dashboard => format!("{prefix}/dashboard"),
        icon => format!("{prefix}/icon.svg"),
        style => asset("style.css"),
        script => asset("dashboard.js"),
        public_url => public_url.as_str().trim_end_matches('/'),
        host => public_url.host_str().unwrap_or_default(),
        version => env!("CARGO_PKG_VERSION"),
        navigation => Serde(navigation),
        sections => Serde(super::sections()),
    };
    templates.add_global("site", site);
    templates.add_function("icon", icons::icon);
    templates.add_function("state", words::state);
    // The address of a script that only some pages use.
    let below = prefix.to_owned();
    templates.add_function("asset", move |name: &str| {
        format!("{below}{}", assets::path(name))
    });
    templates.add_filter("clock", format::clock);
    templates.add_filter("day", format::day);
    templates.add_filter("time", format::time);
    templates.add_filter("count", format::count);
    templates.add_filter("markdown", markdown::markdown);
    templates.add_filter("millis", format::millis);
    templates.add_filter("prose", format::prose);
    templates.add_filter("segment", format::segment);
    templates.add_filter("sentence", format::sentence);
    for (name, source) in SHARED.iter().chain(super::templates()) {
        if let Err(error) = templates.add_template(name, source) {
            tracing::error!(name, error = ?error, "a page's template is broken");
        }
    }
    templates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestService;

    /// A page of every component, each given `x`.
    const ALL: &str = r#"{% from "macros.html" import page_header, card, badge, product, button, link_button, act, field, choice,
        empty, copy, code, tabs, pager, definitions, notice, confirm, figure, trail, shares, check %}
        {% call page_header(x, x) %}{{ button(x) }}{% endcall %}{% call card(x, x) %}{{ x }}{% endcall %}
        {{ badge(x) }}{{ product(x, x) }}{{ link_button(x, x, x) }}{{ act(x, x, x) }}
        {{ field(x, x, value=x, hint=x) }}{{ field(x, x, error=x, placeholder=x, required=true) }}
        {{ choice(x, x, [[x, x]], value=x, hint=x) }}{{ empty(x, x) }}{{ copy(x, x) }}{{ code(x, x) }}
        {{ tabs(x, [[x, x]], x) }}{{ pager(x, x, x, x) }}{{ definitions([[x, x], [x, none]]) }}
        {{ notice("bad", x, x) }}{{ confirm(x, [x], x, x, x, x) }}{{ figure(x, x, x) }}{{ x|time }}{{ x|clock }}{{ x|markdown }}
        {{ trail([[x, x]]) }}{{ shares([], x) }}{{ check(x, x, x, note=x) }}"#;

    #[tokio::test]
    async fn every_component_escapes_its_values() {
        let service = TestService::new().await;
        let mut templates = templates(service.platform.environment().public_url(), "", true);
        templates.add_template("all.html", ALL).unwrap();
        let all = templates.get_template("all.html").unwrap();
        let shown = all.render(context! { x => "\"><script>'" }).unwrap();
        assert!(!shown.contains("<script>"), "{shown}");
        assert!(!shown.contains("\"\">"), "{shown}");
        for part in [
            "<h1>",
            "role=\"alert\"",
            "aria-invalid=\"true\"",
            "name=\"csrf\"",
            "page_token=",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert_eq!(shown.matches("<dt>").count(), 2, "{shown}");
    }

    #[test]
    fn every_template_can_be_parsed() {
        for (name, source) in SHARED.iter().chain(super::super::templates()) {
            let mut templates = Templates::new();
            if let Err(error) = templates.add_template(name, source) {
                panic!("{name}: {error:?}");
            }
        }
    }
}
