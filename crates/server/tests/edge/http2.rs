//! HTTP/2 callers who try to exhaust a service that everyone shares. The service disconnects floods, and open streams
//! hold no resources that others need. Everyone else still gets responses.

use crate::{
    http2_caller::{
        CONTINUATION, Caller, DATA, END_HEADERS, END_STREAM, HEADERS, NO_WINDOW, PING, RST_STREAM,
        SETTINGS, WINDOW_UPDATE, frame, headers,
    },
    stage::Stage,
};

/// RFC 9113, section 7.
const ENHANCE_YOUR_CALM: u32 = 11;
/// So many frames at most: a flood is recognised much earlier.
const FLOOD: u32 = 20_000;
const CONNECTIONS: usize = 52;
const STREAMS: u32 = 195;

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
/// An address of its own, so that the service can tell it from those who behave.
const SOURCE: (&str, &str) = ("x-forwarded-for", "198.51.100.9");

/// The number of a caller's stream.
fn stream(number: u32) -> u32 {
    2 * number + 1
}

fn get(stream: u32, path: &str) -> Vec<u8> {
    let block = headers("GET", path, &[SOURCE]);
    frame(HEADERS, END_HEADERS | END_STREAM, stream, &block)
}

/// The head of a form whose body is still to come.
fn post(stream: u32) -> Vec<u8> {
    let block = headers("POST", "/oauth/token", &[FORM, SOURCE]);
    frame(HEADERS, END_HEADERS, stream, &block)
}

#[tokio::test]
async fn streams_without_a_window_do_not_block_others() {
    const PATHS: [&str; 4] = [
        "/",
        "/openapi.json",
        "/dashboard/sign-in",
        "/.well-known/oauth-protected-resource",
    ];
    let stage = Stage::new().await;
    let mut callers = Vec::new();
    for _ in 0..CONNECTIONS {
        let caller = Caller::connect(&stage, NO_WINDOW).await;
        let requests = (0..STREAMS).zip(PATHS.iter().cycle());
        let requests: Vec<u8> = requests
            .flat_map(|(number, path)| get(stream(number), path))
            .collect();
        assert!(caller.send(&requests).await);
        callers.push(caller);
    }
    for caller in &callers {
        caller.has_responses(STREAMS as usize).await;
    }
    stage
        .responds_to_everyone_else("with responses that have no window")
        .await;
    assert!(callers.iter().all(|caller| !caller.is_over()));
}

#[tokio::test]
async fn missing_bodies_do_not_block_others() {
    let stage = Stage::new().await;
    let mut callers = Vec::new();
    for _ in 0..CONNECTIONS {
        let caller = Caller::connect(&stage, &[]).await;
        let heads: Vec<u8> = (0..STREAMS)
            .flat_map(|number| post(stream(number)))
            .collect();
        assert!(caller.send(&heads).await);
        callers.push(caller);
    }
    // A network gets a few dozen places. All other requests are rejected.
    for caller in &callers {
        caller.has_responses(STREAMS as usize - 64).await;
    }
    stage
        .responds_to_everyone_else("with bodies that do not come")
        .await;
}

#[tokio::test]
async fn endless_heads_do_not_block_others() {
    let stage = Stage::new().await;
    let mut callers = Vec::new();
    for _ in 0..CONNECTIONS {
        let caller = Caller::connect(&stage, &[]).await;
        let block = headers("GET", "/", &[SOURCE]);
        let (first, second) = block.split_at(10);
        let head = frame(HEADERS, END_STREAM, 1, first);
        let more = frame(CONTINUATION, 0, 1, second);
        assert!(caller.send(&[head, more].concat()).await);
        callers.push(caller);
    }
    stage
        .responds_to_everyone_else("with heads that do not end")
        .await;
}

/// One header of 4,000 bytes, and then the same thousands of times by its number.
fn bomb(stream: u32) -> Vec<u8> {
    let mut block = headers("GET", "/", &[]);
    block.extend([0x40, 1, b'a', 0x7f, 0xa1, 0x1e]);
    block.extend([b'b'; 4000]);
    block.extend([0xbe; 10_000]);
    frame(HEADERS, END_HEADERS | END_STREAM, stream, &block)
}

/// The frames of one attack, by the number of the try.
type Frames<'a> = &'a dyn Fn(u32) -> Vec<u8>;

#[tokio::test]
async fn flooding_callers_are_disconnected() {
    let continuation = headers("GET", "/", &[("a", &"b".repeat(60))]);
    let floods: [(&str, Frames<'_>); 5] = [
        ("requests that are reset at once", &|number| {
            let reset = frame(RST_STREAM, 0, stream(number), &[0, 0, 0, 8]);
            [get(stream(number), "/"), reset].concat()
        }),
        (
            "requests whose caller makes the service reset them",
            &|number| {
                let too_much = [0x7f, 0xff, 0xff, 0xff];
                let too_much = frame(WINDOW_UPDATE, 0, stream(number), &too_much);
                [post(stream(number)), too_much].concat()
            },
        ),
        ("a head without an end", &|number| match number {
            0 => frame(HEADERS, END_STREAM, 1, &continuation),
            _ => frame(CONTINUATION, 0, 1, &[0, 1, b'a', 1, b'b']),
        }),
        ("empty pieces of a body", &|number| match number {
            0 => post(1),
            _ => frame(DATA, 0, 1, &[]),
        }),
        (
            "heads that are small only when they are packed",
            &|number| bomb(stream(number)),
        ),
    ];
    let stage = Stage::new().await;
    for (what, flood) in floods {
        let caller = Caller::connect(&stage, &[]).await;
        let mut number = 0;
        while number < FLOOD && !caller.is_over() && caller.send(&flood(number)).await {
            number += 1;
        }
        let code = caller.goes_away().await;
        assert_eq!(code, Some(ENHANCE_YOUR_CALM), "{what}: {number}");
        stage.responds_to_everyone_else(what).await;
    }
}

#[tokio::test]
async fn cheap_frames_are_answered_and_do_not_block_others() {
    let stage = Stage::new().await;
    for (what, flood) in [
        ("pings", frame(PING, 0, 0, &[7; 8])),
        ("settings", frame(SETTINGS, 0, 0, NO_WINDOW)),
    ] {
        let caller = Caller::connect(&stage, &[]).await;
        for _ in 0..FLOOD {
            assert!(caller.send(&flood).await, "{what}");
        }
        stage.responds_to_everyone_else(what).await;
        assert!(caller.send(&get(1, "/healthz")).await, "{what}");
        caller.has_responses(1).await;
    }
}
