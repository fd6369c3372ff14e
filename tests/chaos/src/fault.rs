//! Faults that last for a while: of the disk, the store or PostgreSQL, or of callers who hold unused connections.

use std::{fs, process::Command, time::Duration};

use anyhow::{Context as _, Result, ensure};
use http::Method;
use stead_test_postgres::Server;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    task::JoinSet,
};

use crate::{
    connections::CONNECTIONS,
    database::blocking,
    http_client::HttpClient,
    stage::{Stage, with},
    time::until,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    DiskFull,
    /// Another program holds the database's write lock.
    WriteLock,
    /// The store can't be read or written.
    StoreAway,
    /// The database file is moved away.
    FileGone,
    /// PostgreSQL shuts down normally and removes its socket.
    PostgresStopped,
    /// PostgreSQL crashes. Its socket stays, and refuses connections.
    PostgresKilled,
    /// PostgreSQL accepts connections and never responds.
    PostgresFrozen,
    /// Idle sockets take every file descriptor.
    NoDescriptors,
    /// A thousand connections, which don't exhaust the service's descriptors.
    IdleSockets,
    SlowBodies,
    /// A hundred readers that request 4 MiB each and stop reading.
    SlowReaders,
    /// 2,000 callers wait for a product that never responds.
    StalledProduct,
}
use Fault::{
    DiskFull, FileGone, IdleSockets, NoDescriptors, PostgresFrozen, PostgresKilled,
    PostgresStopped, SlowBodies, SlowReaders, StalledProduct, StoreAway, WriteLock,
};

/// A running fault. Dropping it ends the callers and releases the lock.
#[derive(Default)]
pub(crate) struct Begun {
    lock: Option<rusqlite::Connection>,
    callers: JoinSet<()>,
}

impl Fault {
    /// Whether the store can't be written to.
    pub(crate) fn is_of_store(self) -> bool {
        self.takes_everything() || matches!(self, DiskFull | WriteLock | FileGone)
    }

    /// Whether the store can't be read either.
    pub(crate) fn takes_everything(self) -> bool {
        self.is_of_postgres() || self == StoreAway
    }

    pub(crate) fn is_of_postgres(self) -> bool {
        matches!(self, PostgresStopped | PostgresKilled | PostgresFrozen)
    }

    /// Whether callers hold connections and send nothing.
    pub(crate) fn is_silent(self) -> bool {
        matches!(self, IdleSockets | SlowBodies)
    }

    /// How long the fault lasts.
    pub(crate) fn lasts(self, smoke: bool) -> Duration {
        Duration::from_secs(match (self, smoke) {
            (FileGone | NoDescriptors, _) => 6,
            (StoreAway, false) => 180,
            (_, true) if self.is_of_store() => 10,
            (_, true) => 6,
            (_, false) if self.is_of_store() => 60,
            _ => 15,
        })
    }

    pub(crate) async fn begin(self, stage: &Stage) -> Result<Begun> {
        let mut begun = Begun::default();
        match self {
            DiskFull => {
                match &stage.disk {
                    Some(disk) => disk.fill()?,
                    None => limit_files(stage, "1024")?,
                }
                // Wait, because the database's log may still have free space for the tokens.
                until("a write fails", Duration::from_secs(60), async || {
                    let reply = stage.link(&CONNECTIONS[0], "someone").await.ok()?;
                    (reply.status != 201).then_some(())
                })
                .await?;
            }
            WriteLock => {
                let lock = rusqlite::Connection::open(stage.service.setup.database())?;
                lock.busy_timeout(Duration::from_secs(20))?;
                lock.execute_batch("BEGIN IMMEDIATE")?;
                begun.lock = Some(lock);
            }
            StoreAway => stage.service.setup.arm(&["store=away"])?,
            FileGone => {
                let database = stage.service.setup.database();
                fs::rename(&database, database.with_extension("elsewhere"))?;
            }
            PostgresStopped => postgres(stage, |server| server.down("fast")).await?,
            PostgresKilled => signal(server(stage)?, "KILL", false)?,
            PostgresFrozen => signal(server(stage)?, "STOP", true)?,
            NoDescriptors => hold(stage, &mut begun.callers, 300, ""),
            IdleSockets => hold(stage, &mut begun.callers, 1000, ""),
            SlowBodies => hold(stage, &mut begun.callers, 1000, SLOW_BODY),
            SlowReaders => {
                let user = stage.user_of("stable")?;
                let (path, bearer) = (user.path("large/4096"), &stage.bearer);
                let head = format!(
                    "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {bearer}\r\n\r\n"
                );
                hold(stage, &mut begun.callers, 100, &head);
            }
            StalledProduct => {
                // Use other connections than the measured callers.
                let callers = HttpClient::new();
                let path = stage.user_of("stable")?.path("stalled");
                let url = format!("{}{path}", stage.service.setup.url());
                for _ in 0..2000 {
                    let (http, bearer) = (callers.clone(), stage.bearer.clone());
                    let url = url.clone();
                    begun.callers.spawn(async move {
                        let _ = http.send(Method::GET, &url, with(&bearer)).await;
                    });
                }
            }
        }
        Ok(begun)
    }

