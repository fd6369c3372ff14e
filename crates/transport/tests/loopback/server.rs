//! A server that does exactly what a test says.

use std::{
    fmt,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

/// What follows a response.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// The next request on the same connection.
    Listen,
    /// Nothing, for ever.
    Stall,
    /// The connection is closed.
    Close,
}

pub(crate) struct Server {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
    accepted: Arc<AtomicUsize>,
}

impl Server {
    /// Responds to every request with `response`, in these pieces, and then does `then`.
    pub(crate) async fn start(response: &'static [&'static [u8]], then: Then) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let accepted = Arc::new(AtomicUsize::new(0));
        tokio::spawn(accept(
            listener,
            response,
            then,
            Arc::clone(&heard),
            Arc::clone(&accepted),
        ));
        Self {
            address,
            heard,
            accepted,
        }
    }

    /// The requests as they arrived, with heads and bodies.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.address)
    }
}

async fn accept(
    listener: TcpListener,
    response: &'static [&'static [u8]],
    then: Then,
    heard: Arc<Mutex<Vec<String>>>,
    accepted: Arc<AtomicUsize>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        accepted.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(serve(stream, response, then, Arc::clone(&heard)));
    }
}

async fn serve(
    mut stream: TcpStream,
    response: &'static [&'static [u8]],
    then: Then,
    heard: Arc<Mutex<Vec<String>>>,
) {
    stream.set_nodelay(true).unwrap();
    while let Some(request) = read_request(&mut stream).await {
        heard.lock().unwrap().push(request);
        for piece in response {
            stream.write_all(piece).await.unwrap();
            stream.flush().await.unwrap();
        }
        match then {
            Then::Listen => {}
            Then::Stall => std::future::pending().await,
            Then::Close => return,
        }
    }
}

/// One request: its head, and the body that its head announces.
async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let complete = match header(head, "content-length") {
                Some(length) => body.len() >= length.parse().unwrap(),
                None => header(head, "transfer-encoding").is_none() || body.ends_with("0\r\n\r\n"),
            };
            if complete {
                return Some(text.into_owned());
            }
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return None;
        }
    }
}

/// A header's value in the head of a request.
pub(crate) fn header<'a>(request: &'a str, name: &str) -> Option<&'a str> {
    request
        .lines()
        .skip(1)
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}
