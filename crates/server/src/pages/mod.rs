//! The pages that people see: no script, nothing from elsewhere, nothing secret, and no cache that keeps them.

mod headers;
mod permissions;
mod texts;

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use minijinja::{Environment as Templates, Value, context, value::Serde};
use serde::Serialize;
use stead::{
    Error, ErrorKind,
    core::{environment::Environment, oauth::ConnectPage},
};

use crate::{
    problem::{self, Problem},
    request_id::RequestId,
};
use headers::PageHeaders;
use texts::Text;

const STYLE: &str = include_str!("style.css");

/// The templates and the headers that go with them.
#[derive(Debug)]
pub(crate) struct Pages {
    templates: Templates<'static>,
    headers: PageHeaders,
    /// Who asks, as people know it: the host of the public URL.
    host: String,
}

impl Pages {
    pub(crate) fn new(environment: &Environment) -> Self {
        let url = environment.public_url();
        let mut templates = Templates::new();
        templates.add_global(
            "icon",
            format!("{}/icon.svg", url.as_str().trim_end_matches('/')),
        );
        templates.add_global("style", Value::from_safe_string(STYLE.to_owned()));
        for (name, source) in [
            ("layout.html", include_str!("layout.html")),
            ("connect.html", include_str!("connect.html")),
            ("message.html", include_str!("message.html")),
            ("index.html", include_str!("index.html")),
        ] {
            if let Err(error) = templates.add_template(name, source) {
                tracing::error!(name, error = %error, "a page's template is broken");
            }
        }
        Self {
            templates,
            headers: PageHeaders::new(STYLE, url.scheme()),
            host: url.host_str().unwrap_or_default().to_owned(),
        }
    }

    /// What `GET /` shows to a browser.
    pub(crate) fn index(&self, index: &impl Serialize) -> Response {
        self.page(
            StatusCode::OK,
            "index.html",
            &context! { index => Serde(index) },
        )
    }

    /// Who asks for what, and the button to go on.
    pub(crate) fn connect(&self, page: &ConnectPage, seconds_left: i64) -> Response {
        let context = context! {
            product => page.product_title,
            host => self.host.as_str(),
            permissions => Serde(permissions::describe(page)),
            expires_at => page.expires_at.to_string(),
            left => texts::time_left(seconds_left),
        };
        let mut response = self.page(StatusCode::OK, "connect.html", &context);
        self.headers.allow_leaving(response.headers_mut());
        response
    }

    /// It went well; `confirm` where the application still has to say who came back, `missing` the permissions that the
    /// user left out, in plain words.
    pub(crate) fn done(
        &self,
        product: Option<&str>,
        user: Option<&str>,
        confirm: bool,
        missing: &[&str],
    ) -> Response {
        let text = texts::done(product, user, confirm, missing);
        self.message(StatusCode::OK, text, None)
    }

    /// A response to a request that only asks whether there is one.
    pub(crate) fn empty(&self) -> Response {
        let mut response = StatusCode::OK.into_response();
        self.headers.write(response.headers_mut());
        response
    }

    /// An error of this request, in words for the end user.
    fn failure(&self, error: &Error, id: RequestId) -> Response {
        problem::report(error);
        let mut response = self.failed(error.kind(), Some(id));
        if let Some(seconds) = problem::retry_after(error) {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }

    /// An error at an address that is not for people, in words for someone who came there by a browser.
    pub(crate) fn problem(&self, error: &Error, id: RequestId) -> Response {
        self.message(
            problem::status(error.kind()),
            texts::not_for_people(error.kind()),
            Some(id),
        )
    }

    /// An error of this or of an earlier request.
    pub(crate) fn failed(&self, kind: ErrorKind, id: Option<RequestId>) -> Response {
        self.message(problem::status(kind), texts::failed(kind), id)
    }

    /// 303, so that the browser asks for `location` by GET whatever it sent before, with cookies to set.
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
            return self.failed(ErrorKind::Internal, None);
        };
        let mut response = StatusCode::SEE_OTHER.into_response();
        self.headers.write(response.headers_mut());
        response.headers_mut().insert(header::LOCATION, location);
        for cookie in cookies {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }

    fn message(&self, status: StatusCode, text: Text, id: Option<RequestId>) -> Response {
        let Text {
            title,
            body,
            advice,
        } = text;
        let support_id = id.map(|id| id.to_string());
        self.page(
            status,
            "message.html",
            &context! { title, body, advice, support_id },
        )
    }

    fn page(&self, status: StatusCode, template: &str, context: &Value) -> Response {
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
    }
}

/// The picture in a browser's tab.
pub(crate) async fn icon() -> Response {
    let picture = include_str!("icon.svg");
    ([(header::CONTENT_TYPE, "image/svg+xml")], picture).into_response()
}

/// Whether the caller is a browser. A program that sends a token, or asks for JSON as well, is not one.
pub(crate) fn is_browser(headers: &HeaderMap) -> bool {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .unwrap_or_default();
    accept.contains("text/html")
        && !accept.contains("json")
        && !headers.contains_key(header::AUTHORIZATION)
}

/// Around the routes that a person opens: a problem is shown as a page.
pub(crate) async fn show_problem(
    State(pages): State<Arc<Pages>>,
    id: RequestId,
    request: Request,
    next: Next,
) -> Response {
    let mut response = next.run(request).await;
    match response.extensions_mut().remove() {
        Some(Problem { error, .. }) => pages.failure(&error, id),
        None => response,
    }
}
