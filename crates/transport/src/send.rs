//! Sends one request, and waits for the head of its response.

use std::{
    future::Future,
    pin::{Pin, pin},
    time::Duration,
};

use futures_util::TryFutureExt as _;
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{CONTENT_LENGTH, TRANSFER_ENCODING},
};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use stead_core::ports::{Body, Limits, OnNewConnection, Purpose, TransportError};
use tokio::time::{Instant, timeout_at};

use crate::{
    clients::Pair,
    deadline::{Deadline, after},
    failure,
    outgoing::{Outgoing, Progress, Sent, Turn},
    response::{self, Incoming},
    target,
};

/// Minimum of a limit. While the request's body is awaited, a new limit follows each one, so shorter ones would spin.
const SHORTEST: Duration = Duration::from_millis(10);

/// Sends `request` within its limits. Resolves when the response's head has arrived.
pub(crate) async fn send(
    clients: &Pair,
    request: Request<Body>,
) -> Result<Response<Body>, TransportError> {
    let (mut parts, body) = request.into_parts();
    let limits = parts.extensions.get().copied();
    let limits: Limits = limits.unwrap_or(Limits::DEFAULT);
    let purpose: Purpose = parts.extensions.get().copied().unwrap_or_default();
    let exchange = Exchange {
        deadline: Deadline::new(&limits),
        has_body: parts.method != Method::HEAD,
        limits,
    };
    let url = target::url(&parts.uri)?;
    announce(&mut parts.headers, &parts.method, &body);
    let (body, progress) = Outgoing::new(body);
    match &clients.direct {
        Some(direct) if purpose == Purpose::Call => {
            let on_new_connection = parts.extensions.get::<OnNewConnection>().is_some();
            // The caller's extensions aren't for the client.
            parts.extensions.clear();
            let sent = pin!(direct.send(Request::from_parts(parts, body), on_new_connection));
            exchange.receive(sent, &progress).await
        }
        _ => {
            let mut request = reqwest::Request::new(parts.method, url);
            *request.headers_mut() = parts.headers;
            *request.body_mut() = body.into_reqwest();
            let sent = clients.reqwest.execute(request);
            let sent = sent.map_err(failure::of_reqwest).map_ok(|response| {
                Response::from(response)
                    .map(|body: reqwest::Body| body.map_err(reqwest::Error::without_url))
            });
            exchange.receive(Box::pin(sent).as_mut(), &progress).await
        }
    }
}

/// One request and its response.
struct Exchange {
    limits: Limits,
    deadline: Deadline,
    /// Whether a response to the request has a body.
    has_body: bool,
}

impl Exchange {
    async fn receive<B: Incoming>(
        self,
        sent: Pin<&mut impl Future<Output = Result<Response<B>, TransportError>>>,
        progress: &Progress,
    ) -> Result<Response<Body>, TransportError> {
        let (limits, deadline) = (self.limits, self.deadline);
        let upload = progress.upload();
        let head = wait_for_head(sent, limits.first_byte, &deadline, progress).await;
        let mut head = match head {
            Err(error) if progress.so_far(&deadline).turn == Turn::BrokeOff => {
                return Err(failure::incomplete().with_source(error));
            }
            head => head?,
        };
        // Chunks show where the body ends, so a length next to them is removed (RFC 9112, section 6.3).
        if head.headers().contains_key(TRANSFER_ENCODING) {
            head.headers_mut().remove(CONTENT_LENGTH);
        }
        if !self.has_body || is_bodiless(head.status()) {
            return Ok(response::without_body(head));
        }
        let sent = progress.so_far(&deadline).bytes;
        response::incoming(head, &limits, deadline, sent, upload).await
    }
}

/// Whether a response with this status ends with its head, whatever length it has there (RFC 9110, section 6.4.1).
fn is_bodiless(status: StatusCode) -> bool {
    status.is_informational() || matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
}

/// Sets the length of the request's body if neither the caller nor the client does.
fn announce(headers: &mut HeaderMap, method: &Method, body: &Body) {
    let length = match body {
        // The client doesn't send the length of an empty body, although some methods need it (RFC 9110, section 8.6).
        // Google's front end responds with 411 to a POST that has neither a length nor chunks.
        Body::Empty if matches!(*method, Method::POST | Method::PUT | Method::PATCH) => Some(0),
        // reqwest doesn't see the length of a stream, and would send it in chunks.
        Body::Stream(stream) => stream.size_hint().exact(),
        Body::Empty | Body::Bytes(_) => None,
    };
    if let Some(length) = length {
        let header = headers.entry(CONTENT_LENGTH);
        header.or_insert_with(|| HeaderValue::from(length));
    }
}

/// Waits for the response's head, for `first_byte` after sending or after the last piece of the request's own body.
/// While Stead waits for the next piece, the server isn't late.
async fn wait_for_head<R>(
    mut response: Pin<&mut impl Future<Output = Result<R, TransportError>>>,
    first_byte: Duration,
    deadline: &Deadline,
    progress: &Progress,
) -> Result<R, TransportError> {
    loop {
        let Sent { bytes, at, turn } = progress.so_far(deadline);
        let waits_from = match turn {
            Turn::Body => Instant::now(),
            Turn::Server | Turn::BrokeOff => at,
        };
        let silent = after(waits_from, first_byte.max(SHORTEST));
        let end = deadline.with(bytes);
        if let Ok(response) = timeout_at(silent.min(end), response.as_mut()).await {
            return response;
        }
        let now = progress.so_far(deadline);
        // The body has made progress in the meantime.
        if now.at != at {
            continue;
        }
        match now.turn {
            Turn::Body if end <= silent => return Err(failure::incomplete()),
            Turn::Body => {}
            _ if end < silent => return Err(failure::timed_out("the request took too long")),
            _ => return Err(failure::timed_out("no response arrived in time")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use stead_core::ports::TransportErrorKind;
    use tokio::time::{Instant, sleep};

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
            pending::<Result<(), _>>().await
        };
        let error = wait_for_head(pin!(upload), SECOND * 2, &deadline(100, 0), &progress)
            .await
            .unwrap_err();

        assert_eq!(error.kind(), TransportErrorKind::TimedOut);
        assert_eq!(error.to_string(), "no response arrived in time");
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
        let error = wait_for_head::<()>(pin!(upload), SECOND * 2, &deadline(9, 0), &progress)
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
            pending::<Result<(), _>>().await
        };
        let error = wait_for_head(pin!(upload), SECOND * 2, &deadline(9, 1000), &progress)
            .await
            .unwrap_err();

        assert_eq!(error.to_string(), "no response arrived in time");
        assert_eq!(start.elapsed().as_secs(), 52);
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_byte_timeout_begins_after_the_upload() {
        let progress = Progress::new();
        let start = Instant::now();
        let upload = async {
            // The last piece is taken right after the wait began.
            sleep(SECOND / 10).await;
            progress.add(1);
            pending::<Result<(), _>>().await
        };
        let error = wait_for_head(pin!(upload), SECOND * 60, &deadline(1000, 0), &progress)
            .await
            .unwrap_err();

        assert_eq!(error.to_string(), "no response arrived in time");
        assert_eq!(start.elapsed().as_secs(), 60, "and not twice as long");
    }
}
