//! The store: locked by another program, away, read-only, gone.

use std::{fs, os::unix::fs::FileExt as _, process::Command, time::Duration};

use anyhow::{Result, ensure};
use futures_util::future::{join, join_all};
use http::Method;

use super::disk::SmallDisk;
use crate::{
    Options,
    books::Behaviour,
    check::{self, Allowed},
    connections::CONNECTIONS,
    http_client::Parts,
    report::Report,
    service::{self, Service, Setup},
    stage::Stage,
    time::until,
};

/// Everything has to write again so soon after the store has come back.
const AGAIN: Duration = Duration::from_secs(5);
const NAMES: [&str; 5] = ["stable", "signed-in", "rotating", "learned", "strict"];

/// What keeps the store from taking anything, until it is ended.
trait Outage {
    async fn begin(&mut self) -> Result<()>;
    async fn end(&mut self) -> Result<()>;
}

/// The write lock, held by this program.
struct WriteLock(rusqlite::Connection);

impl Outage for WriteLock {
    async fn begin(&mut self) -> Result<()> {
        self.0.busy_timeout(Duration::from_secs(20))?;
        Ok(self.0.execute_batch("BEGIN IMMEDIATE")?)
    }

    async fn end(&mut self) -> Result<()> {
        Ok(self.0.execute_batch("ROLLBACK")?)
    }
}

/// The failpoint of the whole store.
struct Away(Setup);

impl Outage for Away {
    async fn begin(&mut self) -> Result<()> {
        self.0.arm(&["store=away"])
    }

    async fn end(&mut self) -> Result<()> {
        self.0.disarm().map(|_| ())
    }
}

/// The write lock is held by another program while responses of the token endpoint arrive.
pub(crate) async fn write_lock(options: &Options, report: &mut Report) -> Result<()> {
    let stage = populated(options).await?;
    let lock = WriteLock(rusqlite::Connection::open(stage.service.setup.database())?);
    let held = Duration::from_secs(if options.smoke { 8 } else { 60 });
    outage(&stage, lock, held, report).await?;
    check::accounts(&stage, Allowed::Nothing, report).await
}

/// Nothing is read or written while responses of the token endpoint arrive; then again, and the service is killed meanwhile.
pub(crate) async fn away(options: &Options, report: &mut Report) -> Result<()> {
    let mut stage = populated(options).await?;
    let held = Duration::from_secs(if options.smoke { 10 } else { 180 });
    let store = Away(stage.service.setup.clone());
    outage(&stage, store, held, report).await?;
    check::accounts(&stage, Allowed::Nothing, report).await?;

    let asked = requests(&stage);
    let mut store = Away(stage.service.setup.clone());
    let refreshing = refreshes(&stage);
    let killing = async {
        arrived(&stage, asked).await?;
        store.begin().await?;
        let (_, _) = until("the responses are handed out", AGAIN, async || {
            let state = stage.books.state();
            let mut all = state.grants.iter().flat_map(|grant| &grant.refreshes);
            all.all(|refresh| refresh.responded.is_some()).then_some(())
        })
        .await?;
        // The service has nothing to wait for but the store: what it read is somewhere durable by now.
        tokio::time::sleep(Duration::from_secs(2)).await;
        anyhow::Ok(())
    };
    tokio::select! {
        killed = killing => killed?,
        _ = async { refreshing.await; std::future::pending::<()>().await } => {}
    }
    store.end().await?;
    report.fact(
        "then killed while the store was away, after the responses",
        "2 s",
    );
    stage.restart_killed().await?;
    check::accounts(&stage, Allowed::Nothing, report).await?;

    stage.books.behave(Behaviour::default());
    for user in stage.users.clone() {
        // The store takes nothing, and the process ends as soon as the tokens are in the spool.
        let lines = ["refresh.keep:before=fail", "spool.put:after=abort"];
        stage.service.setup.arm(&lines)?;
        let path = format!("{}/refresh", user.account());
        let _ = stage.call(Method::POST, &path, None).await;
        let ended = stage.service.ended(AGAIN).await;
        stage.service.setup.disarm()?;
        if report.expect("the end after spooling", ended).is_none() {
            stage.service.kill().await?;
        }
        stage.restart().await?;
    }
    let count = stage.users.len();
    report.fact("ended as soon as tokens were in the spool", count);
    check::accounts(&stage, Allowed::Nothing, report).await
}

