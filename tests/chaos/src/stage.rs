//! The stage of a run: the product with its books, one or more services with their database, and users connected
//! through the public API.

use std::{
    fs, iter,
    net::TcpListener,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use futures_util::{StreamExt as _, future::try_join_all, stream};
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    Options,
    books::Books,
    connections::{CONNECTIONS, Connection, User, connection, settings},
    database::Database,
    disk::SmallDisk,
    http_client::{HttpClient, Parts, Reply, raise_descriptors},
    product,
    report::Report,
    service::{Service, Setup},
    time::until,
};

/// Suffixes of the files of services that share a database.
const INSTANCES: [&str; 5] = ["", "-2", "-3", "-4", "-5"];

pub(crate) struct Stage {
    pub(crate) books: Arc<Books>,
    pub(crate) http: HttpClient,
    pub(crate) service: Service,
    /// More services on the same database.
    pub(crate) others: Vec<Service>,
    pub(crate) database: Database,
    /// The small disk of the database, if there is one.
    pub(crate) disk: Option<SmallDisk>,
    /// The URL of the product.
    pub(crate) product: String,
    pub(crate) bearer: String,
    pub(crate) users: Vec<User>,
    /// Which service was killed, and when.
    pub(crate) kills: Vec<(usize, Instant)>,
    /// The application's client ID and secret.
    credentials: Value,
    /// Counts requests, so that each goes to the next service.
    turn: AtomicUsize,
    _folder: TempDir,
}

