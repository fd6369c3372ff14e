//! Requests whose end, or whose host, two readers could see in different places: each gets 400, the connection is closed,
//! and what came behind is not served.

use super::tests::{ask, closed_after, connected};

/// Sent behind every request: it would be served as one of its own where the request ended earlier than it should.
const SMUGGLED: &str = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/// The statuses of all responses until the server closes the connection.
async fn statuses(request: &str) -> Vec<String> {
    let mut caller = connected();
    let mut said = String::new();
    let mut response = ask(&mut caller, &format!("{request}{SMUGGLED}")).await;
    while !response.is_empty() {
        said.push_str(&response);
        if !said.ends_with("done") {
            break;
        }
        response = ask(&mut caller, "").await;
    }
    let statuses = said
        .split("HTTP/1.")
        .filter_map(|response| response.get(2..5))
        .map(str::to_owned)
        .collect();
    assert_eq!(closed_after(&mut caller).await, 0, "{request:?}");
    statuses
}

#[tokio::test(start_paused = true)]
async fn a_request_that_can_be_read_in_two_ways_is_refused_and_nothing_behind_it_is_served() {
    for (what, lines) in [
        (
            "a length and chunks",
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        ),
        (
            "chunks and a length",
            "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        ),
        (
            "two equal lengths",
            "Content-Length: 3\r\nContent-Length: 3\r\n",
        ),
        ("two lengths", "Content-Length: 3\r\nContent-Length: 4\r\n"),
        ("a list of lengths", "Content-Length: 3, 3\r\n"),
        ("a length with a sign", "Content-Length: +3\r\n"),
        ("a negative length", "Content-Length: -3\r\n"),
        ("a length in hexadecimal", "Content-Length: 0x3\r\n"),
        ("an empty length", "Content-Length:\r\n"),
        ("a length with a blank", "Content-Length: 3 0\r\n"),
        (
            "a length that does not fit",
            "Content-Length: 99999999999999999999999\r\n",
        ),
        ("a blank before the colon", "Content-Length : 3\r\n"),
        (
            "a blank before the colon of chunks",
            "Transfer-Encoding : chunked\r\n",
        ),
        ("a folded length", "Content-Length:\r\n 3\r\n"),
        ("folded chunks", "Transfer-Encoding:\r\n chunked\r\n"),
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
            "chunks in one list twice",
            "Transfer-Encoding: chunked, chunked\r\n",
        ),
        ("the coding identity", "Transfer-Encoding: identity\r\n"),
        (
            "a coding with a control character",
            "Transfer-Encoding: \x0bchunked\r\n",
        ),
        ("a NUL in a length", "Content-Length: 3\0\r\n"),
        ("a lone carriage return", "A: b\rContent-Length: 3\r\n"),
        ("a header without a name", ": b\r\n"),
        ("a header without a colon", "Content-Length\r\n"),
        ("another host", "Host: y\r\n"),
        ("the same host twice", "Host: x\r\n"),
    ] {
        let request = format!("POST / HTTP/1.1\r\nHost: x\r\n{lines}\r\n0\r\n\r\n");
        assert_eq!(statuses(&request).await, ["400"], "{what}");
    }
    for (what, request) in [
        ("no host", "GET / HTTP/1.1\r\n\r\n"),
        ("an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
        ("a host with a user", "GET / HTTP/1.1\r\nHost: a@x\r\n\r\n"),
        ("two hosts", "GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n"),
        (
            "chunks in HTTP/1.0",
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        ),
        (
            "a blank in the target",
            "GET / / HTTP/1.1\r\nHost: x\r\n\r\n",
        ),
        (
            "a blank before the first header",
            "GET / HTTP/1.1\r\n Host: x\r\n\r\n",
        ),
        (
            "a version that there is not",
            "GET / HTTP/1.9\r\nHost: x\r\n\r\n",
        ),
    ] {
        assert_eq!(statuses(request).await, ["400"], "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_second_of_two_requests_that_came_together_is_checked_as_the_first_is() {
    let pair = format!(
        "{SMUGGLED}POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    );
    assert_eq!(statuses(&pair).await, ["200", "400"]);
}

#[tokio::test(start_paused = true)]
async fn requests_that_come_together_are_answered_in_turn() {
    let mut caller = connected();
    let chunked =
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    let first = ask(&mut caller, &format!("{chunked}{SMUGGLED}{chunked}")).await;
    let mut said = first;
    while said.matches("done").count() < 3 {
        said.push_str(&ask(&mut caller, "").await);
    }
    assert_eq!(said.matches("HTTP/1.1 200 OK").count(), 3, "{said}");
    assert_eq!(closed_after(&mut caller).await, 90);
}

#[tokio::test(start_paused = true)]
async fn the_rest_of_a_body_is_not_read_as_a_head() {
    let mut caller = connected();
    let response = ask(
        &mut caller,
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n",
    )
    .await;
    assert!(response.starts_with("HTTP/1.1 200 OK"), "{response}");
    assert_eq!(closed_after(&mut caller).await, 0, "nothing more is read");
}
