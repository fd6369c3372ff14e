//! One request out, the head of its response back.

use std::{
    future::Future,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::TryStreamExt as _;
use http::{HeaderValue, Method, Request, Response, header::CONTENT_LENGTH};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use reqwest::Client;
use stead_core::ports::{Body, Limits, TransportError};
use tokio::time::{Instant, timeout_at};

use crate::{
    deadline::{Deadline, after},
    failure, response, target,
};

/// Sends `request` within its limits; resolves when the response's head has arrived.
pub(crate) async fn send(
    client: &Client,
    request: Request<Body>,
) -> Result<Response<Body>, TransportError> {
    let limits = request
        .extensions()
        .get()
        .copied()
        .unwrap_or(Limits::DEFAULT);
    let deadline = Deadline::new(&limits);
    let has_body = *request.method() != Method::HEAD;
    let (request, progress) = outgoing(request)?;
    let response = client.execute(request);
    let head = wait_for_head(response, limits.first_byte, &deadline, &progress).await?;
    if !has_body {
        return Ok(response::without_body(head));
    }
    let sent = progress.lock().sent;
    response::incoming(head, &limits, deadline, sent).await
}

/// How far the request's own body has come.
#[derive(Clone)]
struct Progress(Arc<Mutex<Sent>>);

#[derive(Clone, Copy)]
struct Sent {
    /// Bytes of a streamed body that were taken so far.
    sent: u64,
    /// When the last of them was, or the request began.
    at: Instant,
}

impl Progress {
    fn new() -> Self {
        let at = Instant::now();
        Self(Arc::new(Mutex::new(Sent { sent: 0, at })))
    }

    fn add(&self, bytes: usize) {
        let mut progress = self.lock();
        progress.sent += bytes as u64;
        progress.at = Instant::now();
    }

    fn lock(&self) -> MutexGuard<'_, Sent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request as reqwest takes it, and how far its body has come.
fn outgoing(request: Request<Body>) -> Result<(reqwest::Request, Progress), TransportError> {
    let (parts, body) = request.into_parts();
    let takes_body = matches!(parts.method, Method::POST | Method::PUT | Method::PATCH);
    let mut request = reqwest::Request::new(parts.method, target::url(&parts.uri)?);
    *request.headers_mut() = parts.headers;
    let progress = Progress::new();
    match body {
        // An empty body is announced where one is expected (RFC 9110, section 8.6), which the client leaves out; Google's
        // front end responds with 411 to a POST that has neither a length nor chunks.
        Body::Empty if takes_body => announce(&mut request, 0),
        Body::Empty => {}
        Body::Bytes(bytes) => *request.body_mut() = Some(bytes.into()),
        Body::Stream(stream) => {
            // reqwest does not see the length of a stream; without this it would be sent in chunks.
            if let Some(length) = stream.size_hint().exact() {
                announce(&mut request, length);
            }
            let taken = progress.clone();
            let pieces = stream
                .into_data_stream()
                .inspect_ok(move |piece| taken.add(piece.len()));
            *request.body_mut() = Some(reqwest::Body::wrap_stream(pieces));
        }
    }
    Ok((request, progress))
}

/// Sets the length of the request's body unless the caller did.
fn announce(request: &mut reqwest::Request, length: u64) {
    request
        .headers_mut()
        .entry(CONTENT_LENGTH)
        .or_insert_with(|| HeaderValue::from(length));
}

/// Waits for the response's head: `first_byte` from sending, or from the last piece of the request's own body.
async fn wait_for_head(
    response: impl Future<Output = Result<reqwest::Response, reqwest::Error>>,
    first_byte: Duration,
    deadline: &Deadline,
    progress: &Progress,
) -> Result<reqwest::Response, TransportError> {
    let mut response = pin!(response);
    loop {
        let Sent { sent, at } = *progress.lock();
        let silent = after(at, first_byte);
        let until = silent.min(deadline.with(sent));
        match timeout_at(until, response.as_mut()).await {
            Ok(response) => return response.map_err(failure::of_request),
            // The body has moved on meanwhile.
            Err(_) if progress.lock().sent != sent => {}
            Err(_) if until == silent => {
                return Err(failure::timed_out("no response came in time"));
            }
            Err(_) => return Err(failure::timed_out("the request took too long")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use stead_core::ports::TransportErrorKind;
    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn deadline(seconds: u64, steady: u64) -> Deadline {
        Deadline::new(&Limits {
            total: SECOND * u32::try_from(seconds).unwrap(),
            steady,
            ..Limits::DEFAULT
        })
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_in_progress_is_not_waiting_for_the_first_byte() {
        let progress = Progress::new();
        let start = Instant::now();
        let upload = async {
            for _ in 0..10 {
                sleep(SECOND).await;
                progress.add(1);
            }
            pending().await
        };
        let error = wait_for_head(upload, SECOND * 2, &deadline(100, 0), &progress)
            .await
            .unwrap_err();

        assert_eq!(error.kind(), TransportErrorKind::TimedOut);
        assert_eq!(error.to_string(), "no response came in time");
        assert_eq!(start.elapsed().as_secs(), 12);
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_without_an_end_is_bounded() {
        let progress = Progress::new();
        let start = Instant::now();
        let upload = async {
            loop {
                sleep(SECOND).await;
                progress.add(1);
            }
        };
        let error = wait_for_head(upload, SECOND * 2, &deadline(9, 0), &progress)
            .await
            .unwrap_err();

        assert_eq!(error.to_string(), "the request took too long");
        assert_eq!(start.elapsed().as_secs(), 9);
    }

    #[tokio::test(start_paused = true)]
    async fn a_steady_upload_may_take_longer() {
        let progress = Progress::new();
        let start = Instant::now();
        let upload = async {
            for _ in 0..50 {
                sleep(SECOND).await;
                progress.add(1000);
            }
            pending().await
        };
        let error = wait_for_head(upload, SECOND * 2, &deadline(9, 1000), &progress)
            .await
            .unwrap_err();

        assert_eq!(error.to_string(), "no response came in time");
        assert_eq!(start.elapsed().as_secs(), 52);
    }

    #[tokio::test(start_paused = true)]
    async fn the_wait_for_the_first_byte_begins_with_the_last_piece_of_the_upload() {
        let progress = Progress::new();
        let start = Instant::now();
        let upload = async {
            // The last piece is taken right after the wait began.
            sleep(SECOND / 10).await;
            progress.add(1);
            pending().await
        };
        let error = wait_for_head(upload, SECOND * 60, &deadline(1000, 0), &progress)
            .await
            .unwrap_err();

        assert_eq!(error.to_string(), "no response came in time");
        assert_eq!(start.elapsed().as_secs(), 60, "and not twice as long");
    }
}