/// The disk, the database and the services of a stage.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ground {
    File,
    /// A database file, on a small disk if this user may mount one.
    Disk,
    SmallDisk,
    /// A database file, and `ulimit` options that limit file descriptors.
    Descriptors(&'static str),
    /// PostgreSQL and one service per number. The number says how many seconds its clock is wrong.
    Services(&'static [i64]),
    /// The same for thousands of callers.
    Crowd(&'static [i64]),
    /// PostgreSQL, an older service and this one.
    OldAndNew,
}

impl Stage {
    /// Opens the stage of a scenario. `None` if this machine can't run it; the report then has the reason.
    pub(crate) async fn on(
        ground: Ground,
        options: &Options,
        report: &mut Report,
    ) -> Result<Option<Self>> {
        let binary: &Path = &options.binary;
        // This program holds both ends of the connections to the product, and the callers' ends of theirs.
        let is_crowd = matches!(ground, Ground::Descriptors("-S -n 1024") | Ground::Crowd(_));
        if is_crowd && !raise_descriptors() {
            report.left_out = Some("this program's descriptors cannot be raised");
            return Ok(None);
        }
        let stage = match ground {
            Ground::File => Self::open(binary, None, false).await?,
            Ground::Descriptors(limit) => Self::open(binary, Some(limit), false).await?,
            Ground::Disk | Ground::SmallDisk => Self::open(binary, None, true).await?,
            Ground::Services(clocks) | Ground::Crowd(clocks) => {
                let services: Vec<_> = clocks.iter().map(|clock| (binary, *clock)).collect();
                let Some(stage) = Self::cluster(&services).await? else {
                    report.left_out = Some("PostgreSQL is not installed");
                    return Ok(None);
                };
                stage
            }
            Ground::OldAndNew => {
                let Some(old) = &options.old else {
                    report.left_out = Some("`cargo xtask upgrade` gives it the older binary");
                    return Ok(None);
                };
                // The older one comes first and creates the tables.
                let Some(stage) = Self::cluster(&[(old, 0), (binary, 0)]).await? else {
                    report.left_out = Some("PostgreSQL is not installed");
                    return Ok(None);
                };
                stage
            }
        };
        if stage.disk.is_none() && matches!(ground, Ground::SmallDisk) {
            report.left_out = Some("this user may not mount");
            return Ok(None);
        }
        Ok(Some(stage))
    }

    /// Opens a stage with one service and a database file.
    pub(crate) async fn open(
        binary: &Path,
        descriptors: Option<&'static str>,
        on_disk: bool,
    ) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("data");
        fs::create_dir(&data)?;
        let mut setup = setup(binary, folder.path()).await?;
        setup.descriptors = descriptors;
        let disk = on_disk.then(|| SmallDisk::mount(&data)).flatten();
        let database = Database::File(setup.database());
        Self::start(folder, database, vec![setup], disk).await
    }

    /// Opens a stage with several services on a new PostgreSQL server. Each has a binary and an error of its clock, in
    /// seconds. `None` if PostgreSQL isn't installed.
    async fn cluster(services: &[(&Path, i64)]) -> Result<Option<Self>> {
        let Some(database) = Database::on_server().await? else {
            return Ok(None);
        };
        let folder = tempfile::tempdir()?;
        let first = setup(services[0].0, folder.path()).await?;
        let mut setups = Vec::new();
        for ((binary, clock), instance) in services.iter().zip(INSTANCES) {
            let port = match setups.is_empty() {
                true => first.port,
                false => free_port()?,
            };
            let setup = Setup {
                binary: binary.to_path_buf(),
                port,
                settings: folder.path().join(format!("stead{instance}.toml")),
                instance,
                database_url: database.url(),
                clock: *clock,
                ..first.clone()
            };
            setup.arm(&[])?;
            setups.push(setup);
        }
        Self::start(folder, database, setups, None).await.map(Some)
    }

    async fn start(
        folder: TempDir,
        database: Database,
        setups: Vec<Setup>,
        disk: Option<SmallDisk>,
    ) -> Result<Self> {
        let books = Arc::new(Books::default());
        let product = product::serve(Arc::clone(&books)).await?;
        for (number, setup) in setups.iter().enumerate() {
            fs::write(&setup.settings, settings(&product, number))?;
        }
        let http = HttpClient::new();
        let credentials = credentials(&setups[0]).await?;
        let services = setups.into_iter().map(|setup| Service::start(setup, &http));
        let mut services = try_join_all(services).await?;
        let mut stage = Self {
            books,
            http,
            service: services.remove(0),
            others: services,
            database,
            disk,
            product,
            bearer: String::new(),
            users: Vec::new(),
            kills: Vec::new(),
            credentials,
            turn: AtomicUsize::new(0),
            _folder: folder,
        };
        stage.bearer = stage.token(&stage.credentials).await?;
        for connection in &CONNECTIONS {
            stage.create_connection(connection).await?;
        }
        Ok(stage)
    }

    pub(crate) fn services(&self) -> impl Iterator<Item = &Service> {
        iter::once(&self.service).chain(&self.others)
    }

    /// A service by its number. `service` is 0.
    pub(crate) fn service_mut(&mut self, number: usize) -> &mut Service {
        match number.checked_sub(1) {
            None => &mut self.service,
            Some(number) => &mut self.others[number],
        }
    }

    /// The URL of the next service in turn.
    pub(crate) fn next_url(&self) -> String {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let services: Vec<&Service> = self.services().collect();
        services[turn % services.len()].setup.url()
    }

    /// Requests an access token for the application, and returns the response.
    pub(crate) async fn issue_token(&self) -> Result<Reply> {
        self.ask_for_token(&self.credentials).await
    }

    /// Issues another access token for the application.
    pub(crate) async fn new_token(&self) -> Result<String> {
        self.token(&self.credentials).await
    }

    /// Issues an access token for these credentials.
    pub(crate) async fn token(&self, credentials: &Value) -> Result<String> {
        let reply = self.ask_for_token(credentials).await?;
        let token = reply.json()["access_token"].as_str().map(str::to_owned);
        token.with_context(|| format!("no access token: {}", reply.says()))
    }

    async fn ask_for_token(&self, credentials: &Value) -> Result<Reply> {
        let url = format!("{}/oauth/token", self.next_url());
        let parts = Parts {
            form: Some(token_form(credentials)),
            ..Parts::default()
        };
        self.http.send(Method::POST, &url, parts).await
    }

    /// The form with which the application requests an access token.
    pub(crate) fn token_form(&self) -> String {
        token_form(&self.credentials)
    }

    async fn create_connection(&self, connection: &Connection) -> Result<()> {
        let mut new = json!({
            "connection_name": connection.name,
            "product": connection.product,
            "client_id": connection.client,
            "client_secret": "secret",
        });
        if connection.product == "warehouse" {
            let account = connection.host.split('.').next();
            new["settings"] = json!({ "account": account });
        }
        if connection.product == "mail" {
            new["permissions"] = json!(["read", "send"]);
        }
        let reply = self
            .call(Method::POST, "/v1/connections", Some(new))
            .await?;
        ensure!(reply.status == 201, "{}: {}", connection.name, reply.text());
        Ok(())
    }

    /// Allows raw requests that write through `stable`. An older service doesn't know the member.
    pub(crate) async fn allow_raw_writes(&self) -> Result<()> {
        let change = json!({ "allowed_requests": ["change_schema"] });
        let reply = self
            .call(Method::PATCH, "/v1/connections/stable", Some(change))
            .await?;
        ensure!(reply.status == 200, "stable: {}", reply.text());
        Ok(())
    }

    /// Sends a request as the application.
    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        json: Option<Value>,
    ) -> Result<Reply> {
        let url = format!("{}{path}", self.next_url());
        let parts = Parts {
            bearer: Some(&self.bearer),
            json,
            ..Parts::default()
        };
        self.http.send(method, &url, parts).await
    }

    /// Sends a raw request that only reads.
    pub(crate) async fn read(&self, user: &User) -> Result<Reply> {
        self.call(Method::GET, &user.path("thing"), None).await
    }

    /// Connects this many users to each of these connections.
    pub(crate) async fn populate(&mut self, names: &[&str], each: usize) -> Result<()> {
        self.populate_as("user", names, each).await
    }

    /// The same, with a prefix for the identifiers.
    pub(crate) async fn populate_as(
        &mut self,
        prefix: &str,
        names: &[&str],
        each: usize,
    ) -> Result<()> {
        let wanted = names
            .iter()
            .flat_map(|name| (0..each).map(move |number| (name, number)));
        let wanted: Vec<_> = wanted
            .map(|(name, number)| (connection(name), format!("{prefix}-{number}")))
            .collect();
        let connected: Vec<Result<User>> = stream::iter(&wanted)
            .map(|(connection, identifier)| self.connect(connection, identifier))
            .buffered(8)
            .collect()
            .await;
        for user in connected {
            self.users.push(user?);
        }
        Ok(())
    }

    /// The first user of a connection.
    pub(crate) fn user_of(&self, name: &str) -> Result<&User> {
        let mut users = self.users.iter();
        let found = users.find(|user| user.connection.name == name);
        found.with_context(|| format!("no user of {name}"))
    }

    /// Stops the service with SIGTERM, as an operator does.
    pub(crate) async fn stop(&mut self) -> Result<()> {
        self.service.signal("TERM")?;
        self.service.ended(Duration::from_secs(40)).await?;
        Ok(())
    }

    pub(crate) async fn kill(&mut self) -> Result<()> {
        let killed = self.service.kill().await?;
        self.kills.push((0, killed));
        Ok(())
    }

    pub(crate) async fn restart_killed(&mut self) -> Result<()> {
        self.kill().await?;
        self.restart().await
    }

    /// Starts one of the services again after it ended.
    pub(crate) async fn restart_one(&mut self, number: usize) -> Result<()> {
        let setup = self.service_mut(number).setup.clone();
        let service = Service::start(setup, &self.http).await?;
        *self.service_mut(number) = service;
        Ok(())
    }

    /// Starts the first service again after it ended.
    pub(crate) async fn restart(&mut self) -> Result<()> {
        self.restart_one(0).await
    }

    /// Waits until the service can create a link again. Returns how long that took.
    pub(crate) async fn writes_again(&self, limit: Duration) -> Result<Duration> {
        let looked = until("a link can be made", limit, async || {
            let link = self.link(&CONNECTIONS[0], "someone");
            let reply = tokio::time::timeout(limit, link).await.ok()?.ok()?;
            (reply.status == 201).then_some(())
        });
        Ok(looked.await?.1)
    }
}

