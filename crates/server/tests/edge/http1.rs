//! HTTP/1 requests that two parsers could read differently (request smuggling). The service either reads one request,
//! or responds with 400 and closes the connection. It never serves the hidden request.

use crate::stage::Stage;

/// What stands in the body. It would be answered by 404 if it were read as a request.
const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";
/// The last request of every connection.
const LAST: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Read as one request, whose client id is unknown; then comes the last one.
const ONE: &[&str] = &["401", "200"];
/// Read as one request, and nothing after it is read.
const LAST_ONE: &[&str] = &["401"];
/// Refused, and nothing after it is read.
const REFUSED: &[&str] = &["400"];

/// A form of 200 bytes with the hidden request at its end.
fn form(client: usize) -> String {
    let start = format!("grant_type=client_credentials&client_secret=s&client_id=c{client}&a=");
    let fill = "-".repeat(200 - start.len() - HIDDEN.len());
    start + &fill + HIDDEN
}

/// The same in two chunks, with a trailer.
fn chunks(form: &str) -> String {
    let (first, second) = form.split_at(100);
    format!("64\r\n{first}\r\n64;a=\"b\"\r\n{second}\r\n0\r\nTrailer: 1\r\n\r\n")
}

/// Lines of a head, each with what is odd about them.
type Heads = &'static [(&'static str, &'static str)];

const LENGTHS: Heads = &[
    ("a length", "Content-Length: 200\r\n"),
    (
        "two equal lengths",
        "Content-Length: 200\r\nContent-Length: 200\r\n",
    ),
    (
        "lines that end with a line feed only",
        "A: b\nContent-Length: 200\n",
    ),
];
const CODINGS: Heads = &[
    ("chunks", "Transfer-Encoding: chunked\r\n"),
    ("chunks in capitals", "TRANSFER-ENCODING: CHUNKED\r\n"),
];
const BOTH: Heads = &[
    (
        "a length and chunks",
        "Content-Length: 200\r\nTransfer-Encoding: chunked\r\n",
    ),
    (
        "chunks and a length",
        "Transfer-Encoding: chunked\r\nContent-Length: 200\r\n",
    ),
];
const WRONG_LENGTHS: Heads = &[
    (
        "two lengths",
        "Content-Length: 200\r\nContent-Length: 7\r\n",
    ),
    ("a list of lengths", "Content-Length: 200, 200\r\n"),
    ("a length with a sign", "Content-Length: +200\r\n"),
    ("a negative length", "Content-Length: -200\r\n"),
    ("a length in hexadecimal", "Content-Length: 0xc8\r\n"),
    ("an empty length", "Content-Length:\r\n"),
    ("a length with a blank", "Content-Length: 20 0\r\n"),
    (
        "a length that does not fit",
        "Content-Length: 99999999999999999999999\r\n",
    ),
    ("a NUL in a length", "Content-Length: 200\0\r\n"),
    ("a folded length", "Content-Length:\r\n 200\r\n"),
    (
        "a fold behind a header",
        "A: b\r\n c\r\nContent-Length: 200\r\n",
    ),
    ("a blank before a colon", "Content-Length : 200\r\n"),
    ("a tab before a colon", "Content-Length\t: 200\r\n"),
    ("a lone carriage return", "A: b\rContent-Length: 200\r\n"),
    ("a header without a name", ": b\r\nContent-Length: 200\r\n"),
    ("a header without a colon", "A\r\nContent-Length: 200\r\n"),
    (
        "a length behind a line feed",
        "A: b\nContent-Length: 7\r\nContent-Length: 200\r\n",
    ),
    ("another host", "Host: other\r\nContent-Length: 200\r\n"),
    (
        "the same host twice",
        "Host: localhost\r\nContent-Length: 200\r\n",
    ),
];
const WRONG_CODINGS: Heads = &[
    (
        "another last coding",
        "Transfer-Encoding: chunked, gzip\r\n",
    ),
    (
        "another first coding",
        "Transfer-Encoding: gzip, chunked\r\n",
    ),
    (
        "chunks twice",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    ),
    (
        "chunks twice in one list",
        "Transfer-Encoding: chunked, chunked\r\n",
    ),
    ("the coding identity", "Transfer-Encoding: identity\r\n"),
    (
        "a coding that is almost chunks",
        "Transfer-Encoding: xchunked\r\n",
    ),
    (
        "a control character in a coding",
        "Transfer-Encoding: \x0bchunked\r\n",
    ),
    ("folded chunks", "Transfer-Encoding:\r\n chunked\r\n"),
    (
        "a blank before the colon of chunks",
        "Transfer-Encoding : chunked\r\n",
    ),
];

