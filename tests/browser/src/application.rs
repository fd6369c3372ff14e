//! An application that users come back to. It confirms to the service who they are.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use crate::service::curl;

/// A running application.
pub(crate) struct Application {
    /// The URL of the page that users come back to.
    pub(crate) url: String,
    signed_in: Arc<Mutex<String>>,
}

impl Application {
    /// Starts it with a credential for the service.
    ///
    /// # Errors
    /// If the service doesn't issue a token.
    pub(crate) async fn start(service: &str, credential: &Value) -> Result<Self> {
        let of = |name: &str| credential[name].as_str().context("no credential");
        let (id, secret) = (of("client_id")?, of("client_secret")?);
        let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
        let token = curl(&[&format!("{service}/oauth/token"), "-d", &form]).await?;
        let token: Value = serde_json::from_str(&token)?;
        let token = token["access_token"]
            .as_str()
            .context("no token")?
            .to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/connected", listener.local_addr()?);
        let signed_in = Arc::new(Mutex::new(String::new()));
        let (service, user) = (service.to_owned(), Arc::clone(&signed_in));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let user = user.lock().unwrap_or_else(PoisonError::into_inner).clone();
                // Nothing can be done if the browser has disconnected.
                let _ = respond(stream, &service, &token, &user).await;
            }
        });
        Ok(Self { url, signed_in })
    }

    /// Sets the user who is signed in to the application from now on.
    pub(crate) fn signs_in(&self, user: &str) {
        let mut signed_in = self
            .signed_in
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        user.clone_into(&mut signed_in);
    }
}

async fn respond(mut stream: TcpStream, service: &str, token: &str, user: &str) -> Result<()> {
    let mut head = vec![0; 8192];
    let length = stream.read(&mut head).await?;
    let head = String::from_utf8_lossy(&head[..length]).into_owned();
    let id = head.split_once("authorization_id=").map(|(_, rest)| rest);
    let id = id.and_then(|rest| rest.split(['&', ' ']).next());
    let said = match id {
        Some(id) => {
            let verify = format!("{service}/v1/authorizations/{id}/verify");
            let bearer = format!("Authorization: Bearer {token}");
            let body = json!({ "identifier": user }).to_string();
            let json = "Content-Type: application/json";
            curl(&[&verify, "-H", &bearer, "-H", json, "-d", &body, "--fail"]).await?;
            format!("<p>Welcome back, {user}</p>")
        }
        None => String::from("Nothing here"),
    };
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
    let response = format!("{head}Content-Length: {}\r\n\r\n{said}", said.len());
    stream.write_all(response.as_bytes()).await?;
    Ok(())
}
