//! A service on a free port, and callers who must get a response whatever else happens.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use http::{Request, Response};
use secrecy::ExposeSecret as _;
use stead::Platform;
use stead_core::{
    ports::{Body, BoxFuture, Transport, TransportError},
    resource::NewAppCredential,
    scope::Scopes,
};
use stead_server::{Server, ServerOptions, Workers, routers};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
};

/// No one who behaves waits longer. It takes milliseconds; a machine that is busy with other tests may need more.
const ANSWERED: Duration = Duration::from_secs(20);

/// The network, which nothing here reaches.
struct Nowhere;

impl Transport for Nowhere {
    fn send(
        &self,
        request: Request<Body>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        panic!("sent: {request:?}")
    }
}

/// Waits for something that comes soon.
pub async fn in_time<T>(what: &str, coming: impl Future<Output = T>) -> T {
    let came = tokio::time::timeout(ANSWERED, coming).await;
    came.unwrap_or_else(|_| panic!("waited in vain: {what}"))
}

pub struct Stage {
    pub address: SocketAddr,
    pub bearer: String,
    pub client_id: String,
    pub client_secret: String,
    _stop: oneshot::Sender<()>,
    _served: JoinHandle<usize>,
}

impl Stage {
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let platform = Platform::builder(&format!("http://{address}"))
            .ephemeral_key()
            .in_memory()
            .transport(Arc::new(Nowhere))
            .build()
            .await
            .unwrap();
        let new = NewAppCredential::new("edge").scopes(Scopes::all().words());
        let made = platform.environment().send(new);
        let made = made.await.unwrap();
        let (client_id, secret) = (made.credential.client_id, made.client_secret);
        let client_secret = secret.expose_secret().to_owned();
        let token = platform
            .environment()
            .issue_access_token(&client_id, &client_secret, None);
        let bearer = token.await.unwrap().access_token.expose_secret().to_owned();
        let workers = Arc::new(Workers::start(1).unwrap());
        let server = Server::new(routers(&platform, &ServerOptions::default()).server).on(workers);
        let (stop, stopped) = oneshot::channel();
        let stopped = async move {
            let _ = stopped.await;
            drop(platform);
        };
        let served = tokio::spawn(server.serve(listener, stopped, std::future::pending()));
        Self {
            address,
            bearer,
            client_id,
            client_secret,
            _stop: stop,
            _served: served,
        }
    }

    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// All that the service says over a connection of its own, until it closes.
    pub async fn say(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect().await;
        // The service may close before it has read everything.
        let _ = stream.write_all(bytes).await;
        let mut said = Vec::new();
        let reading = stream.read_to_end(&mut said);
        // After a reset, the bytes read so far are the whole response.
        let _ = in_time(&String::from_utf8_lossy(bytes), reading).await;
        String::from_utf8_lossy(&said).into_owned()
    }

    /// The statuses of all responses to these bytes, until the service closes the connection.
    pub async fn statuses(&self, bytes: &[u8]) -> Vec<String> {
        let said = self.say(bytes).await;
        let responses = said.split("HTTP/1.").skip(1);
        responses
            .map(|response| response[2..5].to_owned())
            .collect()
    }

    /// Every kind of caller who behaves gets a response.
    pub async fn responds_to_everyone_else(&self, meanwhile: &str) {
        let form = format!(
            "grant_type=client_credentials&client_id={}&client_secret={}",
            self.client_id, self.client_secret
        );
        let authorization = format!("Authorization: Bearer {}\r\n", self.bearer);
        let of_form = format!(
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
            form.len()
        );
        for (request, headers, body) in [
            ("GET /healthz", "", ""),
            ("GET /readyz", "", ""),
            ("GET /v1/tools", authorization.as_str(), ""),
            ("POST /oauth/token", of_form.as_str(), form.as_str()),
            ("GET /dashboard/sign-in", "", ""),
        ] {
            let head = format!(
                "{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n{body}"
            );
            assert_eq!(
                self.statuses(head.as_bytes()).await,
                ["200"],
                "{request}, {meanwhile}"
            );
        }
    }
}
