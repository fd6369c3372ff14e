//! The product's headers on their way back to the caller.
//!
//! The response comes from Stead's own host, which also serves the dashboard. A product may set some headers only for
//! its own host: those about a connection, those that apply to a whole host, and those that make a browser run the
//! response. Stead removes them.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use url::Url;

use crate::{Error, ErrorKind, Result, error::Upstream, ports::Body, product::RouteKind};

/// Builds the response that the caller gets. `here` translates an address of the product into one of ours, if there is
/// one.
///
/// An upload may take several requests: status 308 without a `Location` says how much has arrived, and `Location` says
/// where the rest goes. That address must lead through this proxy, because a client library sends the caller's token
/// along. Any other `Location` is removed, but the rest of the product's response stays.
///
/// # Errors
/// [`ErrorKind::UpstreamRedirectBlocked`]: the response would lead credentials elsewhere;
/// [`ErrorKind::ProductProtocolError`]: it changes to another protocol.
pub(crate) fn passed_on(
    response: http::Response<Body>,
    kind: RouteKind,
    here: impl Fn(&str) -> Option<String>,
) -> Result<http::Response<Body>> {
    let (mut head, body) = response.into_parts();
    if head.status.is_informational() {
        let message = "the product switched to another protocol, which Stead didn't ask for";
        return Err(Error::new(ErrorKind::ProductProtocolError, message)
            .with_upstream(Upstream::new(head.status.as_u16())));
    }
    let location = head.headers.get(header::LOCATION);
    let moved = location
        .and_then(|location| here(location.to_str().ok()?))
        .and_then(|moved| HeaderValue::try_from(moved).ok());
    let is_upload = kind == RouteKind::Upload;
    let stays = location.is_none() || moved.is_some();
    let redirects = head.status.is_redirection() && head.status != StatusCode::NOT_MODIFIED;
    let may_redirect = is_upload && head.status == StatusCode::PERMANENT_REDIRECT && stays;
    if redirects && !may_redirect {
        let host =
            redirect_host(&head.headers).unwrap_or_else(|| String::from("an unknown address"));
        return Err(Error::new(
            ErrorKind::UpstreamRedirectBlocked,
            format!(
                "the product redirects to {host}; Stead doesn't send credentials to the new address"
            ),
        )
        .with_upstream(Upstream::new(head.status.as_u16())));
    }
    if let Some(moved) = moved {
        head.headers.insert(header::LOCATION, moved);
    } else if is_upload {
        head.headers.remove(header::LOCATION);
    }
    head.headers = response_headers(head.headers);
    Ok(http::Response::from_parts(head, body))
}

/// Removes headers that aren't meant for the caller, and keeps a browser from running the content.
fn response_headers(from: HeaderMap) -> HeaderMap {
    let mut headers = from;
    remove_nominated(&mut headers);
    // Removing them one by one allocates nothing, and a response has only a few.
    while let Some(name) = headers
        .keys()
        .find(|name| !is_common(name) && is_withheld(name.as_str()))
        .cloned()
    {
        headers.remove(name);
    }
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    let cache_control = for_this_caller_only(&headers);
    headers.insert(header::CACHE_CONTROL, cache_control);
    if runs_in_a_browser(&headers) && !is_attachment(&headers) {
        headers.insert(
            header::CONTENT_DISPOSITION,
            HeaderValue::from_static("attachment"),
        );
    }
    headers
}

/// Returns `Cache-Control` without directives that let a cache give one user's response to another (RFC 9111, section
/// 5.2.2).
fn for_this_caller_only(headers: &HeaderMap) -> HeaderValue {
    const SHARED: [&str; 4] = ["public", "private", "s-maxage", "proxy-revalidate"];
    if !headers.contains_key(header::CACHE_CONTROL) {
        return HeaderValue::from_static("private");
    }
    let mut kept = String::from("private");
    let given = headers.get_all(header::CACHE_CONTROL).iter();
    let directives = given
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    for directive in directives.map(str::trim) {
        let name = directive.split('=').next().unwrap_or_default().trim_end();
        let is_shared = SHARED
            .iter()
            .any(|shared| name.eq_ignore_ascii_case(shared));
        if !directive.is_empty() && !is_shared {
            kept.push_str(", ");
            kept.push_str(directive);
        }
    }
    HeaderValue::try_from(kept).unwrap_or(HeaderValue::from_static("private, no-store"))
}

