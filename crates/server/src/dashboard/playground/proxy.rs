//! `GET /dashboard/playground/proxy` and `POST /dashboard/playground/proxy/send`: a raw request to a product.

use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, header};
use minijinja::{context, value::Serde};
use serde::Serialize;
use serde_json::Value;
use stead::Error;
use stead_core::{ports::TransportErrorKind, resource::ProxyRequest};

use super::{
    asked::Asked,
    chosen::Chosen,
    micros_since,
    outcome::{Failed, Text, failed},
    snippets,
};
use crate::{
    dashboard::{form::Form, page::Page},
    extract::Query,
    problem::Result,
};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// The most bytes of a response to read.
const MOST: u64 = 1024 * 1024;

/// A request as entered.
#[derive(Debug, Default, Serialize)]
struct Written {
    method: String,
    path: String,
    headers: String,
    body: String,
}

/// Its outcome.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Response(Received),
    Failed(Box<Failed>),
    /// It wasn't sent, because of this error.
    Unreadable(String),
}

#[derive(Debug, Serialize)]
struct Received {
    status: u16,
    reason: &'static str,
    is_good: bool,
    headers: Vec<(String, String)>,
    /// The body, if it's text.
    text: Option<Text>,
    bytes: Option<usize>,
    content_type: String,
    micros: u64,
}

pub(super) async fn show(page: Page, mut query: Query) -> Result<Response> {
    let written = Written {
        method: query.text("method")?.unwrap_or_else(|| String::from("GET")),
        path: query.text("path")?.unwrap_or_default(),
        headers: query.text("headers")?.unwrap_or_default(),
        body: query.text("body")?.unwrap_or_default(),
    };
    let asked = Asked::with(query.text("connection_name")?, query.text("identifier")?);
    query.end()?;
    let chosen = Chosen::of(&page, &asked).await?;
    Ok(with(&page, &chosen, written, None))
}

pub(super) async fn send(page: Page, form: Form) -> Result<Response> {
    let text = |name| form.text(name).unwrap_or_default().to_owned();
    let written = Written {
        method: text("method"),
        path: text("path"),
        headers: text("headers"),
        body: text("body"),
    };
    let chosen = Chosen::of(&page, &Asked::by_form(&form)).await?;
    let outcome = match request(&chosen, &written) {
        Ok(request) => {
            let began = page.environment.runtime().monotonic();
            let response = page.environment.proxy(request).await;
            let read = received(response).await;
            let micros = micros_since(&page, began);
            match read {
                Ok(received) => Outcome::Response(Received { micros, ..received }),
                Err(error) => Outcome::Failed(Box::new(failed(
                    &error,
                    micros,
                    error.violation_list().to_vec(),
                ))),
            }
        }
        Err(why) => Outcome::Unreadable(why),
    };
    Ok(with(&page, &chosen, written, Some(outcome)))
}

fn with(page: &Page, chosen: &Chosen, written: Written, outcome: Option<Outcome>) -> Response {
    let url = page.environment.public_url().as_str().trim_end_matches('/');
    let snippets = request(chosen, &written)
        .ok()
        .map(|request| snippets::of_request(url, &request));
    let context = context! {
        chosen => Serde(chosen),
        connection_name => chosen.connection.as_ref().map(|one| one.connection_name.to_string()),
        written => Serde(written),
        methods => METHODS.to_vec(),
        example => chosen.connection.as_ref().and_then(|one| example(page, &one.product)),
        snippets => snippets,
        outcome => outcome.map(Serde),
    };
    page.render("playground/proxy.html", context)
}

/// An example of the start of the product's paths.
fn example(page: &Page, product: &str) -> Option<&'static str> {
    let routes = page.environment.catalogue().product(product)?.proxy.routes;
    routes.first().map(|route| route.prefix)
}

/// The entered request, or the error in it.
fn request(chosen: &Chosen, written: &Written) -> Result<ProxyRequest, String> {
    let connection = chosen.connection.as_ref().ok_or("Choose a connection.")?;
    let method = METHODS.iter().find(|one| **one == written.method);
    let method =
        method.ok_or_else(|| format!("The method must be one of {}.", METHODS.join(", ")))?;
    if !written.path.starts_with('/') {
        return Err(String::from("The path must start with a slash."));
    }
    let name = connection.connection_name.to_string();
    let mut request = ProxyRequest::new(name, &chosen.identifier, *method, &written.path);
    for line in written
        .headers
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let (name, value) = line
            .split_once(':')
            .ok_or("Write each header on its own line, for example “accept: text/csv”.")?;
        request
            .headers
            .insert(name.trim().to_owned(), value.trim().to_owned());
    }
    if !written.body.is_empty() {
        let body: Result<Value, _> = serde_json::from_str(&written.body);
        request.body = Some(body.map_err(|error| format!("The body isn’t valid JSON: {error}."))?);
    }
    Ok(request)
}

async fn received(
    response: Result<http::Response<stead_core::ports::Body>, Error>,
) -> Result<Received, Error> {
    let (head, body) = response?.into_parts();
    let body = match body.collect(MOST).await {
        Ok(body) => Some(body),
        Err(error) if error.kind() == TransportErrorKind::TooLarge => None,
        Err(error) => {
            return Err(Error::new(
                stead::ErrorKind::ProductUnavailable,
                error.to_string(),
            ));
        }
    };
    let content_type = of(&head.headers, header::CONTENT_TYPE);
    let headers = head.headers.iter();
    Ok(Received {
        status: head.status.as_u16(),
        reason: head.status.canonical_reason().unwrap_or_default(),
        is_good: head.status.is_success(),
        headers: headers
            .map(|(name, value)| {
                (
                    name.to_string(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            })
            .collect(),
        bytes: body.as_ref().map(Bytes::len),
        text: body.as_ref().and_then(|body| text(&content_type, body)),
        content_type,
        micros: 0,
    })
}

/// A body as text, if it is text. JSON is indented.
fn text(content_type: &str, body: &Bytes) -> Option<Text> {
    let is_text = ["json", "text/", "xml", "csv", "multipart/"]
        .iter()
        .any(|one| content_type.contains(one));
    let text = std::str::from_utf8(body)
        .ok()
        .filter(|_| is_text && !body.is_empty())?;
    Some(match serde_json::from_str::<Value>(text) {
        Ok(value) => Text::of_json(&value),
        Err(_) => Text::of(text.to_owned()),
    })
}

fn of(headers: &HeaderMap, name: header::HeaderName) -> String {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}