/// Refreshes everyone, and begins the outage between the token requests and their responses.
async fn outage(
    stage: &Stage,
    mut outage: impl Outage,
    held: Duration,
    report: &mut Report,
) -> Result<()> {
    let asked = requests(stage);
    let holding = async {
        arrived(stage, asked).await?;
        outage.begin().await?;
        let unready = service::ready(&stage.service, &stage.http, false, held).await;
        if let Ok(took) = &unready {
            tokio::time::sleep(held.saturating_sub(*took)).await;
        }
        outage.end().await?;
        let again = stage.writes_again(Duration::from_secs(60)).await;
        anyhow::Ok((unready, again))
    };
    let (mut said, ended) = join(refreshes(stage), holding).await;
    let (unready, again) = ended?;
    if let Some(took) = report.expect("readyz during it", unready) {
        report.fact("readyz said so after", check::seconds(took));
    }
    if let Some(took) = report.expect("writes after it", again) {
        report.fact("writes again after", check::seconds(took));
        report.holds(took <= AGAIN, format!("it takes {}", check::seconds(took)));
    }
    said.sort_unstable();
    said.dedup();
    report.fact("held for", check::seconds(held));
    report.fact("the refreshes say", said.join(", "));
    Ok(())
}

async fn populated(options: &Options) -> Result<Stage> {
    let mut stage = Stage::open(&options.binary, |_| Ok(())).await?;
    stage.populate(&NAMES, 2).await?;
    stage.books.behave(Behaviour {
        token_delay: Duration::from_millis(1500),
        ..Behaviour::default()
    });
    Ok(stage)
}

/// Asks for a refresh of everyone; what is said to it.
async fn refreshes(stage: &Stage) -> Vec<String> {
    join_all(stage.users.iter().map(|user| async move {
        let path = format!("{}/refresh", user.account());
        match stage.call(Method::POST, &path, None).await {
            Ok(reply) => reply.says(),
            Err(_) => String::from("no response"),
        }
    }))
    .await
}

fn requests(stage: &Stage) -> usize {
    let state = stage.books.state();
    state.grants.iter().map(|grant| grant.refreshes.len()).sum()
}

/// Waits until the token requests of everyone are at the product.
async fn arrived(stage: &Stage, before: usize) -> Result<()> {
    let expected = before + stage.users.len();
    let what = "the token requests arrive";
    until(what, Duration::from_secs(20), async || {
        (requests(stage) >= expected).then_some(())
    })
    .await?;
    Ok(())
}

/// The folder of the database can only be read when the service starts. A disk of a running service cannot be made
/// read-only while it has files open there.
pub(crate) async fn read_only(options: &Options, report: &mut Report) -> Result<()> {
    let mut disk = None;
    let mut stage = Stage::open(&options.binary, |setup| {
        disk = SmallDisk::mount(&setup.folder.join("data"), 24).ok();
        Ok(())
    })
    .await?;
    let Some(_disk) = disk else {
        report.left_out = Some(String::from("this user may not mount"));
        return Ok(());
    };
    stage.populate(&NAMES, 1).await?;
    stage.service.signal("TERM")?;
    stage.service.ended(Duration::from_secs(40)).await?;
    remount(&stage, "ro")?;
    let mut service = Service::spawn(stage.service.setup.clone())?;
    let ended = service.ended(Duration::from_secs(10)).await;
    if let Some(status) = report.expect("a start on a read-only disk", ended) {
        report.holds(!status.success(), "it ended well");
        report.fact("a start on a read-only disk", status);
        let said = service::tail(&stage.service.setup.log());
        report.holds(said.contains("read-only"), "it does not say so");
        let cause = said.split("can't open").nth(1).unwrap_or(&said);
        report.fact("it says", cause.split(" | ").next().unwrap_or_default());
    }
    remount(&stage, "rw")?;
    stage.restart().await?;
    check::accounts(&stage, Allowed::Nothing, report).await
}

