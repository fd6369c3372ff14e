//! The disk: full.

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};
use http::Method;
use serde_json::Value;

use crate::{
    Options,
    books::Behaviour,
    check::{self, Allowed},
    connections::CONNECTIONS,
    http_client::Parts,
    report::Report,
    service,
    stage::Stage,
    time::{now, until},
};

/// Everything has to write again so soon after the space has come back.
const AGAIN: Duration = Duration::from_secs(5);

/// A small disk of its own, which goes when it is dropped.
pub(super) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts one of so many MiB at a folder.
    pub(super) fn mount(folder: &Path, mib: u32) -> Result<Self> {
        let size = format!("size={mib}m");
        let folder = folder.to_owned();
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(&folder)
            .status()
            .context("there is no mount")?;
        if !status.success() {
            bail!("this user may not mount");
        }
        Ok(Self(folder))
    }

    /// Fills it to the last byte.
    fn fill(&self) -> Result<()> {
        let mut file = File::create(self.0.join("filling"))?;
        for size in [1 << 20, 1 << 12, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
        Ok(())
    }

    fn empty(&self) -> Result<()> {
        fs::remove_file(self.0.join("filling"))?;
        Ok(())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// What stands between the service and its space: a disk that is full, or a limit on the size of its files.
enum Shortage {
    Disk(SmallDisk),
    FileSize,
}

impl Shortage {
    fn begin(&self, stage: &Stage) -> Result<()> {
        match self {
            Self::Disk(disk) => disk.fill(),
            Self::FileSize => limit_files(stage, "1024"),
        }
    }

    fn end(&self, stage: &Stage) -> Result<()> {
        match self {
            Self::Disk(disk) => disk.empty(),
            Self::FileSize => limit_files(stage, "unlimited"),
        }
    }
}

/// Sets the soft limit of the service's file size, in bytes.
fn limit_files(stage: &Stage, bytes: &str) -> Result<()> {
    let id = stage.service.id().context("the service has ended")?;
    let status = Command::new("prlimit")
        .arg(format!("--pid={id}"))
        .arg(format!("--fsize={bytes}:"))
        .status()
        .context("there is no prlimit")?;
    if !status.success() {
        bail!("prlimit: {status}");
    }
    Ok(())
}

pub(crate) async fn full(options: &Options, report: &mut Report) -> Result<()> {
    let mut disk = None;
    let mut stage = Stage::open(&options.binary, |setup| {
        disk = SmallDisk::mount(&setup.folder.join("data"), 24).ok();
        Ok(())
    })
    .await?;
    let shortage = match disk {
        Some(disk) => Shortage::Disk(disk),
        None => Shortage::FileSize,
    };
    report.fact(
        "by",
        match &shortage {
            Shortage::Disk(_) => "a tmpfs of 24 MiB",
            Shortage::FileSize => "the soft limit of a file's size (prlimit)",
        },
    );
    let names = ["stable", "signed-in", "rotating", "learned", "strict"];
    stage.populate(&names, 2).await?;

    if !before_the_request(&stage, &shortage, report).await? {
        stage.restart_killed().await?;
    }
    let held = Duration::from_secs(if options.smoke { 6 } else { 60 });
    during_the_request(&stage, &shortage, held, report).await?;
    check::accounts(&stage, Allowed::Nothing, report).await?;
    stage.restart_killed().await?;
    check::accounts(&stage, Allowed::Nothing, report).await?;
    if let Shortage::Disk(_) = shortage {
        stop_while_full(&mut stage, &shortage, report).await?;
        check::accounts(&stage, Allowed::Nothing, report).await?;
    }
    Ok(())
}

/// More tokens arrive on the full disk than the spool has room for, and the service is stopped there: it names those that
/// it loses, and loses no others.
pub(crate) async fn more_than_room(options: &Options, report: &mut Report) -> Result<()> {
    let mut disk = None;
    let mut stage = Stage::open(&options.binary, |setup| {
        disk = SmallDisk::mount(&setup.folder.join("data"), 24).ok();
        Ok(())
    })
    .await?;
    let Some(disk) = disk else {
        report.left_out = Some(String::from("this user may not mount"));
        return Ok(());
    };
    // The disk goes when it is dropped.
    let shortage = Shortage::Disk(disk);
    stage.populate(&["strict"], 60).await?;
    let lost = stop_while_full(&mut stage, &shortage, report).await?;
    report.holds(!lost.is_empty(), "the spool has room for all of them");
    for user in &stage.users {
        let id = stage.call(Method::GET, &user.account(), None).await?;
        let id = id.json()["id"].as_str().unwrap_or_default().to_owned();
        let named = lost.contains(&id);
        let serves = check::serves(&stage, user).await;
        report.holds(
            serves != named,
            format!("{id} is named: {named}, serves: {serves}"),
        );
    }
    Ok(())
}

/// Tokens of all users arrive on the full disk. Then the service is stopped, and started again when there is space. Returns the
/// accounts that the service names as lost.
async fn stop_while_full(
    stage: &mut Stage,
    shortage: &Shortage,
    report: &mut Report,
) -> Result<Vec<String>> {
    stage.books.behave(Behaviour {
        token_delay: Duration::from_millis(1500),
        ..Behaviour::default()
    });
    let before = requests(stage);
    let expected = before + stage.users.len();
    let begun = fs::read_to_string(stage.service.setup.log())?.len();
    let refreshes = futures_util::future::join_all(stage.users.iter().map(|user| async {
        let path = format!("{}/refresh", user.account());
        stage.call(Method::POST, &path, None).await
    }));
    let filling = async {
        let arrived = until("the token requests", Duration::from_secs(30), async || {
            (requests(stage) >= expected).then_some(())
        });
        arrived.await?;
        shortage.begin(stage)?;
        // The log's own space would take the tokens.
        until("a write fails", Duration::from_secs(60), async || {
            let reply = stage.link(&CONNECTIONS[0], "someone").await.ok()?;
            (reply.status != 201).then_some(())
        })
        .await
    };
    let (replies, filled) = futures_util::future::join(refreshes, filling).await;
    filled?;
    for reply in replies.into_iter().flatten() {
        let kind = reply.kind();
        report.holds(
            reply.status == 200 || kind == "storage_unavailable",
            format!("a caller is told {}", reply.says()),
        );
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let url = format!("{}/readyz", stage.service.setup.url());
    let unready = stage.http.send(Method::GET, &url, Parts::default()).await?;
    let said = unready.json()["detail"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    report.fact("readyz says", &said);

    let began = now();
    for _ in 0..2 {
        stage.service.signal("TERM")?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let ended = stage.service.ended(Duration::from_secs(40)).await?;
    report.fact("the stop takes", check::seconds(began.elapsed()));
    let log = fs::read_to_string(stage.service.setup.log())?;
    let log = &log[begun..];
    let last = log
        .lines()
        .rfind(|line| line.contains("so they are lost: "));
    let last = last.and_then(|line| serde_json::from_str::<Value>(line).ok());
    let lost: Vec<String> = last
        .and_then(|line| Some(line["fields"]["message"].as_str()?.to_owned()))
        .and_then(|said| Some(said.split_once("so they are lost: ")?.1.to_owned()))
        .map(|ids| ids.split_whitespace().map(str::to_owned).collect())
        .unwrap_or_default();
    report.fact("tokens that the stop names as lost", lost.len());
    report.holds(
        ended.code() == Some(i32::from(!lost.is_empty())),
        format!("it ends with {ended}"),
    );
    report.holds(
        said.contains("only in memory") != lost.is_empty(),
        format!("readyz says {said:?}"),
    );
    let errors = log.lines().filter(|line| line.contains("ERROR")).count();
    report.holds(
        errors <= 8,
        format!(
            "{errors} lines for one cause: {}",
            service::tail(&stage.service.setup.log())
        ),
    );
    shortage.end(stage)?;
    stage.books.behave(Behaviour::default());
    stage.restart().await?;
    Ok(lost)
}

/// The disk is full before a token is asked for: none is. Whether everything writes again without a restart.
async fn before_the_request(
    stage: &Stage,
    shortage: &Shortage,
    report: &mut Report,
) -> Result<bool> {
    shortage.begin(stage)?;
    // What is left in the write-ahead log is used up first.
    let looked = until("a write fails", Duration::from_secs(60), async || {
        let reply = stage.link(&CONNECTIONS[0], "someone").await.ok()?;
        (reply.status != 201).then_some(reply)
    });
    let (refused, _) = looked.await?;
    report.fact("a link on the full disk", refused.says());
    let unready = service::ready(&stage.service, &stage.http, false, AGAIN).await;
    report.expect("readyz while the disk is full", unready);
    let before = requests(stage);
    for user in &stage.users {
        let path = format!("{}/refresh", user.account());
        stage.call(Method::POST, &path, None).await?;
        let reply = stage.read(user).await?;
        report.holds(
            reply.status == 200,
            format!("a call on the full disk: {}", reply.says()),
        );
    }
    report.fact("token requests on the full disk", requests(stage) - before);
    shortage.end(stage)?;
    let again = stage.writes_again(Duration::from_secs(20)).await;
    let writes = again.is_ok();
    told(again, "after the first time", report);
    let ready = service::ready(&stage.service, &stage.http, true, AGAIN).await;
    report.expect("readyz with space again", ready);
    Ok(writes)
}

/// The disk fills while the product's response is under way, and stays full for a while.
async fn during_the_request(
    stage: &Stage,
    shortage: &Shortage,
    held: Duration,
    report: &mut Report,
) -> Result<()> {
    stage.books.behave(Behaviour {
        token_delay: Duration::from_millis(1500),
        ..Behaviour::default()
    });
    let before = requests(stage);
    let count = stage.users.len();
    let refreshes = futures_util::future::join_all(stage.users.iter().map(|user| async move {
        let path = format!("{}/refresh", user.account());
        match stage.call(Method::POST, &path, None).await {
            Ok(reply) => reply.says(),
            Err(error) => format!("{error:#}"),
        }
    }));
    let filling = async {
        until(
            "the token requests arrive",
            Duration::from_secs(20),
            async || (requests(stage) >= before + count).then_some(()),
        )
        .await?;
        shortage.begin(stage)?;
        // The log's own space would take the tokens.
        let looked = until("a write fails", Duration::from_secs(60), async || {
            let reply = stage.link(&CONNECTIONS[0], "someone").await.ok()?;
            (reply.status != 201).then_some(())
        });
        looked.await?;
        tokio::time::sleep(held).await;
        let unready = stage.service.readiness(&stage.http).await;
        shortage.end(stage)?;
        anyhow::Ok(unready)
    };
    let (said, unready) = futures_util::future::join(refreshes, async {
        let unready = filling.await?;
        let again = stage.writes_again(Duration::from_secs(60)).await;
        anyhow::Ok((unready, again))
    })
    .await;
    let (unready, again) = unready?;
    report.holds(unready != Some(200), "readyz is 200 while the disk is full");
    told(again, "after the second time", report);
    let mut said = said;
    said.sort_unstable();
    said.dedup();
    report.fact(
        "refreshes whose response met the full disk",
        said.join(", "),
    );
    Ok(())
}

fn requests(stage: &Stage) -> usize {
    let state = stage.books.state();
    state.grants.iter().map(|grant| grant.refreshes.len()).sum()
}

fn told(again: Result<Duration>, when: &str, report: &mut Report) {
    if let Some(took) = report.expect(&format!("writes {when}"), again) {
        report.fact(format!("writes again {when}"), check::seconds(took));
        report.holds(
            took <= AGAIN,
            format!("it takes {} {when}", check::seconds(took)),
        );
    }
}