/// Returns the host of the redirect in `Location`, for a message: lower case, ASCII, without user, port, path or query.
/// `None` if the redirect stays on the product's host or doesn't lead to a web host.
fn redirect_host(headers: &HeaderMap) -> Option<String> {
    let location = headers.get(header::LOCATION)?.to_str().ok()?;
    // A reserved name (RFC 2606, section 2) stands for the product's host, so that relative locations can be resolved.
    let base = Url::parse("https://product.invalid").ok()?;
    let target = base.join(location).ok()?;
    let host = target.host_str()?;
    let of_the_web = matches!(target.scheme(), "https" | "http");
    (of_the_web && host.len() <= 253 && base.host_str() != Some(host)).then(|| host.to_owned())
}

/// Removes the headers that `Connection` names (RFC 9110, section 7.6.1).
fn remove_nominated(headers: &mut HeaderMap) {
    let nominated: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
        .filter(|option| {
            !option.eq_ignore_ascii_case(b"keep-alive") && !option.eq_ignore_ascii_case(b"close")
        })
        .filter_map(|option| HeaderName::from_bytes(option).ok())
        .collect();
    for name in nominated {
        headers.remove(name);
    }
}

/// Whether it's one of the headers that most responses have. They all pass, and the check only compares numbers.
fn is_common(name: &HeaderName) -> bool {
    const COMMON: [&HeaderName; 9] = [
        &header::CONTENT_TYPE,
        &header::CONTENT_LENGTH,
        &header::DATE,
        &header::SERVER,
        &header::ETAG,
        &header::VARY,
        &header::CACHE_CONTROL,
        &header::CONTENT_ENCODING,
        &header::EXPIRES,
    ];
    COMMON.contains(&name)
}

/// Whether a header (in lower case) is withheld from the caller.
fn is_withheld(name: &str) -> bool {
    matches!(
        name,
        // About one connection (RFC 9110, section 7.6.1).
        "connection" | "keep-alive" | "proxy-connection" | "te" | "trailer" | "transfer-encoding" | "upgrade"
        // About credentials, which only Stead exchanges with the product.
        | "authentication-info" | "proxy-authenticate" | "proxy-authentication-info" | "proxy-authorization"
        | "www-authenticate"
        // About the whole host, which for the browser is Stead's.
        | "accept-ch" | "alt-svc" | "clear-site-data" | "critical-ch" | "expect-ct" | "nel" | "origin-agent-cluster"
        | "origin-trial" | "public-key-pins" | "public-key-pins-report-only" | "report-to" | "reporting-endpoints"
        | "service-worker-allowed" | "set-cookie" | "set-cookie2" | "strict-transport-security"
        // About a page, or about the product's internals.
        | "refresh" | "server-timing"
        // For caches in front of this service.
        | "edge-control" | "surrogate-control"
    ) || name.ends_with("cdn-cache-control")
        // Set by this service itself.
        || name.starts_with("stead-")
        || name.starts_with("access-control-")
        || name.starts_with("content-security-policy")
}

/// Whether a browser would run or render the response as a document: HTML, SVG, any XML, and the stream of documents in
/// `multipart/x-mixed-replace`. Unreadable types count as such.
fn runs_in_a_browser(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::CONTENT_TYPE)
        .iter()
        .any(|value| match value.to_str() {
            // The usual types of products' responses.
            Ok("application/json" | "application/json; charset=UTF-8") => false,
            Ok(kind) => ["html", "svg", "xml", "xsl", "mixed-replace"]
                .iter()
                .any(|part| contains_ignoring_case(kind, part)),
            Err(_) => true,
        })
}

fn contains_ignoring_case(text: &str, part: &str) -> bool {
    text.as_bytes()
        .windows(part.len())
        .any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// Whether the product itself marks the response as a download. Its file name then stays.
fn is_attachment(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_DISPOSITION).iter();
    let first = values.next();
    values.next().is_none()
        && first.is_some_and(|value| {
            let kind = value.as_bytes().split(|byte| *byte == b';').next();
            kind.is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"attachment"))
        })
}

#[cfg(test)]
mod tests;
