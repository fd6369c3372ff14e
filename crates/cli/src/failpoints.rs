//! Failpoints of a test build. Before or after each write and token request, this process can abort, wait, or lose its
//! store, and its clock can be wrong. A file selects them. The process reads it again at every place, so a test can
//! change it at any time.
//!
//! Each line of the file is `NAME=VALUE`:
//!
//! | name | value |
//! |---|---|
//! | `refresh.keep:before`, `refresh.keep:after` and so on: a change, before and after its commit | `abort`, `pause`, `fail` |
//! | `token.send:before`, `token.read:after`: a token request, before it is sent and when its response was read | `abort`, `pause` |
//! | `spool.put:before`, `spool.put:after`: tokens that wait for the store, before and after they are on the disk | `abort`, `pause`, `fail` |
//! | `store` | `away`: nothing is read or written |
//! | `clock` | seconds by which the time of day is wrong |
//!
//! `abort@3` acts at the third pass since the file names it. Each action adds a line to a file with the same name and
//! the suffix `.reached`.

use std::{
    collections::HashMap,
    fs,
    io::Write as _,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use stead::{
    Error, ErrorKind, PlatformBuilder, Result, TokioRuntime,
    store::FileSpool,
    transport::{ReqwestTransport, TransportOptions},
};
use stead_core::{
    ports::{Body, BoxFuture, Limits, Runtime, Spool, Spooled, Transport, TransportError},
    store::{Batch, Commit, Found, Index, Key, List, Row, Store, Table, Value, Versioned},
};

/// How often a waiting place checks whether it may continue.
const LOOK: Duration = Duration::from_millis(5);

/// The failpoints of this process.
#[derive(Debug)]
struct Failpoints {
    file: PathBuf,
    /// How often each place was passed since the file names it.
    passed: Mutex<HashMap<String, u32>>,
}

/// The builder with a database, a spool and a network that fail as `file` says. `open` opens the database.
pub(crate) async fn install(
    builder: PlatformBuilder,
    open: impl AsyncFnOnce(Arc<dyn Runtime>) -> Result<Arc<dyn Store>>,
    spool: Option<FileSpool>,
    file: PathBuf,
) -> Result<PlatformBuilder> {
    let points = Arc::new(Failpoints {
        file,
        passed: Mutex::default(),
    });
    let runtime: Arc<dyn Runtime> = Arc::new(WrongClock(TokioRuntime::current()?, points.clone()));
    let store = open(Arc::clone(&runtime)).await?;
    let transport = ReqwestTransport::new(TransportOptions::default()).map_err(|error| {
        Error::new(ErrorKind::Internal, "can't set up the HTTP client").with_source(error)
    })?;
    let builder = match spool {
        Some(spool) => builder.spool(Arc::new(FailingSpool(spool, points.clone()))),
        None => builder,
    };
    Ok(builder
        .store(Arc::new(FailingStore(store, points.clone())))
        .transport(Arc::new(FailingTransport(transport, points)))
        .runtime(runtime))
}

impl Failpoints {
    /// The file's current value for a name.
    fn setting(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(&self.file).ok()?;
        text.lines()
            .filter_map(|line| line.split_once('='))
            .find(|(named, _)| *named == name)
            .map(|(_, value)| value.trim().to_owned())
    }

    /// How often each place was passed since the file names it.
    fn count(&self, place: &str, named: bool) -> u32 {
        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        if !named {
            passed.remove(place);
            return 0;
        }
        let times = passed.entry(place.to_owned()).or_default();
        *times += 1;
        *times
    }

    /// Performs the file's action for this place.
    async fn pass(&self, place: &str) -> Result<()> {
        let setting = self.setting(place);
        let passed = self.count(place, setting.is_some());
        let Some(value) = setting else {
            return Ok(());
        };
        let (action, time) = value.split_once('@').unwrap_or((&value, ""));
        if time.parse().is_ok_and(|time: u32| time != passed) {
            return Ok(());
        }
        self.note(&format!("{place} {action}"));
        match action {
            "abort" => std::process::abort(),
            "fail" => return Err(away(place)),
            _ => {
                while self.setting(place).is_some() {
                    tokio::time::sleep(LOOK).await;
                }
            }
        }
        Ok(())
    }

    fn note(&self, line: &str) {
        let mut path = self.file.clone().into_os_string();
        path.push(".reached");
        let opened = fs::OpenOptions::new().create(true).append(true).open(path);
        if let Ok(mut file) = opened {
            let _ = writeln!(file, "{line}");
        }
    }

    /// Fails while the file says that the store is away.
    fn store(&self) -> Result<()> {
        match self.setting("store").as_deref() {
            Some("away") => Err(away("store")),
            _ => Ok(()),
        }
    }
}

fn away(place: &str) -> Error {
    Error::new(
        ErrorKind::StorageUnavailable,
        format!("the failpoint {place} says that the store is away"),
    )
}

/// A store that fails as the file says.
struct FailingStore(Arc<dyn Store>, Arc<Failpoints>);

impl Store for FailingStore {
    fn get<'a>(&'a self, key: &'a Key) -> Found<'a> {
        Box::pin(async move {
            self.1.store()?;
            self.0.get(key).await
        })
    }

    fn find<'a>(&'a self, table: &'static Table, index: Index, values: &'a [Value]) -> Found<'a> {
        Box::pin(async move {
            self.1.store()?;
            self.0.find(table, index, values).await
        })
    }

    fn list<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<Vec<Versioned<Row>>>> {
        Box::pin(async move {
            self.1.store()?;
            self.0.list(list).await
        })
    }

    fn commit(&self, batch: Batch) -> BoxFuture<'_, Result<Commit>> {
        Box::pin(async move {
            let name = batch.name;
            self.1.store()?;
            self.1.pass(&format!("{name}:before")).await?;
            let commit = self.0.commit(batch).await?;
            self.1.pass(&format!("{name}:after")).await?;
            Ok(commit)
        })
    }

    fn prune<'a>(&'a self, list: &'a List) -> BoxFuture<'a, Result<u64>> {
        Box::pin(async move {
            self.1.store()?;
            self.0.prune(list).await
        })
    }

    fn now(&self) -> BoxFuture<'_, Result<Timestamp>> {
        Box::pin(async move {
            self.1.store()?;
            self.0.now().await
        })
    }

    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.1.store()?;
            self.0.ready().await
        })
    }

    fn is_shared(&self) -> bool {
        self.0.is_shared()
    }

    fn restored_at(&self) -> BoxFuture<'_, Result<Option<Timestamp>>> {
        self.0.restored_at()
    }
}

