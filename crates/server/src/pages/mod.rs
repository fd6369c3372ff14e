//! The pages that people see. They have no script, no secret, and nothing from another site, and no cache may keep
//! them.

mod headers;
mod language;
#[cfg(feature = "dashboard")]
mod preview;
#[cfg(test)]
mod tests;
mod texts;

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use minijinja::{Environment as Templates, UndefinedBehavior, Value, context, value::Serde};
use serde::Serialize;
use serde_json::json;
use stead::{Error, ErrorKind};
use stead_core::{
    environment::Environment,
    identifier::AuthorizationId,
    oauth::ConnectPage,
    product::{PermissionText, Product},
};
use url::Url;

use crate::{
    brand::{Brand, Button, Logo},
    problem::{self, Problem},
    request_id::RequestId,
};
use headers::PageHeaders;
pub(crate) use language::Language;
use texts::Message;

const STYLE: &str = include_str!("style.css");

/// Templates, compiled when the first page is shown. A service whose pages are never opened doesn't compile any.
pub(crate) type LazyTemplates =
    LazyLock<Templates<'static>, Box<dyn FnOnce() -> Templates<'static> + Send>>;

/// The templates and their headers.
#[derive(Debug)]
pub(crate) struct Pages {
    templates: LazyTemplates,
    texts: LazyLock<BTreeMap<&'static str, Value>>,
    headers: PageHeaders,
    logo: Option<Logo>,
}

/// A successful authorization.
#[derive(Debug, Default)]
pub(crate) struct Done {
    /// Product, if known.
    pub(crate) product: Option<&'static Product>,
    /// The user's name at the product.
    pub(crate) user: Option<String>,
    /// Whether the application still has to confirm the user.
    pub(crate) confirm: bool,
    /// Permissions that the user declined.
    pub(crate) missing: Vec<PermissionText>,
    /// The authorization after which this browser may be asked again for the missing permissions.
    pub(crate) again: Option<AuthorizationId>,
}

impl Pages {
    pub(crate) fn new(environment: &Environment, brand: &Brand) -> Self {
        let url = environment.public_url();
        let style = style(brand);
        Self {
            headers: PageHeaders::new(&style, url.scheme()),
            texts: LazyLock::new(texts::all),
            logo: brand.logo.clone(),
            templates: LazyLock::new(Box::new({
                let (url, brand) = (url.clone(), brand.clone());
                move || templates(&url, &brand, style)
            })),
        }
    }

    /// The page that `GET /` shows to a browser.
    pub(crate) fn index(&self, language: Language, index: &impl Serialize) -> Response {
        let context = context! { index => Serde(index) };
        self.page(StatusCode::OK, "index.html", language, context)
    }

    /// The page of a link: the application, what it asks for, and the button to continue.
    pub(crate) fn connect(
        &self,
        language: Language,
        page: &ConnectPage,
        seconds_left: i64,
    ) -> Response {
        let (unit, left) = texts::time_left(seconds_left);
        let context = context! {
            product => page.product.title,
            permissions => lines(&page.permissions(language.tag())),
            note => page.product.permission_note(language.tag()),
            unverified => warns_about_unverified(page.product),
            unit,
            left,
        };
        let mut response = self.page(StatusCode::OK, "connect.html", language, context);
        self.headers.allow_leaving(response.headers_mut());
        response
    }

    /// The page after a successful authorization.
    pub(crate) fn done(&self, language: Language, done: &Done) -> Response {
        let context = context! {
            product => done.product.map(|product| product.title),
            user => done.user.clone(),
            confirm => done.confirm,
            missing => lines(&done.missing),
            again => done.again.map(|id| id.to_string()),
        };
        let mut response = self.page(StatusCode::OK, "done.html", language, context);
        if done.again.is_some() {
            self.headers.allow_leaving(response.headers_mut());
        }
        response
    }

    /// The page after the user went back before the product asked for anything.
    pub(crate) fn cancelled(&self, language: Language) -> Response {
        self.message(StatusCode::OK, language, texts::CANCELLED, None)
    }

    /// An empty response, for a request that only asks if there is one.
    pub(crate) fn empty(&self) -> Response {
        let mut response = StatusCode::OK.into_response();
        self.headers.write(response.headers_mut());
        response
    }

    /// An error of this request, in words for end users.
    fn failure(&self, language: Language, error: &Error, id: RequestId) -> Response {
        problem::report(error);
        let mut response = self.failed(language, error.kind(), Some(id));
        if let Some(seconds) = problem::retry_after(error) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }

    /// An error at an address that isn't a page, in words for a person who opened it in a browser.
    pub(crate) fn problem(&self, language: Language, error: &Error, id: RequestId) -> Response {
        let text = texts::not_for_people(error.kind());
        self.message(problem::status(error.kind()), language, text, Some(id))
    }

    /// An error of this request or of an earlier one.
    pub(crate) fn failed(
        &self,
        language: Language,
        kind: ErrorKind,
        id: Option<RequestId>,
    ) -> Response {
        self.message(problem::status(kind), language, texts::failed(kind), id)
    }

