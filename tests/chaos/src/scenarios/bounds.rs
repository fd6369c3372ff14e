//! Callers who hold what they do not use, and a product that stands still: the service goes on for everyone else.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use futures_util::future::join_all;
use http::Method;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    task::JoinSet,
};

use crate::{
    Options, check,
    http_client::{HttpClient, Parts, raise_descriptors},
    report::Report,
    stage::Stage,
    time::{now, until},
};

/// Callers of the products that are not disturbed.
const CALLERS: usize = 8;
/// A new connection is served within this, whatever else there is.
const SERVED: Duration = Duration::from_secs(5);
/// Longest time for which someone who sends nothing may keep a connection, behind the measure.
const CUT: Duration = Duration::from_secs(100);
/// Where a measure is so far from the quiet state that no machine explains it.
const SANE: f64 = 10.0;

pub(crate) async fn run(options: &Options, report: &mut Report) -> Result<()> {
    // Both ends of the connections to the product, and the callers', are this program's.
    if !raise_descriptors() {
        report.left_out = Some(String::from("this program's descriptors cannot be raised"));
        return Ok(());
    }
    let mut stage = Stage::open(&options.binary, |setup| {
        // As a login shell starts it.
        setup.descriptors = Some("-S -n 1024");
        Ok(())
    })
    .await?;
    stage
        .populate(&["stable", "rotating", "signed-in"], 8)
        .await?;
    let measured = Duration::from_secs(if options.smoke { 3 } else { 10 });
    measure(&stage, measured).await;
    let quiet = measure(&stage, measured).await;
    report.fact("quiet", quiet.says());
    for load in [
        Strain::IdleSockets,
        Strain::SlowBodies,
        Strain::SlowReaders,
        Strain::StalledProduct,
    ] {
        one(options, &stage, load, measured, &quiet, report).await?;
    }
    Ok(())
}

/// What weighs on the service.
#[derive(Debug, Clone, Copy)]
enum Strain {
    IdleSockets,
    SlowBodies,
    SlowReaders,
    StalledProduct,
}

impl Strain {
    fn name(self) -> &'static str {
        match self {
            Self::IdleSockets => "1,000 idle sockets",
            Self::SlowBodies => "1,000 slow bodies",
            Self::SlowReaders => "100 slow readers of 4 MiB",
            Self::StalledProduct => "2,000 callers of a stalled product",
        }
    }
}

async fn one(
    options: &Options,
    stage: &Stage,
    strain: Strain,
    measured: Duration,
    quiet: &Sample,
    report: &mut Report,
) -> Result<()> {
    let before = stage.service.resident_mib().unwrap_or_default();
    let open = stage.service.descriptors().unwrap_or_default();
    let mut held = JoinSet::new();
    match strain {
        Strain::IdleSockets => hold(stage, &mut held, 1000, ""),
        Strain::SlowBodies => hold(
            stage,
            &mut held,
            1000,
            "POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ngrant",
        ),
        Strain::SlowReaders => {
            let user = stage.users.first().context("no users")?;
            let (path, bearer) = (user.path("large/4096"), &stage.bearer);
            let head =
                format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {bearer}\r\n\r\n");
            hold(stage, &mut held, 100, &head);
        }
        Strain::StalledProduct => {
            // Not over the connections of the callers that are measured.
            let callers = HttpClient::new();
            for number in 0..2000 {
                let user = &stage.users[number % 8];
                let url = format!("{}{}", stage.service.setup.url(), user.path("stalled"));
                let (http, bearer) = (callers.clone(), stage.bearer.clone());
                held.spawn(async move {
                    let parts = Parts {
                        bearer: Some(&bearer),
                        ..Parts::default()
                    };
                    match http.send(Method::GET, &url, parts).await {
                        Ok(reply) => reply.says(),
                        Err(_) => String::from("no response"),
                    }
                });
            }
        }
    }
    // They are there when the service has taken them, or refuses more, and has nothing to do but to hold them.
    stage.service.rests(Duration::from_secs(30)).await;
    let served = new_connection(stage).await;
    let sample = measure(stage, measured).await;
    let after = stage.service.resident_mib().unwrap_or_default();
    let held_open = stage.service.descriptors().unwrap_or_default();
    let ratio = sample.p99 / quiet.p99.max(0.001);
    let fresh = served.as_ref().map_or_else(
        |error| format!("{error:#}"),
        |took| format!("{} ms", took.as_millis()),
    );
    // Who sends nothing is not waited for for ever.
    let silent = matches!(strain, Strain::IdleSockets | Strain::SlowBodies);
    let mut ended = Vec::new();
    if silent && !options.smoke {
        // What the kernel never handed over stays open at its caller, so the service's own count is looked at.
        let looked = until("all are cut", CUT, async || {
            (stage.service.descriptors()? < open + 50).then_some(())
        });
        let began = now();
        report.expect(strain.name(), looked.await);
        report.fact(
            format!("{}, all cut after", strain.name()),
            check::seconds(began.elapsed()),
        );
    }
    held.abort_all();
    let mut refused = std::collections::BTreeMap::new();
    while let Some(one) = held.join_next().await {
        ended.push(one);
    }
    for said in ended.into_iter().flatten().filter(|said| !said.is_empty()) {
        *refused.entry(said).or_insert(0) += 1;
    }
    report.fact(
        strain.name(),
        format!(
            "{}; p99 is {ratio:.1} of quiet; a new connection: {fresh}; memory {before:.0} to {after:.0} MiB; descriptors {open} to {held_open}; ended meanwhile: {refused:?}",
            sample.says()
        ),
    );
    report.holds(
        served.is_ok(),
        format!("{}: a new connection: {fresh}", strain.name()),
    );
    report.holds(
        ratio < SANE && sample.failed == 0,
        format!("{}: the others: {}", strain.name(), sample.says()),
    );
    Ok(())
}