    pub(crate) async fn end(self, stage: &Stage, mut begun: Begun) -> Result<()> {
        match self {
            DiskFull => match &stage.disk {
                Some(disk) => disk.empty()?,
                None => limit_files(stage, "unlimited")?,
            },
            WriteLock => begun
                .lock
                .take()
                .context("no lock")?
                .execute_batch("ROLLBACK")?,
            StoreAway => drop(stage.service.setup.disarm()?),
            FileGone => {
                let database = stage.service.setup.database();
                fs::rename(database.with_extension("elsewhere"), database)?;
            }
            PostgresStopped | PostgresKilled => postgres(stage, Server::up).await?,
            PostgresFrozen => signal(server(stage)?, "CONT", true)?,
            _ => begun.callers.shutdown().await,
        }
        Ok(())
    }
}

/// Sets the service's soft limit for file sizes, in bytes.
fn limit_files(stage: &Stage, bytes: &str) -> Result<()> {
    let id = stage.service.id().context("the service has ended")?;
    let arguments = [format!("--pid={id}"), format!("--fsize={bytes}:")];
    let status = Command::new("prlimit").args(arguments).status()?;
    ensure!(status.success(), "prlimit: {status}");
    Ok(())
}

fn server(stage: &Stage) -> Result<&Server> {
    let server = stage.database.server();
    server.map(AsRef::as_ref).context("the stage has no server")
}

/// Runs a blocking command on PostgreSQL.
pub(crate) async fn postgres(
    stage: &Stage,
    act: impl FnOnce(&Server) + Send + 'static,
) -> Result<()> {
    let server = stage.database.server().cloned();
    let server = server.context("the stage has no server")?;
    blocking(move || act(&server)).await
}

/// Sends a signal to PostgreSQL's first process, or to all of its processes.
fn signal(server: &Server, name: &str, to_all: bool) -> Result<()> {
    let file = fs::read_to_string(server.folder().join("data/postmaster.pid"))?;
    let first = file.lines().next().context("no process")?;
    let line = match to_all {
        true => format!("kill -s {name} {first} $(pgrep -P {first})"),
        false => format!("kill -s {name} {first}"),
    };
    let status = Command::new("sh").args(["-c", &line]).status()?;
    ensure!(status.success(), "{line}: {status}");
    Ok(())
}

const SLOW_BODY: &str = "POST /oauth/token HTTP/1.1\r\nHost: x\r\n\
    Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ngrant";

/// Opens connections, sends `bytes` on each, and reads only the start of the response.
fn hold(stage: &Stage, callers: &mut JoinSet<()>, count: usize, bytes: &str) {
    let address = stage.service.setup.url().replace("http://", "");
    for _ in 0..count {
        let (address, bytes) = (address.clone(), bytes.to_owned());
        callers.spawn(async move {
            if let Ok(mut stream) = connect(&address).await
                && stream.write_all(bytes.as_bytes()).await.is_ok()
            {
                let read = stream.read(&mut [0; 64]).await;
                if read.is_ok_and(|count| count > 0) {
                    // It no longer reads, so it doesn't notice when the service closes the connection.
                    std::future::pending().await
                }
            }
        });
    }
}

/// Connects with a small receive buffer, so that unread data waits in the service and not in the kernel.
async fn connect(address: &str) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(16 * 1024)?;
    Ok(socket.connect(address.parse()?).await?)
}