fn remount(stage: &Stage, mode: &str) -> Result<()> {
    let status = Command::new("mount")
        .args(["-o", &format!("remount,{mode}")])
        .arg(stage.service.setup.folder.join("data"))
        .status()?;
    ensure!(status.success(), "remount: {status}");
    Ok(())
}

/// A page of a table that only calls read is overwritten.
pub(crate) async fn damaged(options: &Options, report: &mut Report) -> Result<()> {
    let mut stage = Stage::open(&options.binary, |_| Ok(())).await?;
    stage.populate(&NAMES, 1).await?;
    stage.service.signal("TERM")?;
    stage.service.ended(Duration::from_secs(40)).await?;
    let path = stage.service.setup.database();
    let database = rusqlite::Connection::open(&path)?;
    let page: u32 = database.query_row(
        "SELECT rootpage FROM sqlite_master WHERE name = 'credential'",
        [],
        |row| row.get(0),
    )?;
    let size: u32 = database.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    drop(database);
    let file = fs::File::options().write(true).open(path)?;
    let start = u64::from(page - 1) * u64::from(size);
    file.write_all_at(&vec![0xff; usize::try_from(size)?], start)?;
    stage.restart().await?;
    for user in &stage.users {
        let reply = stage.read(user).await?;
        report.holds(
            reply.kind() == "storage_unavailable",
            format!("a call says {}", reply.says()),
        );
    }
    let url = format!("{}/readyz", stage.service.setup.url());
    let reply = stage.http.send(Method::GET, &url, Parts::default()).await?;
    let said = reply.json()["detail"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    report.holds(
        reply.status == 503 && said.contains("damaged"),
        format!("readyz says {} {said}", reply.status),
    );
    report.fact("readyz says", said);
    let log = fs::read_to_string(stage.service.setup.log())?;
    let lines = log.lines().filter(|line| line.contains("is damaged;"));
    report.holds(lines.count() == 1, "the log doesn't say so once");
    report.holds(
        !log.contains("doesn't accept writes"),
        "the log says that it takes no writes",
    );
    Ok(())
}

/// The database is moved away under the running service, and back.
pub(crate) async fn file_gone(options: &Options, report: &mut Report) -> Result<()> {
    let mut stage = Stage::open(&options.binary, |_| Ok(())).await?;
    stage.populate(&NAMES, 1).await?;
    let database = stage.service.setup.database();
    let elsewhere = database.with_extension("elsewhere");
    fs::rename(&database, &elsewhere)?;
    let limit = Duration::from_secs(20);
    let unready = service::ready(&stage.service, &stage.http, false, limit).await;
    if let Some(took) = report.expect("readyz without the file", unready) {
        report.fact("readyz said so after", check::seconds(took));
    }
    let link = stage.link(&CONNECTIONS[0], "someone").await?;
    report.fact("a link without the file", link.says());
    fs::rename(&elsewhere, &database)?;
    let ready = service::ready(&stage.service, &stage.http, true, AGAIN).await;
    report.expect("readyz with the file back", ready);
    let again = stage.writes_again(Duration::from_secs(20)).await;
    if let Some(took) = report.expect("writes with the file back", again) {
        report.fact("writes again after", check::seconds(took));
    }
    check::accounts(&stage, Allowed::Nothing, report).await?;

    stage.service.signal("TERM")?;
    stage.service.ended(Duration::from_secs(40)).await?;
    fs::rename(&database, &elsewhere)?;
    let mut service = Service::spawn(stage.service.setup.clone())?;
    let ended = service.ended(Duration::from_secs(3)).await;
    let said = ended.map_or_else(
        |_| String::from("it makes an empty one"),
        |status| status.to_string(),
    );
    report.fact("a start where the file is missing", said);
    Ok(())
}