/// Opens connections, sends this and reads nothing but what says that it was cut.
fn hold(stage: &Stage, held: &mut JoinSet<String>, count: usize, bytes: &str) {
    let address = stage.service.setup.url().replace("http://", "");
    for _ in 0..count {
        let (address, bytes) = (address.clone(), bytes.to_owned());
        let reads = bytes.starts_with("GET");
        held.spawn(async move {
            let Ok(mut stream) = connect(&address).await else {
                return String::from("no connection");
            };
            if stream.write_all(bytes.as_bytes()).await.is_err() {
                return String::from("cut");
            }
            if reads {
                // A reader that has stopped reading does not notice that it was cut.
                let _ = stream.read(&mut [0; 64]).await;
                return std::future::pending().await;
            }
            let mut head = [0; 64];
            match stream.read(&mut head).await {
                Ok(0) | Err(_) => String::from("cut"),
                Ok(read) => String::from_utf8_lossy(&head[..read])
                    .chars()
                    .take(12)
                    .collect(),
            }
        });
    }
}

/// A connection that takes little before it is read: what is not read waits in the service, not in the kernel.
async fn connect(address: &str) -> Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(16 * 1024)?;
    Ok(socket.connect(address.parse()?).await?)
}

/// How long a caller with a connection of its own waits.
async fn new_connection(stage: &Stage) -> Result<Duration> {
    let (began, http) = (now(), HttpClient::new());
    let url = format!("{}/healthz", stage.service.setup.url());
    let asked = http.send(Method::GET, &url, Parts::default());
    let reply = tokio::time::timeout(SERVED, asked)
        .await
        .context("no response within 5 s")??;
    if reply.status != 200 {
        bail!("{}", reply.says());
    }
    Ok(began.elapsed())
}

/// Calls of the other products, over connections that are open.
#[derive(Debug)]
struct Sample {
    calls: usize,
    failed: usize,
    /// In milliseconds.
    p50: f64,
    p99: f64,
}

impl Sample {
    fn says(&self) -> String {
        format!(
            "{} calls, {} failed, p50 {:.1} ms, p99 {:.1} ms",
            self.calls, self.failed, self.p50, self.p99
        )
    }
}

async fn measure(stage: &Stage, measured: Duration) -> Sample {
    let began = now();
    let callers = (0..CALLERS).map(|caller| async move {
        let mut times = Vec::new();
        let mut failed = 0;
        while began.elapsed() < measured {
            // The first eight users are those of the product that stands still.
            let user = &stage.users[8 + caller];
            let called = now();
            let call = tokio::time::timeout(SERVED, stage.read(user)).await;
            times.push(called.elapsed().as_secs_f64() * 1000.0);
            let ok = call.is_ok_and(|call| call.is_ok_and(|reply| reply.status == 200));
            failed += usize::from(!ok);
        }
        (times, failed)
    });
    let (times, failed): (Vec<_>, Vec<usize>) = join_all(callers).await.into_iter().unzip();
    let mut times: Vec<f64> = times.into_iter().flatten().collect();
    times.sort_by(f64::total_cmp);
    let part = |hundredths: usize| {
        let index = (times.len() * hundredths / 100).min(times.len().saturating_sub(1));
        times.get(index).copied().unwrap_or_default()
    };
    Sample {
        calls: times.len(),
        failed: failed.into_iter().sum(),
        p50: part(50),
        p99: part(99),
    }
}
