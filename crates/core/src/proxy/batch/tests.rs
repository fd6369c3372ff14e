//! Batches of client libraries are accepted. Anything that could hide a request is refused.

use url::Url;

use super::*;
use crate::product::ProxyRoute;

const RULES: ProxyRules = ProxyRules {
    routes: &[
        ProxyRoute::new("/v1", "api").rewrite("/demo/v1"),
        ProxyRoute::new("/people", "people"),
        ProxyRoute::new("/upload", "api").upload(),
        ProxyRoute::new("/batch", "api").batch(),
    ],
    refused: Some("/demo/v1/oauth"),
    takes_header: |name| name == "demo-version",
    takes_get_as_form: true,
    ..ProxyRules::BASE
};

const KIND: &str = "multipart/mixed; boundary=\"===b==\"";

fn checked(kind: &str, body: &str) -> Result<Batch> {
    let address = Address::Path {
        public_url: &Url::parse("https://stead.example").unwrap(),
        connection_name: "mail",
        identifier: "ada",
    };
    let headers =
        HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_str(kind).unwrap())]);
    check(&RULES, &address, &headers, body.as_bytes(), "ours")
}

/// Builds a batch from these requests, each as written in its part.
fn batch_of(requests: &[&str]) -> String {
    let part =
        |request: &&str| format!("--===b==\r\nContent-Type: application/http\r\n\r\n{request}\r\n");
    let parts: String = requests.iter().map(part).collect();
    format!("{parts}--===b==--\r\n")
}

#[track_caller]
fn check_refused(body: &str, part: &str) -> ErrorKind {
    let error = checked(KIND, body).expect_err(part);
    assert!(error.message().contains(part), "{part}: {error}");
    assert_eq!(error.kind().status(), 400, "{part}");
    error.kind()
}

#[test]
fn a_batch_as_a_client_library_writes_it_is_written_once_more() {
    // Lines end with a line feed only, one path is below the base URL, and parts have headers and credentials.
    let body = "--===b==\nContent-Type: application/http\nMIME-Version: 1.0\nContent-Transfer-Encoding: binary\n\
        Content-ID: <1d6f + 1>\n\nGET /proxy/mail/ada/v1/notes/1?alt=json HTTP/1.1\nContent-Type: application/json\n\
        MIME-Version: 1.0\naccept: application/json\naccept-encoding: gzip, deflate\nauthorization: Bearer canary\n\
        user-agent: (gzip)\nHost: stead.example\n\n\n\
        --===b==\nContent-Type: application/http\nContent-ID: <1d6f + 2>\n\n\
        PATCH /v1/notes/2 HTTP/1.1\nContent-Type: application/json\nIf-Match: \"e\"\nCookie: a=b\n\
        Content-Length: 9\n\n{\"a\": \"b\"}\n--===b==\nContent-Type: application/http\n\nDELETE /v1/notes/3\n\
        --===b==--";
    let body = body.replace("Content-Length: 9", "Content-Length: 10");
    let batch = checked(KIND, &body).unwrap();
    assert_eq!(batch.content_type, "multipart/mixed; boundary=ours");
    assert_eq!(batch.origin, "api");
    let parts: Vec<String> = batch
        .parts
        .iter()
        .map(|part| format!("{} {}", part.method, part.path))
        .collect();
    assert_eq!(
        parts,
        [
            "GET /demo/v1/notes/1",
            "PATCH /demo/v1/notes/2",
            "DELETE /demo/v1/notes/3"
        ]
    );
    let expected = [
        "--ours",
        "Content-Type: application/http",
        "Content-ID: <1d6f + 1>",
        "",
        "GET /demo/v1/notes/1?alt=json HTTP/1.1",
        "content-type: application/json",
        "accept: application/json",
        "",
        "",
        "--ours",
        "Content-Type: application/http",
        "Content-ID: <1d6f + 2>",
        "",
        "PATCH /demo/v1/notes/2 HTTP/1.1",
        "content-type: application/json",
        "if-match: \"e\"",
        "content-length: 10",
        "",
        "{\"a\": \"b\"}",
        "--ours",
        "Content-Type: application/http",
        "",
        "DELETE /demo/v1/notes/3 HTTP/1.1",
        "",
        "",
        "--ours--",
        "",
    ];
    assert_eq!(
        String::from_utf8(batch.body.to_vec()).unwrap(),
        expected.join("\r\n")
    );
}

