//! Which response headers are forwarded, and where a response can redirect to.

use super::*;

fn map(headers: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(*name, HeaderValue::from_static(value));
    }
    map
}

/// The remaining headers, without the one that is always set.
#[track_caller]
fn left(headers: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut left = response_headers(map(headers));
    assert_eq!(left.remove("x-content-type-options").unwrap(), "nosniff");
    assert_eq!(left.remove("cache-control").unwrap(), "private");
    left
}

#[test]
fn no_shared_cache_keeps_a_users_response() {
    for (given, expected) in [
        (&[][..], "private"),
        (&["public, max-age=600"], "private, max-age=600"),
        (&["PUBLIC"], "private"),
        (&["no-store"], "private, no-store"),
        (
            &["s-maxage=60, must-revalidate"],
            "private, must-revalidate",
        ),
        (
            &["private=\"x\", max-age=1", "public"],
            "private, max-age=1",
        ),
        (
            &["no-cache=\"a, b\", , proxy-revalidate"],
            "private, no-cache=\"a, b\"",
        ),
    ] as [(&[&'static str], &str); 7]
    {
        let given: Vec<_> = given
            .iter()
            .map(|value| ("cache-control", *value))
            .collect();
        let mut given = map(&given);
        given.insert("etag", HeaderValue::from_static("\"a\""));
        let left = response_headers(given);
        let values: Vec<_> = left.get_all("cache-control").iter().collect();
        assert_eq!(values, [expected]);
        assert_eq!(
            left["etag"], "\"a\"",
            "what a caller revalidates with stays"
        );
    }
    for name in [
        "cdn-cache-control",
        "surrogate-control",
        "x-cdn-cache-control",
    ] {
        assert_eq!(left(&[(name, "max-age=600")]), HeaderMap::new(), "{name}");
    }
}

#[test]
fn headers_for_the_caller_are_kept() {
    let given = [
        ("content-type", "application/json; charset=UTF-8"),
        ("content-length", "12"),
        ("content-encoding", "gzip"),
        ("etag", "\"a\""),
        ("vary", "Origin"),
        ("vary", "X-Origin"),
        ("retry-after", "3"),
        ("x-demo-request-id", "r"),
        ("link", "</x>; rel=next"),
        ("location", "/created/1"),
    ];
    assert_eq!(left(&given), map(&given));
}

#[test]
fn unsafe_response_headers_are_removed() {
    for name in [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "set-cookie",
        "set-cookie2",
        "www-authenticate",
        "authentication-info",
        "access-control-allow-origin",
        "access-control-anything",
        "strict-transport-security",
        "alt-svc",
        "server-timing",
        "content-security-policy",
        "content-security-policy-report-only",
        "clear-site-data",
        "refresh",
        "nel",
        "report-to",
        "service-worker-allowed",
        "stead-error",
        "stead-request-id",
    ] {
        let given = [(name, "a"), ("etag", "e"), (name, "b")];
        assert_eq!(left(&given), map(&[("etag", "e")]), "{name}");
    }
}

/// The status and `Location` that the caller gets. Every address of the product leads through the proxy here.
fn passed(
    kind: RouteKind,
    status: u16,
    location: Option<&'static str>,
) -> Result<(u16, Option<String>)> {
    let mut response = http::Response::new(Body::Empty);
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    if let Some(location) = location {
        let location = HeaderValue::from_static(location);
        response.headers_mut().insert(header::LOCATION, location);
    }
    let here = |location: &str| {
        let path = location.strip_prefix("https://api.demo.test")?;
        Some(format!("https://stead.test/proxy/demo/ada{path}"))
    };
    let response = passed_on(response, kind, here)?;
    let location = response.headers().get(header::LOCATION);
    let location = location.map(|location| location.to_str().unwrap().to_owned());
    Ok((response.status().as_u16(), location))
}

#[test]
fn an_upload_session_stays_at_stead_or_is_refused() {
    use RouteKind::{Batch, Plain, Upload};
    const SESSION: Option<&str> = Some("https://api.demo.test/upload?upload_id=1");
    const ELSEWHERE: Option<&str> = Some("https://evil.test/upload?upload_id=1");
    let here = || {
        Some(String::from(
            "https://stead.test/proxy/demo/ada/upload?upload_id=1",
        ))
    };
    assert_eq!(passed(Upload, 308, None).unwrap(), (308, None));
    for status in [200, 201, 308] {
        assert_eq!(passed(Upload, status, SESSION).unwrap(), (status, here()));
    }
    for (kind, status, location) in [
        (Upload, 308, ELSEWHERE),
        (Upload, 307, SESSION),
        (Upload, 302, None),
        (Plain, 308, None),
        (Plain, 308, SESSION),
        (Batch, 308, None),
        (Plain, 302, ELSEWHERE),
    ] {
        let error = passed(kind, status, location).unwrap_err();
        assert_eq!(
            error.kind(),
            ErrorKind::UpstreamRedirectBlocked,
            "{kind:?} {status}"
        );
    }
    // The request was carried out, so its status stays. Only the location is removed.
    assert_eq!(passed(Upload, 200, ELSEWHERE).unwrap(), (200, None));
    assert_eq!(passed(Upload, 503, ELSEWHERE).unwrap(), (503, None));
    assert_eq!(passed(Plain, 201, SESSION).unwrap(), (201, here()));
    let named = ELSEWHERE.map(str::to_owned);
    assert_eq!(passed(Plain, 201, ELSEWHERE).unwrap(), (201, named));
    assert_eq!(passed(Plain, 304, None).unwrap(), (304, None));
}

#[test]
fn v61_a_page_with_a_cookie_becomes_a_file() {
    let left = left(&[
        ("set-cookie", "a=b"),
        ("content-type", "text/html; charset=utf-8"),
    ]);
    assert_eq!(left.get("set-cookie"), None);
    assert_eq!(left["content-disposition"], "attachment");
}

#[test]
fn v62_headers_that_the_connection_names_are_taken_off() {
    let given = [
        ("connection", "close, X-Foo"),
        ("connection", " x-bar ,,bad name"),
        ("x-foo", "1"),
        ("x-foo", "2"),
        ("x-bar", "3"),
        ("x-baz", "4"),
    ];
    assert_eq!(left(&given), map(&[("x-baz", "4")]));
}

#[test]
fn active_content_becomes_an_attachment() {
    for kind in [
        "text/html",
        "TEXT/HTML",
        "application/xhtml+xml",
        "image/svg+xml",
        "text/xml",
        "application/atom+xml",
        "text/xsl",
        "multipart/x-mixed-replace; boundary=a",
        "text/plain, text/html",
    ] {
        assert_eq!(
            left(&[("content-type", kind)])["content-disposition"],
            "attachment",
            "{kind}"
        );
    }
    let mut unreadable = HeaderMap::new();
    unreadable.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_bytes(b"text/\xFF").unwrap(),
    );
    assert_eq!(
        response_headers(unreadable)["content-disposition"],
        "attachment"
    );
    let two = left(&[
        ("content-type", "text/plain"),
        ("content-type", "text/html"),
    ]);
    assert_eq!(two["content-disposition"], "attachment");
    for kind in [
        "application/json",
        "text/plain",
        "image/png",
        "application/pdf",
        "message/rfc822",
    ] {
        assert_eq!(
            left(&[("content-type", kind)]).get("content-disposition"),
            None,
            "{kind}"
        );
    }
}

#[test]
fn an_attachment_keeps_its_name_and_other_dispositions_are_replaced() {
    let named = "Attachment ; filename=\"a.html\"";
    let kept = left(&[
        ("content-type", "text/html"),
        ("content-disposition", named),
    ]);
    assert_eq!(kept["content-disposition"], named);
    for shown in ["inline", "inline; filename=attachment", "attachmentx", ""] {
        let left = left(&[
            ("content-type", "text/html"),
            ("content-disposition", shown),
        ]);
        assert_eq!(left["content-disposition"], "attachment", "{shown}");
    }
    let two = left(&[
        ("content-type", "text/html"),
        ("content-disposition", "attachment"),
        ("content-disposition", "inline"),
    ]);
    assert_eq!(two.get_all("content-disposition").iter().count(), 1);
    let json = left(&[
        ("content-type", "application/json"),
        ("content-disposition", "inline"),
    ]);
    assert_eq!(json["content-disposition"], "inline");
}

#[test]
fn a_sniffing_policy_of_the_products_own_does_not_stay() {
    let left = response_headers(map(&[
        ("x-content-type-options", "sniff"),
        ("x-content-type-options", "b"),
    ]));
    assert_eq!(
        left.get_all("x-content-type-options")
            .iter()
            .collect::<Vec<_>>(),
        ["nosniff"]
    );
}

#[test]
fn the_host_of_a_redirect_is_read_as_a_browser_reads_it() {
    let host = |location| redirect_host(&map(&[("location", location)]));
    for (location, expected) in [
        ("https://Evil.Test:8443/path?token=canary#f", "evil.test"),
        ("http://127.0.0.1/x", "127.0.0.1"),
        ("http://[::1]/x", "[::1]"),
        ("//evil.test/x", "evil.test"),
        ("/\\evil.test/x", "evil.test"),
        ("https:\\\\evil.test", "evil.test"),
        ("https://user:canary@evil.test/", "evil.test"),
        ("https://xn--bcher-kva.test/", "xn--bcher-kva.test"),
    ] {
        assert_eq!(host(location).as_deref(), Some(expected), "{location}");
    }
    for location in [
        "/relative",
        "",
        "?a=b",
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://evil.test/",
    ] {
        assert_eq!(host(location), None, "{location}");
    }
    let long = format!("https://{}test", "a.".repeat(200));
    let long = HeaderMap::from_iter([(header::LOCATION, HeaderValue::from_str(&long).unwrap())]);
    assert_eq!(redirect_host(&long), None);
    assert_eq!(redirect_host(&HeaderMap::new()), None);
    let mut unreadable = HeaderMap::new();
    unreadable.insert(
        header::LOCATION,
        HeaderValue::from_bytes(b"https://\xFF.test/").unwrap(),
    );
    assert_eq!(redirect_host(&unreadable), None);
}

#[test]
fn a_change_of_protocol_is_refused() {
    let mut response = http::Response::new(Body::Empty);
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let error = passed_on(response, RouteKind::Plain, |_| None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ProductProtocolError);
}