/// A request with this access token.
pub(crate) fn with(bearer: &str) -> Parts<'_> {
    Parts {
        bearer: Some(bearer),
        ..Parts::default()
    }
}

/// Finds a port on which nothing listens. The system doesn't assign ports of this range, so no one else gets it while
/// the service restarts.
pub(crate) fn free_port() -> Result<u16> {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id().wrapping_mul(50);
    let ports = (0..10_000).map(|_| {
        let port = first.wrapping_add(TRIED.fetch_add(1, Ordering::Relaxed)) % 12_000;
        20_000 + u16::try_from(port).unwrap_or_default()
    });
    let mut ports = ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    ports.next().context("no port is free")
}

/// Prepares a service whose files are in this folder.
async fn setup(binary: &Path, folder: &Path) -> Result<Setup> {
    let port = free_port()?;
    let mut setup = Setup {
        binary: binary.to_owned(),
        folder: folder.to_owned(),
        key: String::new(),
        port,
        public_port: port,
        settings: folder.join("stead.toml"),
        instance: "",
        database_url: None,
        clock: 0,
        descriptors: None,
    };
    setup.arm(&[])?;
    setup.key = key(&setup).await?;
    Ok(setup)
}

async fn key(setup: &Setup) -> Result<String> {
    let output = setup.command(&["keys", "generate"]).output().await?;
    let text = String::from_utf8(output.stdout)?;
    let line = text.lines().find(|line| line.contains(':'));
    let key = line.context("no key was generated")?;
    Ok(key.trim_start_matches("STEAD_KEY=").trim().to_owned())
}

async fn credentials(setup: &Setup) -> Result<Value> {
    new_credentials(setup, &["--name", "chaos"]).await
}

/// Creates another application with these options. Returns its client ID and secret.
pub(crate) async fn new_credentials(setup: &Setup, options: &[&str]) -> Result<Value> {
    let arguments = [&["--json", "credentials", "create"], options].concat();
    let output = setup.command(&arguments).output().await?;
    if !output.status.success() {
        bail!(
            "no credentials: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn token_form(credentials: &Value) -> String {
    let text = |name: &str| credentials[name].as_str().unwrap_or_default();
    format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        text("client_id"),
        text("client_secret")
    )
}
