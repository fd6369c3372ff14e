//! A product that records exactly what it received, and sends exactly the response that a story wants.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// A request as it was received. The chunks of its body are joined.
#[derive(Debug, Clone)]
pub struct Heard {
    pub head: String,
    pub body: Vec<u8>,
}

impl Heard {
    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().skip(1);
        let mut pairs = lines.filter_map(|line| line.split_once(": "));
        let found = pairs.find(|(given, _)| *given == name);
        found.map_or("", |(_, value)| value)
    }

    /// The request line.
    pub fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    /// The header lines in order of their names, without the token's secret part.
    pub fn headers(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.head.lines().skip(1).map(str::to_owned).collect();
        for line in &mut lines {
            if line.starts_with("authorization: Bearer ya29.") {
                "authorization: Bearer ya29.…".clone_into(line);
            }
        }
        lines.sort();
        lines
    }
}

/// The product: each connection serves one request.
#[derive(Clone)]
pub struct Mirror {
    pub url: String,
    heard: Arc<Mutex<Vec<Heard>>>,
    bytes: Arc<AtomicU64>,
}

/// The longest body that the mirror records. It only counts the bytes of a longer one.
const KEPT: u64 = 1024 * 1024;

impl Mirror {
    /// Sends the bytes of `respond` to every request, and closes the connection. If there are no bytes, it never
    /// responds.
    pub async fn start(respond: impl Fn(&Heard) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let mirror = Self {
            url: format!("http://{}", listener.local_addr().expect("an address")),
            heard: Arc::default(),
            bytes: Arc::default(),
        };
        let (respond, serving) = (Arc::new(respond), mirror.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (respond, serving) = (Arc::clone(&respond), serving.clone());
                tokio::spawn(async move {
                    let Some(heard) = serving.read(&mut stream).await else {
                        return;
                    };
                    let response = respond(&heard);
                    serving.heard.lock().unwrap().push(heard);
                    if response.is_empty() {
                        std::future::pending::<()>().await;
                    }
                    // A caller that has read enough may have disconnected.
                    let _ = stream.write_all(&response).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        mirror
    }

    /// The received requests, in order.
    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }

    /// The number of received bytes of bodies.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::SeqCst)
    }

    async fn read(&self, stream: &mut TcpStream) -> Option<Heard> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break at;
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
        let mut input = Input {
            rest: bytes.split_off(end + 4),
            stream,
        };
        let header = |name: &str| {
            let lines = head.lines().skip(1);
            lines
                .filter_map(|line| line.split_once(": "))
                .find(|(given, _)| *given == name)
        };
        let mut body = Vec::new();
        if let Some((_, length)) = header("content-length") {
            self.take(&mut input, length.parse().ok()?, &mut body)
                .await?;
        } else if header("transfer-encoding").is_some() {
            loop {
                let length = u64::from_str_radix(&input.line().await?, 16).ok()?;
                self.take(&mut input, length, &mut body).await?;
                input.line().await?;
                if length == 0 {
                    break;
                }
            }
        }
        Some(Heard { head, body })
    }

    async fn take(&self, input: &mut Input<'_>, length: u64, body: &mut Vec<u8>) -> Option<()> {
        let mut left = length;
        while left > 0 {
            if input.rest.is_empty() {
                input.rest.resize(64 * 1024, 0);
                let read = input.stream.read(&mut input.rest).await.ok()?;
                input.rest.truncate(read);
                if read == 0 {
                    return None;
                }
            }
            let some = input.rest.len().min(usize::try_from(left).ok()?);
            if length <= KEPT {
                body.extend_from_slice(&input.rest[..some]);
            }
            input.rest.drain(..some);
            left -= some as u64;
            self.bytes.fetch_add(some as u64, Ordering::SeqCst);
        }
        Some(())
    }
}

/// Bytes that were read but not used yet, and the stream they come from.
struct Input<'s> {
    rest: Vec<u8>,
    stream: &'s mut TcpStream,
}

impl Input<'_> {
    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.rest.windows(2).position(|two| two == b"\r\n") {
                let line = String::from_utf8(self.rest[..end].to_vec()).ok();
                self.rest.drain(..end + 2);
                return line;
            }
            if self.stream.read_buf(&mut self.rest).await.ok()? == 0 {
                return None;
            }
        }
    }
}
