//! The response to callers if there are too many connections.

use std::{io, sync::Arc, time::Duration};

use bytes::Bytes;
use stead::{Error, ErrorKind};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Semaphore,
};

/// Maximum number of refusals at a time. Each needs a file descriptor, in addition to those of the connections.
const AT_ONCE: usize = 64;
/// Time limit of a refusal. A caller that sends nothing is refused after it.
const TIME: Duration = Duration::from_secs(1);
/// How soon the caller may return.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Maximum number of bytes of a head to read.
const HEAD: usize = 64 * 1024;
/// The beginning of HTTP/2, up to its first empty line.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\n";
/// SETTINGS, and GOAWAY with no stream and `ENHANCE_YOUR_CALM`. They tell the caller that nothing was carried out (RFC
/// 9113, section 6.8).
const GO_AWAY: &[u8] = b"\0\0\0\x04\0\0\0\0\0\
\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\x0b";

/// The refusals that are in progress.
pub(super) struct Refusals {
    room: Arc<Semaphore>,
    response: Bytes,
}

impl Default for Refusals {
    fn default() -> Self {
        Self {
            room: Arc::new(Semaphore::new(AT_ONCE)),
            response: response().into(),
        }
    }
}

impl Refusals {
    /// Refuses a caller once there are few enough refusals. In the meantime, the next callers wait in the listener's
    /// queue.
    pub(super) async fn refuse(&self, mut stream: TcpStream) {
        let permit = Arc::clone(&self.room).acquire_owned().await;
        let response = self.response.clone();
        tokio::spawn(async move {
            let _permit = permit;
            let told = tokio::time::timeout(TIME, tell(&mut stream, &response)).await;
            if let Ok(Err(error)) = told {
                tracing::debug!(error = %error, "a caller didn't wait for its error response");
            }
        });
    }
}

/// Reads the head first, because clients expect no response before their request. Then waits until the caller closes:
/// if Stead closed with unread bytes of the caller, the response would be lost.
async fn tell(stream: &mut TcpStream, response: &[u8]) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        if head.len() > HEAD || stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let is_http2 = head.starts_with(PREFACE);
    let said = if is_http2 { GO_AWAY } else { response };
    stream.write_all(said).await?;
    stream.shutdown().await?;
    while stream.read(&mut [0; 1024]).await? > 0 {}
    Ok(())
}

/// The response in HTTP/1.1, with the headers of every problem.
fn response() -> Vec<u8> {
    let message = "the service has the maximum number of connections; try again shortly";
    let error = Error::new(ErrorKind::Overloaded, message).with_retry_after(RETRY_AFTER);
    let kind = error.kind();
    let body = serde_json::to_vec(&error.to_problem()).unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {} Service Unavailable\r\ncontent-type: application/problem+json\r\ncache-control: no-store\r\n\
         stead-error: {kind}\r\nretry-after: {}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        kind.status(),
        RETRY_AFTER.as_secs(),
        body.len(),
    );
    [head.into_bytes(), body].concat()
}