/// A spool that fails as the file says.
struct FailingSpool(FileSpool, Arc<Failpoints>);

impl Spool for FailingSpool {
    fn enter<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<()>> {
        self.0.enter(process)
    }

    fn has_ended<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<bool>> {
        self.0.has_ended(process)
    }

    fn put<'a>(&'a self, name: &'a str, record: &'a [u8]) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.1.pass("spool.put:before").await?;
            self.0.put(name, record).await?;
            self.1.pass("spool.put:after").await
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<Spooled>>> {
        self.0.list()
    }

    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<()>> {
        self.0.remove(name)
    }
}

/// A transport with places around token requests: those whose path ends in `/oauth/token`.
struct FailingTransport(ReqwestTransport, Arc<Failpoints>);

impl Transport for FailingTransport {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, std::result::Result<http::Response<Body>, TransportError>> {
        if !request.uri().path().ends_with("/oauth/token") {
            return self.0.send(request);
        }
        Box::pin(async move {
            // These failpoints only abort or wait. A test makes requests fail through the product that it plays.
            let _ = self.1.pass("token.send:before").await;
            let (head, body) = self.0.send(request).await?.into_parts();
            let body = body.collect(Limits::DEFAULT.response_bytes).await?;
            let _ = self.1.pass("token.read:after").await;
            Ok(http::Response::from_parts(head, body.into()))
        })
    }
}

/// A clock that is wrong by the file's seconds.
struct WrongClock(TokioRuntime, Arc<Failpoints>);

impl Runtime for WrongClock {
    fn now(&self) -> Timestamp {
        let now = self.0.now();
        let seconds = self.1.setting("clock").and_then(|text| text.parse().ok());
        let shift = jiff::SignedDuration::from_secs(seconds.unwrap_or_default());
        now.checked_add(shift).unwrap_or(now)
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.0.spawn(task);
    }
}
