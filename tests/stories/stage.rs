//! The base of every story: a service on a free port, with its sandbox, its database and its application's token.

use std::{path::PathBuf, sync::Arc};

use http::Method;
use jiff::Timestamp;
use serde_json::{Value, json};
use stead::{Client, Platform, PlatformBuilder, products::behind};
use stead_core::{
    catalogue::Catalogue,
    environment::Verification,
    ports::{Policy, Transport},
    resource::{NewAppCredential, NewConnection},
    scope::Scopes,
    seal::KeyRing,
};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, Fault, Running, Sandbox};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{
    browser::Browser,
    clock::Clock,
    http_client::{HttpClient, Reply, encode},
    place::Place,
};

/// A user of the sandbox.
pub const ADA: &str = "ada@example.com";
/// Another user of the sandbox.
pub const GRACE: &str = "grace@example.com";

/// The settings of a stage.
pub struct Setting {
    pub verification: Verification,
    pub sandbox: Sandbox,
    pub catalogue: Option<Catalogue>,
    pub client_secret: &'static str,
    pub policy: Option<Arc<dyn Policy>>,
    /// Requests to mail go here instead of to the sandbox.
    pub mirror: Option<String>,
    /// Hosts that may have private addresses.
    pub private_hosts: Vec<&'static str>,
    pub transport: Option<Arc<dyn Transport>>,
    /// The time at which the clock stands still. The store is then a file.
    pub still_at: Option<Timestamp>,
    /// The URL of the proxy host.
    pub proxy_url: Option<&'static str>,
    /// The address of the service.
    pub listen: &'static str,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            verification: Verification::LinkPossession,
            sandbox: Sandbox::new(),
            catalogue: None,
            client_secret: CLIENT_SECRET,
            policy: None,
            mirror: None,
            private_hosts: Vec::new(),
            transport: None,
            still_at: None,
            proxy_url: None,
            listen: "127.0.0.1:0",
        }
    }
}