#[test]
fn each_part_of_a_batch_is_checked_like_a_single_request() {
    use ErrorKind::{HeaderNotAllowed, InvalidRequest, PathInvalid};
    const GOOD: &str = "GET /v1/notes HTTP/1.1\r\n\r\n";
    let refused = |request: &str, why: &str, kind| {
        let found = check_refused(&batch_of(&[GOOD, request]), why);
        assert_eq!(found, kind, "{request}");
        check_refused(&batch_of(&[GOOD, request]), "part 2 of the batch");
    };
    for (request, why) in [
        ("GET /elsewhere HTTP/1.1", "no route"),
        ("GET /v1/../x HTTP/1.1", "dot segment"),
        ("GET /v1/%6eotes HTTP/1.1", "an escape for 'n'"),
        ("GET /v1/x?access_token=a HTTP/1.1", "query parameter"),
        ("GET /v1/oauth;a/token HTTP/1.1", "OAuth endpoints"),
        ("GET /proxy/mail/grace/v1/x HTTP/1.1", "this connection"),
        ("GET https://evil.test/v1/x HTTP/1.1", "this connection"),
    ] {
        refused(request, why, PathInvalid);
    }
    for (request, why) in [
        ("TRACE /v1/notes HTTP/1.1", "the method"),
        ("POST /upload/x HTTP/1.1", "uploads or batches"),
        ("POST /batch HTTP/1.1", "uploads or batches"),
        ("GET /people HTTP/1.1", "the same API"),
        ("GET /v1/a b HTTP/1.1", "request line"),
        ("GET /v1/notes HTTP/1.1 x", "request line"),
        ("GET", "request line"),
        ("", "request line"),
    ] {
        refused(request, why, InvalidRequest);
    }
    for (method, header, why) in [
        ("GET", "X-HTTP-Method-Override: DELETE", "method"),
        ("POST", "X-HTTP-Method-Override: GET", "method"),
        ("POST", "Content-Length: +1\r\n\r\na", "content-length"),
    ] {
        let request = format!("{method} /v1/notes HTTP/1.1\r\n{header}");
        refused(&request, why, HeaderNotAllowed);
    }
    for (method, header, why) in [
        ("GET", "Transfer-Encoding: chunked", "chunked"),
        ("GET", "no header", "isn't a header"),
        ("GET", "Accept: a\r\n folded", "isn't a header"),
        ("POST", "Content-Length: 3\r\n\r\nab", "differs from its"),
        ("POST", "Content-Length: 1\r\n\r\nab", "differs from its"),
    ] {
        let request = format!("{method} /v1/notes HTTP/1.1\r\n{header}");
        refused(&request, why, InvalidRequest);
    }
}

#[test]
fn an_invalid_batch_is_refused() {
    let good = batch_of(&["GET /v1/notes"]);
    for kind in [
        "application/json",
        "multipart/mixed",
        "multipart/mixed; boundary=",
        "multipart/related; boundary===b==",
    ] {
        assert!(checked(kind, &good).is_err(), "{kind}");
    }
    assert!(checked("Multipart/Mixed; charset=utf-8; Boundary====b==", &good).is_ok());
    check_refused("", "closing delimiter");
    check_refused(&batch_of(&[]), "no request");
    check_refused(good.trim_end().trim_end_matches("--"), "closing delimiter");
    check_refused(
        &good.replace("application/http", "text/plain"),
        "application/http",
    );
    let encoded = "application/http\r\nContent-Transfer-Encoding: base64";
    check_refused(
        &good.replace("application/http", encoded),
        "transfer encoding",
    );
    let twice = "application/http\r\nContent-ID: a\r\nContent-ID: b";
    check_refused(&good.replace("application/http", twice), "Content-ID");
    check_refused(&batch_of(&vec!["GET /v1/notes"; 1001]), "at most 1000");
    let many = format!("GET /v1/notes HTTP/1.1\r\n{}", "a: b\r\n".repeat(101));
    check_refused(&batch_of(&[&many]), "header lines");
}

#[test]
fn a_part_hidden_in_another_is_checked() {
    let hidden = "--===b==\r\nContent-Type: application/http\r\n\r\nDELETE /v1/notes HTTP/1.1\r\n";
    let request = format!("POST /v1/notes HTTP/1.1\r\n\r\n{hidden}");
    let batch = checked(KIND, &batch_of(&[&request])).unwrap();
    let methods: Vec<&str> = batch
        .parts
        .iter()
        .map(|part| part.method.as_str())
        .collect();
    assert_eq!(methods, ["POST", "DELETE"]);
}
