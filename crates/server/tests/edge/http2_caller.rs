//! An HTTP/2 caller that sends any frames in any order. It acknowledges pings, as an attacker does.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::tcp::{OwnedReadHalf, OwnedWriteHalf},
    sync::{Mutex, Notify},
    task::JoinHandle,
};

use crate::stage::{Stage, in_time};

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

pub const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;
const ACK: u8 = 1;

/// SETTINGS_INITIAL_WINDOW_SIZE, as the payload of SETTINGS.
pub const NO_WINDOW: &[u8] = &[0, 4, 0, 0, 0, 0];

pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A request's headers, without Huffman codes and without the dynamic table.
pub fn headers(method: &str, path: &str, others: &[(&str, &str)]) -> Vec<u8> {
    let mut block = vec![if method == "POST" { 0x83 } else { 0x82 }, 0x86];
    let mut text = |text: &str| {
        block.push(u8::try_from(text.len()).unwrap());
        block.extend(text.bytes());
    };
    for (name, value) in [(":path", path), (":authority", "localhost")]
        .iter()
        .chain(others)
    {
        // A literal header without indexing, with a new name.
        text("");
        text(name);
        text(value);
    }
    block
}

/// What the service has sent.
#[derive(Default)]
struct Seen {
    responses: AtomicUsize,
    news: Notify,
}

pub struct Caller {
    writer: Arc<Mutex<OwnedWriteHalf>>,
    seen: Arc<Seen>,
    reading: JoinHandle<Option<u32>>,
}

impl Caller {
    /// A connection with these settings.
    pub async fn connect(stage: &Stage, settings: &[u8]) -> Self {
        let (reader, writer) = stage.connect().await.into_split();
        let (writer, seen) = (Arc::new(Mutex::new(writer)), Arc::default());
        let reading = tokio::spawn(read(reader, Arc::clone(&writer), Arc::clone(&seen)));
        let caller = Self {
            writer,
            seen,
            reading,
        };
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        caller
            .send(&[preface, &*frame(SETTINGS, 0, 0, settings)].concat())
            .await;
        caller
    }

    /// Sends bytes; whether the service still takes them.
    pub async fn send(&self, bytes: &[u8]) -> bool {
        self.writer.lock().await.write_all(bytes).await.is_ok()
    }

    /// Waits until so many responses have begun.
    pub async fn has_responses(&self, count: usize) {
        let reached = async {
            while self.seen.responses.load(Ordering::SeqCst) < count {
                self.seen.news.notified().await;
            }
        };
        in_time("responses", reached).await;
    }

    /// Whether the service has ended the connection by now.
    pub fn is_over(&self) -> bool {
        self.reading.is_finished()
    }

    /// The code with which the service ends the connection.
    pub async fn goes_away(self) -> Option<u32> {
        in_time("GOAWAY", self.reading).await.unwrap()
    }
}

/// Reads until the service closes; the code of its GOAWAY.
async fn read(
    mut reader: OwnedReadHalf,
    writer: Arc<Mutex<OwnedWriteHalf>>,
    seen: Arc<Seen>,
) -> Option<u32> {
    let (mut code, mut head) = (None, [0; 9]);
    while reader.read_exact(&mut head).await.is_ok() {
        let [a, b, c, kind, flags, ..] = head;
        let length = usize::try_from(u32::from_be_bytes([0, a, b, c])).unwrap();
        let mut payload = vec![0; length];
        if reader.read_exact(&mut payload).await.is_err() {
            break;
        }
        match kind {
            PING if flags & ACK == 0 => {
                let pong = frame(PING, ACK, 0, &payload);
                let _ = writer.lock().await.write_all(&pong).await;
            }
            HEADERS => {
                seen.responses.fetch_add(1, Ordering::SeqCst);
                seen.news.notify_one();
            }
            GOAWAY => code = Some(u32::from_be_bytes(payload[4..8].try_into().unwrap())),
            _ => {}
        }
    }
    code
}
