//! One request out, the head of its response back.

use std::{
    future::Future,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
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
    let (request, sent) = outgoing(request)?;
    let response = client.execute(request);
    let head = wait_for_head(response, limits.first_byte, &deadline, &sent).await?;
    let sent = sent.load(Ordering::Relaxed);
    response::incoming(head, &limits, deadline, sent).await
}

/// The request as reqwest takes it, and how many bytes of a streamed body it has taken so far.
fn outgoing(request: Request<Body>) -> Result<(reqwest::Request, Arc<AtomicU64>), TransportError> {
    let (parts, body) = request.into_parts();
    let takes_body = matches!(parts.method, Method::POST | Method::PUT | Method::PATCH);
    let mut request = reqwest::Request::new(parts.method, target::url(&parts.uri)?);
    *request.headers_mut() = parts.headers;
    let sent = Arc::new(AtomicU64::new(0));
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
            let taken = Arc::clone(&sent);
            let pieces = stream.into_data_stream().inspect_ok(move |piece| {
                taken.fetch_add(piece.len() as u64, Ordering::Relaxed);
            });
            *request.body_mut() = Some(reqwest::Body::wrap_stream(pieces));
        }
    }
    Ok((request, sent))
}

/// Sets the length of the request's body unless the caller did.
fn announce(request: &mut reqwest::Request, length: u64) {
    request
        .headers_mut()
        .entry(CONTENT_LENGTH)
        .or_insert_with(|| HeaderValue::from(length));
}

/// Waits for the response's head: `first_byte` from sending, and again as long as the request's own body still flows.
async fn wait_for_head(
    response: impl Future<Output = Result<reqwest::Response, reqwest::Error>>,
    first_byte: Duration,
    deadline: &Deadline,
    sent: &AtomicU64,
) -> Result<reqwest::Response, TransportError> {
    let mut response = pin!(response);
    loop {
        let before = sent.load(Ordering::Relaxed);
        let until = after(Instant::now(), first_byte).min(deadline.with(before));
        let result = timeout_at(until, response.as_mut()).await;
        let now_sent = sent.load(Ordering::Relaxed);
        match result {
            Ok(response) => return response.map_err(failure::of_request),
            Err(_) if Instant::now() >= deadline.with(now_sent) => {
                return Err(failure::timed_out("the request took too long"));
            }
            Err(_) if now_sent == before => {
                return Err(failure::timed_out("no response came in time"));
            }
            Err(_) => {}
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
        let progress = AtomicU64::new(0);
        let start = Instant::now();
        let upload = async {
            for _ in 0..10 {
                sleep(SECOND).await;
                progress.fetch_add(1, Ordering::Relaxed);
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
        let progress = AtomicU64::new(0);
        let start = Instant::now();
        let upload = async {
            loop {
                sleep(SECOND).await;
                progress.fetch_add(1, Ordering::Relaxed);
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
        let progress = AtomicU64::new(0);
        let start = Instant::now();
        let upload = async {
            for _ in 0..50 {
                sleep(SECOND).await;
                progress.fetch_add(1000, Ordering::Relaxed);
            }
            pending().await
        };
        let error = wait_for_head(upload, SECOND * 2, &deadline(9, 1000), &progress)
            .await
            .unwrap_err();

        assert_eq!(error.to_string(), "no response came in time");
        assert_eq!(start.elapsed().as_secs(), 52);
    }
}