    /// A redirect that sets cookies. The status is 303, so that the browser always uses GET for `location`.
    pub(crate) fn redirect(
        &self,
        location: &str,
        cookies: impl IntoIterator<Item = HeaderValue>,
    ) -> Response {
        let Ok(location) = HeaderValue::try_from(location) else {
            problem::report(&Error::new(
                ErrorKind::Internal,
                "an address cannot be a header's value",
            ));
            return self.failed(Language::default(), ErrorKind::Internal, None);
        };
        let mut response = StatusCode::SEE_OTHER.into_response();
        self.headers.write(response.headers_mut());
        response.headers_mut().insert(header::LOCATION, location);
        for cookie in cookies {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }

    fn message(
        &self,
        status: StatusCode,
        language: Language,
        Message { text, advice }: Message,
        id: Option<RequestId>,
    ) -> Response {
        let support_id = id.map(|id| id.to_string());
        let context = context! { text, advice, support_id };
        self.page(status, "message.html", language, context)
    }

    fn page(
        &self,
        status: StatusCode,
        template: &str,
        language: Language,
        context: Value,
    ) -> Response {
        let language = language.tag();
        let context = context! { language, t => self.texts[language].clone(), ..context };
        let rendered = self
            .templates
            .get_template(template)
            .and_then(|template| template.render(context));
        let (status, text) = match rendered {
            Ok(text) => (status, text),
            Err(error) => {
                tracing::error!(template, error = %error, "a page cannot be rendered");
                (
                    StatusCode::INTERNAL_SERVER_ERROR,
                    String::from("<!doctype html><title>Error</title>Something went wrong."),
                )
            }
        };
        let mut response = (status, Bytes::from(text)).into_response();
        self.headers.write(response.headers_mut());
        response.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        );
        response
            .headers_mut()
            .insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(language));
        response
            .headers_mut()
            .append(header::VARY, HeaderValue::from_static("accept-language"));
        response
    }
}

fn templates(url: &Url, brand: &Brand, style: String) -> Templates<'static> {
    let host = url.host_str().unwrap_or_default();
    let mut templates = Templates::new();
    templates.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    // A URL without a query can't contain a character that ends an attribute.
    let base = url.as_str().trim_end_matches('/');
    templates.add_global("base", Value::from_safe_string(base.to_owned()));
    templates.add_global("style", Value::from_safe_string(style));
    let shown = json!({
        "name": brand.name,
        "logo": brand.logo.is_some(),
        "support": brand.support,
        "privacy": brand.privacy,
        "host": host,
        // The application, by the name that users know.
        "app": brand.name.as_deref().unwrap_or(host),
    });
    templates.add_global("brand", Value::from(Serde(&shown)));
    texts::add_filters(&mut templates);
    for (name, source) in [
        ("layout.html", include_str!("layout.html")),
        ("connect.html", include_str!("connect.html")),
        ("done.html", include_str!("done.html")),
        ("message.html", include_str!("message.html")),
        ("index.html", include_str!("index.html")),
    ] {
        if let Err(error) = templates.add_template(name, source) {
            tracing::error!(name, error = %error, "a page's template is broken");
        }
    }
    templates
}

/// The icon of a browser's tab.
pub(crate) async fn icon() -> Response {
    let picture = include_str!("icon.svg");
    ([(header::CONTENT_TYPE, "image/svg+xml")], picture).into_response()
}

/// The operator's logo. If it's opened directly, it can't run anything either.
pub(crate) async fn logo(State(pages): State<Arc<Pages>>) -> Response {
    let Some(Logo { file, media_type }) = pages.logo.clone() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let policy = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");
    let headers = [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_SECURITY_POLICY, policy),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=3600"),
        ),
    ];
    (headers, file).into_response()
}

/// The style sheet with the operator's color.
fn style(brand: &Brand) -> String {
    let Some(colors) = &brand.colors else {
        return STYLE.to_owned();
    };
    let rule = |Button { ground, text }: &Button| {
        format!(":root {{ --accent: {ground}; --on-accent: {text}; }}\n")
    };
    format!(
        "{STYLE}{}@media (prefers-color-scheme: dark) {{ {} }}\n",
        rule(&colors.light),
        rule(&colors.dark)
    )
}

/// Whether the product may warn its users before they sign in. Google does so until it has verified a client, and Stead
/// can't know whether it has.
fn warns_about_unverified(product: &Product) -> bool {
    product.oauth.issuer == Some("https://accounts.google.com")
}

fn lines(permissions: &[PermissionText]) -> Vec<Value> {
    let lines = permissions.iter();
    lines
        .map(|line| context! { text => line.text.clone(), is_scope => line.is_scope })
        .collect()
}

/// Whether the caller is a browser. A program sends a token, or accepts JSON.
pub(crate) fn is_browser(headers: &HeaderMap) -> bool {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .unwrap_or_default();
    accept.contains("text/html")
        && !accept.contains("json")
        && !headers.contains_key(header::AUTHORIZATION)
}

/// A layer around the routes that people open: shows a problem as a page.
pub(crate) async fn show_problem(
    State(pages): State<Arc<Pages>>,
    id: RequestId,
    request: Request,
    next: Next,
) -> Response {
    let language = Language::of(request.headers());
    let mut response = next.run(request).await;
    match response.extensions_mut().remove() {
        Some(Problem { error, .. }) => pages.failure(language, &error, id),
        None => response,
    }
}