#[tokio::test]
async fn a_request_is_read_as_one_or_refused() {
    // The expected statuses, and whether the body is chunked.
    let heads = [
        (ONE, false, LENGTHS),
        (ONE, true, CODINGS),
        (LAST_ONE, true, BOTH),
        (REFUSED, false, WRONG_LENGTHS),
        (REFUSED, true, WRONG_CODINGS),
    ];
    let heads = heads.into_iter().flat_map(|(expected, in_chunks, heads)| {
        let heads = heads.iter();
        heads.map(move |(what, lines)| (expected, in_chunks, *what, *lines))
    });
    let stage = Stage::new().await;
    for (number, (expected, in_chunks, what, lines)) in heads.enumerate() {
        let form = form(number);
        let body = if in_chunks { chunks(&form) } else { form };
        let head = format!(
            "POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n{lines}\r\n"
        );
        let statuses = stage
            .statuses(format!("{head}{body}{LAST}").as_bytes())
            .await;
        assert_eq!(statuses, expected, "{what}");
    }
    stage.responds_to_everyone_else("after heads").await;
}

#[tokio::test]
async fn chunks_are_read_as_one_body_or_refused() {
    let stage = Stage::new().await;
    let head = "POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (what, body) in [
        ("a size that is no number", "x\r\nabc\r\n0\r\n\r\n"),
        ("a size with a sign", "+3\r\nabc\r\n0\r\n\r\n"),
        ("a negative size", "-3\r\nabc\r\n0\r\n\r\n"),
        ("a size with 0x", "0x3\r\nabc\r\n0\r\n\r\n"),
        ("an empty size", "\r\nabc\r\n0\r\n\r\n"),
        (
            "a size that does not fit",
            "fffffffffffffffff\r\nabc\r\n0\r\n\r\n",
        ),
        ("a blank in a size", "1 0\r\nabc\r\n0\r\n\r\n"),
        ("more than the size", "3\r\nabcd\r\n0\r\n\r\n"),
        ("less than the size", "5\r\nabc\r\n0\r\n\r\n"),
        ("a line feed in an extension", "3;a\nb\r\nabc\r\n0\r\n\r\n"),
        ("a size that ends with a line feed", "3\nabc\r\n0\r\n\r\n"),
        ("a chunk that ends with a line feed", "3\r\nabc\n0\r\n\r\n"),
    ] {
        let statuses = stage
            .statuses(format!("{head}{body}{HIDDEN}{LAST}").as_bytes())
            .await;
        // The handler that reads the invalid body rejects it.
        assert_eq!(statuses, REFUSED, "{what}");
    }
    stage.responds_to_everyone_else("after chunks").await;
}

#[tokio::test]
async fn a_request_names_one_host_in_one_way() {
    let stage = Stage::new().await;
    for (what, request) in [
        ("no host", "GET / HTTP/1.1\r\n\r\n"),
        ("an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        (
            "a host with a user",
            "GET / HTTP/1.1\r\nHost: a@localhost\r\n\r\n",
        ),
        (
            "a host with a path",
            "GET / HTTP/1.1\r\nHost: localhost/a\r\n\r\n",
        ),
        (
            "two hosts in HTTP/1.0",
            "GET / HTTP/1.0\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        ),
        (
            "chunks in HTTP/1.0",
            "POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ),
        (
            "a blank in the target",
            "GET / / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ),
        (
            "a tab in the target",
            "GET /\t/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ),
        (
            "a blank before the first header",
            "GET / HTTP/1.1\r\n Host: localhost\r\n\r\n",
        ),
        (
            "a version that there is not",
            "GET / HTTP/1.9\r\nHost: localhost\r\n\r\n",
        ),
    ] {
        let statuses = stage
            .statuses(format!("{request}{HIDDEN}{LAST}").as_bytes())
            .await;
        assert_eq!(statuses, REFUSED, "{what}");
    }
    // The host in the target takes precedence, and a page isn't served under another name.
    let rebound = "GET http://rebound.test/dashboard/sign-in HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let statuses = stage.statuses(format!("{rebound}{LAST}").as_bytes()).await;
    assert_eq!(statuses, ["403", "200"]);
}
