//! `stead bench-calls`: calls of the library in this process, for measurements; hidden from the help.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use clap::Args;
use serde_json::{Value, json};
use stead::{NewConnection, Platform, Stead, TokioRuntime};
use stead_core::{
    environment::ProductOptions,
    ports::{Body, BoxFuture, Runtime as _, Transport, TransportError},
    resource::{AccountImport, AccountWithTokens},
};
use tokio::task::JoinSet;

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    target::{Database, IfMissing},
    terminal::Terminal,
};

/// How many mails the transport in memory lists.
const MAILS: usize = 20;

/// Make calls with the library in this process, and print measurements as JSON.
#[derive(Debug, Args)]
pub(crate) struct BenchCalls {
    /// Path of a raw request.
    #[arg(long, value_name = "PATH", required_unless_present = "tool")]
    path: Option<String>,
    /// Tool to run, without input.
    #[arg(long, value_name = "TOOL", conflicts_with = "path")]
    tool: Option<String>,
    /// Identifier of the account of the connection `mail`.
    #[arg(long, default_value = "bench")]
    identifier: String,
    /// Calls in parallel.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    concurrency: usize,
    /// End after this many seconds.
    #[arg(long, value_name = "NUMBER", default_value_t = u64::MAX)]
    seconds: u64,
    /// End after this many calls.
    #[arg(long, value_name = "NUMBER", default_value_t = u64::MAX)]
    calls: u64,
    /// Use a store in memory, and a transport that responds immediately.
    #[arg(long)]
    in_memory: bool,
    #[command(flatten)]
    database: Database,
}

/// State that all callers share.
struct Run {
    arguments: BenchCalls,
    stead: Stead,
    clock: TokioRuntime,
    begun: AtomicU64,
    failed: AtomicU64,
    bytes: AtomicU64,
}

impl BenchCalls {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let platform = match self.in_memory {
            true => in_memory(&self.identifier).await?,
            false => self.database.open_without_links(IfMissing::Refuse).await?,
        };
        let concurrency = self.concurrency;
        let run = Arc::new(Run {
            arguments: self,
            stead: Stead::from(&platform),
            clock: TokioRuntime::current()?,
            begun: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        });
        let before = cpu_seconds();
        let mut callers = JoinSet::new();
        for _ in 0..concurrency {
            callers.spawn(Arc::clone(&run).calls());
        }
        let mut times = callers.join_all().await.concat();
        let took = run.clock.monotonic();
        let cpu = cpu_seconds() - before;
        times.sort_unstable();
        let at = |part: usize| times.get(times.len() * part / 100).copied();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        // The members of xtask's `Sample`.
        terminal.result_json(&json!({
            "requests": times.len(), "status": count(&run.failed), "timeout": 0, "connection": 0,
            "bytes": count(&run.bytes), "micros": took.as_micros() as u64, "p50": at(50), "p99": at(99),
            "cpu": cpu, "resident": resident_bytes(),
        }));
        platform.shut_down().await;
        Ok(())
    }
}

impl Run {
    /// Makes calls one after another, and returns the microseconds of each.
    async fn calls(self: Arc<Self>) -> Vec<u32> {
        let end = Duration::from_secs(self.arguments.seconds);
        let mut times = Vec::new();
        loop {
            let began = self.clock.monotonic();
            if began >= end || self.begun.fetch_add(1, Ordering::Relaxed) >= self.arguments.calls {
                return times;
            }
            match self.call().await {
                Ok(bytes) => self.bytes.fetch_add(bytes, Ordering::Relaxed),
                Err(error) => {
                    // One log line is enough.
                    if self.failed.load(Ordering::Relaxed) == 0 {
                        tracing::error!(%error, "a call failed");
                    }
                    self.failed.fetch_add(1, Ordering::Relaxed)
                }
            };
            let took = self.clock.monotonic() - began;
            times.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
        }
    }

    /// Makes a call, and returns the bytes of its result.
    async fn call(&self) -> stead::Result<u64> {
        let account = self.stead.account("mail", &self.arguments.identifier)?;
        let bytes = match (&self.arguments.path, &self.arguments.tool) {
            (Some(path), _) => account.get(path).await?.into_body().len(),
            (None, Some(tool)) => {
                let execution = account.execute(tool, json!({})).await?;
                execution.data.get().len()
            }
            // The arguments ask for one of them.
            (None, None) => 0,
        };
        Ok(bytes as u64)
    }
}

async fn in_memory(identifier: &str) -> Outcome<Platform> {
    let mut options = ProductOptions::default();
    options.rate_limited = Some(false);
    let platform = Platform::builder("http://127.0.0.1")
        .in_memory()
        .ephemeral_key()
        .transport(Arc::new(Canned::new()))
        .product("mail", options)
        .build()
        .await?;
    let mail = NewConnection::mail("mail").client("bench", "secret");
    platform.connections().create(mail).await?;
    let mut account = AccountWithTokens::new("mail", identifier, "t".repeat(220));
    account.scopes = Some(vec![String::from("https://mail.google.com/")]);
    let results = platform
        .accounts()
        .import(AccountImport::new(vec![account]))
        .await?
        .results;
    match results.into_iter().find_map(|result| result.problem) {
        Some(problem) => Err(Failure::new(
            Exit::Failed,
            problem.detail,
            "This is a bug in Stead. Please report it.",
        )),
        None => Ok(platform),
    }
}

/// Responds immediately, in Gmail's format.
struct Canned {
    list: Vec<u8>,
    mail: Vec<u8>,
    page: Vec<u8>,
}

impl Canned {
    fn new() -> Self {
        let bytes = |value: Value| value.to_string().into_bytes();
        let ids = |letter: &str, count: usize| -> Vec<Value> {
            let ids = (0..count)
                .map(|number| json!({ "id": format!("{letter}{number}"), "threadId": "t" }));
            ids.collect()
        };
        Self {
            list: bytes(json!({ "messages": ids("m", MAILS), "resultSizeEstimate": MAILS })),
            mail: bytes(json!({
                "id": "m0", "threadId": "t", "labelIds": ["INBOX"], "snippet": "Hello",
                "payload": {
                    "mimeType": "text/plain",
                    "headers": [
                        { "name": "From", "value": "Ada <ada@example.com>" },
                        { "name": "Subject", "value": "Hello" },
                        { "name": "X-Padding", "value": "p".repeat(700) },
                    ],
                    "body": { "size": 18, "data": "SGVsbG8sIGhvdyBhcmUgeW91Pw==" },
                },
            })),
            page: bytes(
                json!({ "drafts": ids("r", 8), "nextPageToken": "p".repeat(750), "resultSizeEstimate": 8 }),
            ),
        }
    }
}

impl Transport for Canned {
    fn send(
        &self,
        request: http::Request<Body>,
    ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
        let path = request.uri().path();
        let body = if path.ends_with("/messages") {
            &self.list
        } else if path.contains("/messages/") {
            &self.mail
        } else {
            &self.page
        };
        let mut response = http::Response::new(Body::from(body.clone()));
        let json = http::HeaderValue::from_static("application/json");
        response
            .headers_mut()
            .insert(http::header::CONTENT_TYPE, json);
        Box::pin(std::future::ready(Ok(response)))
    }
}

/// Processor time of this process; 0 without `/proc`.
fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15, in hundredths of a second on every Linux. The name before them may contain blanks
    // (proc_pid_stat(5)).
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks = fields
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Memory of this process; 0 without `/proc`.
fn resident_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}
