//! Requests that arrive together, and the rest of a request. `tests/edge` has the requests that two readers could read
//! differently.

use super::tests::{ask, closed_after, connected};

/// Sent after every request. If the request ended too early, this would be served as a request of its own.
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