/// A service and its sandbox.
pub struct Stage {
    pub url: String,
    pub http: HttpClient,
    pub bearer: String,
    pub client_id: String,
    pub client_secret: String,
    pub platform: Platform,
    pub sandbox: Running,
    pub clock: Arc<Clock>,
    pub database: PathBuf,
    pub key: String,
    place: Place,
    server: JoinHandle<()>,
    _directory: TempDir,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Stage {
    pub async fn new() -> Self {
        Self::set(Setting::default()).await
    }

    /// A stage with Ada's account connected as `user-1`.
    pub async fn connected() -> Self {
        let stage = Self::new().await;
        stage.connect("user-1", ADA).await;
        stage
    }

    pub async fn set(setting: Setting) -> Self {
        use secrecy::ExposeSecret as _;
        let directory = tempfile::tempdir().expect("a directory");
        let database = directory.path().join("stead.db");
        let (_, key) = KeyRing::generate(&stead::OsEntropy);
        let key = key.expose_secret().to_owned();
        let sandbox = setting.sandbox.run().await.expect("a sandbox");
        let listener = TcpListener::bind(setting.listen).await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (place, clock) = match setting.still_at {
            Some(now) => (Place::File(database.clone()), Clock::still_at(now)),
            None => {
                let place = Place::new(&database);
                (place.clone(), Clock::of(&place))
            }
        };
        let mut builder = place
            .of(Platform::builder(&url))
            .key(&key)
            .runtime(Arc::clone(&clock) as _)
            .verification(setting.verification)
            .gateway(&sandbox.url);
        if let Some(catalogue) = setting.catalogue {
            builder = builder.catalogue(catalogue);
        }
        if let Some(policy) = setting.policy {
            builder = builder.policy(policy);
        }
        for host in setting.private_hosts {
            builder = builder.private_host(host);
        }
        if let Some(transport) = setting.transport {
            builder = builder.transport(transport);
        }
        if let Some(url) = setting.proxy_url {
            builder = builder.proxy_url(url);
        }
        if let Some(url) = setting.mirror {
            let mut options = behind(&stead::mail::PRODUCT, &sandbox.url);
            for origin in options.origins.values_mut() {
                origin.clone_from(&url);
            }
            builder = builder.product("mail", options);
        }
        let platform = builder.build().await.expect("a platform");
        let router = stead_server::router(&platform);
        let server = tokio::spawn(stead_server::serve(
            listener,
            router,
            std::future::pending(),
        ));
        let credential = platform
            .environment()
            .send(NewAppCredential::new("story").scopes(Scopes::all().words()))
            .await
            .expect("a credential");
        let (client_id, client_secret) = (
            credential.credential.client_id,
            credential.client_secret.expose_secret().to_owned(),
        );
        let mut stage = Self {
            http: HttpClient::new(),
            bearer: String::new(),
            client_id,
            client_secret,
            url,
            platform,
            sandbox,
            clock,
            database,
            key,
            place,
            server,
            _directory: directory,
        };
        stage.bearer = stage.token().await;
        stage.create_connection("mail", setting.client_secret).await;
        stage
    }

    /// Another process over the same store, with the same key and the same products.
    pub fn over_its_store(&self) -> PlatformBuilder {
        let builder = self.place.of(Platform::builder(&self.url));
        builder.key(&self.key).gateway(&self.sandbox.url)
    }

    /// The library's client of the application.
    pub fn client(&self) -> Client {
        let client = Client::new(&self.url, &self.client_id, self.client_secret.as_str());
        client.expect("a client")
    }

    /// Stops the service, so that nothing has its store open.
    pub async fn stop(&mut self) {
        self.server.abort();
        let _ = (&mut self.server).await;
        self.platform.shut_down().await;
        let nothing = Platform::builder(&self.url).ephemeral_key().in_memory();
        self.platform = nothing.build().await.expect("a platform");
    }

    /// Starts another service at the same address and with the same key, over another store.
    pub async fn start_over(&mut self, place: Place) {
        self.place = place;
        self.platform = self
            .over_its_store()
            .runtime(Arc::clone(&self.clock) as _)
            .verification(Verification::LinkPossession)
            .build()
            .await
            .expect("a platform");
        let listener = TcpListener::bind(self.address()).await.expect("its port");
        let router = stead_server::router(&self.platform);
        let serving = stead_server::serve(listener, router, std::future::pending());
        self.server = tokio::spawn(serving);
    }

    /// The name of the store, as the copy command takes it.
    pub fn store(&self) -> String {
        match &self.place {
            Place::File(file) => format!("sqlite:{}", file.display()),
            Place::Database(database) => database.url.clone(),
        }
    }

    /// A bearer token for the application.
    pub async fn token(&self) -> String {
        let pairs = [
            ("grant_type", "client_credentials"),
            ("client_id", self.client_id.as_str()),
            ("client_secret", self.client_secret.as_str()),
        ];
        let reply = self
            .http
            .form(&format!("{}/oauth/token", self.url), &pairs)
            .await;
        reply.json()["access_token"]
            .as_str()
            .expect("a token")
            .to_owned()
    }

    async fn create_connection(&self, name: &str, secret: &str) {
        let new = NewConnection::new(name, "mail").client(CLIENT_ID, secret);
        self.platform
            .environment()
            .send(new)
            .await
            .expect("a connection");
    }

    pub async fn get(&self, path: &str) -> Reply {
        self.http
            .get(&format!("{}{path}", self.url), &self.bearer)
            .await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        self.http
            .delete(&format!("{}{path}", self.url), &self.bearer)
            .await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> Reply {
        let url = format!("{}{path}", self.url);
        self.http
            .json(Method::PATCH, &url, &self.bearer, body)
            .await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Reply {
        let url = format!("{}{path}", self.url);
        self.http.json(Method::POST, &url, &self.bearer, body).await
    }

    /// An authorization link for a user of the application.
    pub async fn link(&self, identifier: &str) -> String {
        let reply = self
            .post(
                "/v1/authorization-links",
                &json!({ "connection_name": "mail", "identifier": identifier }),
            )
            .await;
        reply.json()["link"]
            .as_str()
            .unwrap_or_else(|| panic!("no link: {}", reply.text()))
            .to_owned()
    }

    /// Connects a user of the application as a user of the sandbox.
    pub async fn connect(&self, identifier: &str, user: &str) {
        let link = self.link(identifier).await;
        let done = Browser::new().connect(self, &link, user).await;
        assert_eq!(done.status, 200, "{}", done.text());
        assert_eq!(self.state(identifier).await, "active");
    }

    /// Allows these scopes, or none, as a user of the sandbox. Returns the address to which the product sends the
    /// browser.
    pub fn consent(&self, product: &str, user: &str, scopes: &[&str]) -> String {
        let back = self.sandbox.sandbox.consent(product, user, scopes);
        back.unwrap_or_else(|page| panic!("no way back: {page}"))
            .into()
    }

    /// The response of a tool.
    pub async fn execute(&self, tool: &str, identifier: &str, input: Value) -> Reply {
        let body = json!({ "connection_name": "mail", "identifier": identifier, "input": input });
        self.post(&format!("/v1/tools/{tool}/execute"), &body).await
    }

    /// The response of a tool that needs no input.
    pub async fn drafts(&self, identifier: &str) -> Reply {
        self.execute("mail_list_drafts", identifier, json!({}))
            .await
    }

    /// The application confirms who came back.
    pub async fn verify(&self, id: &str, identifier: &str) -> Reply {
        let path = format!("/v1/authorizations/{id}/verify");
        self.post(&path, &json!({ "identifier": identifier })).await
    }

    pub async fn state(&self, identifier: &str) -> Value {
        self.account(identifier).await["state"].take()
    }

    pub fn fault(&self, fault: Fault) {
        self.sandbox.sandbox.fault(fault);
    }

    /// Causes a fault, given as JSON. Omitted members have their defaults.
    pub fn cause(&self, fault: Value) {
        self.fault(serde_json::from_value(fault).expect("a fault"));
    }

    /// How many requests the sandbox has received.
    pub fn received(&self) -> usize {
        self.sandbox.sandbox.received().len()
    }

    /// How many of these requests revoked a token.
    pub fn revocations(&self) -> usize {
        let received = self.sandbox.sandbox.received();
        let revocations = received.iter().filter(|one| one.path.ends_with("/revoke"));
        revocations.count()
    }

    pub async fn account(&self, identifier: &str) -> Value {
        self.get(&format!("/v1/accounts/mail/{}", encode(identifier)))
            .await
            .json()
    }

    /// `host:port` of the service.
    pub fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }
}
