//! The limit on connections. If there are too many, idle ones are closed: first those of the source with the most
//! connections, the oldest first. If all have a request, a new one is refused.

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use stead::{Error, ErrorKind};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Semaphore,
    time::Instant,
};

use super::activity::Activity;
use crate::source::Source;

/// Closes this fraction of a source's idle connections at a time, so that a flood doesn't cost a search for every
/// connection.
const PART: usize = 16;
/// Maximum number of refusals at a time. Each needs a file descriptor, in addition to those of the connections.
const REFUSALS: usize = 64;
/// Time limit of a refusal. A caller that sends nothing is refused after it.
const REFUSAL_TIME: Duration = Duration::from_secs(1);
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

/// The open connections.
#[derive(Debug, Default)]
pub(super) struct Connections {
    members: Mutex<HashMap<u64, Member>>,
    next: AtomicU64,
    /// Connections that were cut off but aren't closed yet.
    leaving: AtomicUsize,
}

#[derive(Debug)]
struct Member {
    source: Source,
    activity: Activity,
}

/// A connection's place, until it is dropped.
pub(super) struct Place {
    connections: Arc<Connections>,
    id: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let left = self.connections.members().remove(&self.id);
        if left.is_some_and(|member| member.activity.was_cut()) {
            self.connections.leaving.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Connections {
    fn members(&self) -> MutexGuard<'_, HashMap<u64, Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of connections, without those that were cut off.
    pub(super) fn count(&self) -> usize {
        let leaving = self.leaving.load(Ordering::Relaxed);
        self.members().len().saturating_sub(leaving)
    }

    /// Counts a connection.
    pub(super) fn join(self: &Arc<Self>, peer: SocketAddr, activity: Activity) -> Place {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let source = Source::of(peer.ip());
        self.members().insert(id, Member { source, activity });
        let connections = Arc::clone(self);
        Place { connections, id }
    }

    /// Closes some connections without a running request, and returns whether there were any. Those that an application
    /// has used come last.
    pub(super) fn make_room(&self) -> bool {
        let members = self.members();
        let waiting = |known: bool| {
            let mut waiting: HashMap<Source, Vec<(Instant, &Activity)>> = HashMap::new();
            for member in members.values() {
                if let Some(since) = member.activity.waits_since()
                    && member.activity.is_known() == known
                {
                    let of_source = waiting.entry(member.source).or_default();
                    of_source.push((since, &member.activity));
                }
            }
            waiting.into_values().max_by_key(Vec::len)
        };
        let Some(mut waiting) = waiting(false).or_else(|| waiting(true)) else {
            return false;
        };
        waiting.sort_unstable_by_key(|(since, _)| *since);
        let count = waiting.len().div_ceil(PART);
        self.leaving.fetch_add(count, Ordering::Relaxed);
        for (_, activity) in waiting.into_iter().take(count) {
            activity.cut();
        }
        true
    }
}

/// The refusals that are in progress.
pub(super) struct Refusals {
    room: Arc<Semaphore>,
    response: Bytes,
}

impl Default for Refusals {
    fn default() -> Self {
        Self {
            room: Arc::new(Semaphore::new(REFUSALS)),
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
            let told = tokio::time::timeout(REFUSAL_TIME, tell(&mut stream, &response)).await;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::UnderWay;

    /// A connection from an address, and its place.
    fn join(connections: &Arc<Connections>, peer: &str) -> (Activity, Place) {
        let activity = Activity::new(UnderWay::default());
        let place = connections.join(peer.parse().unwrap(), activity.clone());
        (activity, place)
    }

    fn open(connections: &[(Activity, Place)]) -> usize {
        let open = connections.iter();
        open.filter(|(activity, _)| activity.waits_since().is_some())
            .count()
    }

    #[tokio::test(start_paused = true)]
    async fn the_source_with_the_most_waiting_connections_makes_room_with_its_oldest() {
        let connections = Arc::new(Connections::default());
        let one = join(&connections, "192.0.2.1:1000");
        let mut flood = Vec::new();
        for port in 1..=32 {
            tokio::time::advance(Duration::from_secs(1)).await;
            flood.push(join(&connections, &format!("[2001:db8::{port}]:{port}")));
        }
        assert_eq!(connections.count(), 33);
        assert!(connections.make_room());
        assert_eq!((open(&flood), open(std::slice::from_ref(&one))), (30, 1));
        assert_eq!(open(&flood[..2]), 0, "the oldest went");
        assert_eq!(connections.count(), 31);
        flood.truncate(20);
        assert_eq!(connections.count(), 19, "18 of the flood and one");
    }

    #[tokio::test(start_paused = true)]
    async fn connections_of_applications_are_closed_last_and_busy_ones_never() {
        let connections = Arc::new(Connections::default());
        let known = [
            join(&connections, "192.0.2.1:1"),
            join(&connections, "192.0.2.1:2"),
        ];
        for (activity, _) in &known {
            activity.known().store(true, Ordering::Relaxed);
        }
        let stranger = join(&connections, "192.0.2.2:1");
        let (busy, _place) = join(&connections, "192.0.2.2:2");
        let _running = busy.begin(false);

        assert!(connections.make_room());
        assert_eq!((open(&[stranger]), open(&known)), (0, 2));
        assert!(connections.make_room() && connections.make_room());
        assert_eq!(open(&known), 0);
        assert!(
            !connections.make_room(),
            "a request is not cut off for room"
        );
    }
}
