//! Which requests of browsers are taken: those of the sandbox's own pages, and whatever only opens a page. A page of another
//! site can set no fault and change no record, and one whose name was made to lead here (DNS rebinding) reads nothing.

use std::net::IpAddr;

use axum::{
    Json,
    extract::Request,
    http::{HeaderMap, Method, StatusCode, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use serde_json::json;

pub(crate) async fn check(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let given = headers.get(header::HOST).map(|host| host.as_bytes());
    let host = match (request.uri().authority(), given) {
        (Some(authority), _) => Ok(Some(authority.clone())),
        (None, host) => host.map(Authority::try_from).transpose(),
    };
    // A caller that names no host is not a browser.
    let is_named = host
        .as_ref()
        .is_ok_and(|host| host.as_ref().is_none_or(|host| is_own_name(host.host())));
    let host = host.ok().flatten();
    if !is_named {
        return refuse(
            "the Host header has a name that may be another site's; use an address, or localhost",
        );
    }
    if is_of_another_site(headers, host.as_ref()) && !opens_a_page(request.method(), headers) {
        return refuse(
            "a page of another site sent this; send it from the sandbox's own pages, or from outside a browser",
        );
    }
    next.run(request).await
}

/// Whether no site of the internet has this name: an address, a name without a dot, or one below `localhost` or `internal`.
fn is_own_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_address = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    let local = |(_, last): (&str, &str)| matches!(last, "localhost" | "internal");
    is_address || host.rsplit_once('.').is_none_or(local)
}

/// Whether the browser says so. A client that is not a browser sends neither header.
fn is_of_another_site(headers: &HeaderMap, host: Option<&Authority>) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    match (text("sec-fetch-site"), text("origin")) {
        (Some(site), _) => !matches!(site, "same-origin" | "none"),
        (None, Some(origin)) => {
            let origin = origin.split_once("://").map(|(_, origin)| origin);
            origin.is_none_or(|origin| host.is_none_or(|host| origin != host.as_str()))
        }
        (None, None) => false,
    }
}

/// Whether the browser shows what comes, as a consent page to which the service sent it. Such a request changes nothing, and
/// no other page can read the response.
fn opens_a_page(method: &Method, headers: &HeaderMap) -> bool {
    let navigates = headers
        .get("sec-fetch-mode")
        .is_some_and(|mode| mode == "navigate");
    navigates && matches!(*method, Method::GET | Method::HEAD)
}

fn refuse(reason: &str) -> Response {
    (StatusCode::FORBIDDEN, Json(json!({ "error": reason }))).into_response()
}
