//! Stops the service while the disk is full, and starts it on a read-only or damaged disk.

use std::{fs, os::unix::fs::FileExt as _, time::Duration};

use anyhow::{Context as _, Result};
use futures_util::future::{join, join_all};
use http::Method;
use serde_json::Value;

use crate::{
    books::Behaviour,
    check::{self, Allowed},
    fault::Fault,
    report::Report,
    service::{self, Service},
    stage::Stage,
    time::{now, seconds, until},
};

/// How many new tokens fit into the spool.
const ROOM: usize = 10;

/// New tokens arrive while the disk is full. Then the service stops, and starts when there is space again. It must name
/// the tokens that didn't fit into the spool, and lose no others.
pub(crate) async fn stop_while_full(
    stage: &mut Stage,
    more_than_room: bool,
    report: &mut Report,
) -> Result<()> {
    stage.books.behave(Behaviour {
        token_delay: Duration::from_millis(1500),
        ..Behaviour::default()
    });
    let tokens = match more_than_room {
        true => stage.users.len(),
        false => ROOM,
    };
    let expected = stage.books.requests() + tokens;
    let begun = fs::read_to_string(stage.service.setup.log())?.len();
    let refreshes = join_all(stage.users[..tokens].iter().map(|user| async {
        let path = format!("{}/refresh", user.account());
        stage.call(Method::POST, &path, None).await
    }));
    let filling = async {
        until("the token requests", Duration::from_secs(30), async || {
            (stage.books.requests() >= expected).then_some(())
        })
        .await?;
        Fault::DiskFull.begin(stage).await
    };
    let (replies, filled) = join(refreshes, filling).await;
    let filled = filled?;
    for reply in replies.into_iter().flatten() {
        report.holds(
            reply.status == 200 || reply.kind() == "storage_unavailable",
            format!("a caller is told {}", reply.says()),
        );
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let (_, said) = readyz(stage).await?;
    report.fact("readyz says", &said);

    let began = now();
    for _ in 0..2 {
        stage.service.signal("TERM")?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let ended = stage.service.ended(Duration::from_secs(40)).await?;
    report.fact("the stop takes", seconds(began.elapsed()));
    let log = fs::read_to_string(stage.service.setup.log())?;
    let log = &log[begun..];
    const LOST: &str = "so they are lost: ";
    let last = log.lines().rfind(|line| line.contains(LOST));
    let last = last.and_then(|line| serde_json::from_str::<Value>(line).ok());
    let message = last.map(|line| {
        line["fields"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    });
    let ids = message
        .as_deref()
        .and_then(|message| message.split_once(LOST));
    let lost: Vec<&str> = ids.map_or_else(Vec::new, |(_, ids)| ids.split_whitespace().collect());
    report.fact("tokens that the stop names as lost", lost.len());
    report.holds(
        lost.is_empty() != more_than_room,
        format!("{} of {tokens} tokens have no room", lost.len()),
    );
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
    Fault::DiskFull.end(stage, filled).await?;
    stage.books.behave(Behaviour::default());
    stage.restart().await?;
    if !more_than_room {
        return check::accounts(stage, Allowed::Nothing, report).await;
    }
    for user in &stage.users {
        let account = stage.call(Method::GET, &user.account(), None).await?.json();
        let id = account["id"].as_str().unwrap_or_default();
        let named = lost.contains(&id);
        let serves = check::serves(stage, user).await;
        report.holds(
            serves != named,
            format!("{id} is named: {named}, serves: {serves}"),
        );
    }
    Ok(())
}

/// The status and detail of `/readyz`.
async fn readyz(stage: &Stage) -> Result<(u16, String)> {
    let reply = stage.call(Method::GET, "/readyz", None).await?;
    let detail = reply.json()["detail"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    Ok((reply.status, detail))
}

/// Starts the service on a read-only disk. The kernel can't make a disk read-only while a service has files open on it.
pub(crate) async fn read_only(stage: &mut Stage, report: &mut Report) -> Result<()> {
    stage.stop().await?;
    let remount = |stage: &Stage, mode| stage.disk.as_ref().context("no disk")?.remount(mode);
    remount(stage, "ro")?;
    let mut service = Service::spawn(stage.service.setup.clone())?;
    let ended = service.ended(Duration::from_secs(10)).await;
    if let Some(status) = report.expect("a start on a read-only disk", ended) {
        report.holds(!status.success(), "it ended well");
        let said = service::tail(&stage.service.setup.log());
        report.holds(said.contains("read-only"), "it does not say so");
    }
    remount(stage, "rw")?;
    stage.restart().await?;
    check::accounts(stage, Allowed::Nothing, report).await
}

/// Overwrites a page of `credential`, a table that the service reads only for calls.
pub(crate) async fn damaged_page(stage: &mut Stage, report: &mut Report) -> Result<()> {
    stage.stop().await?;
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
    let (status, said) = readyz(stage).await?;
    report.holds(
        status == 503 && said.contains("damaged"),
        format!("readyz says {status} {said}"),
    );
    let log = fs::read_to_string(stage.service.setup.log())?;
    let lines = log.lines().filter(|line| line.contains("is damaged;"));
    report.holds(lines.count() == 1, "the log doesn't say so once");
    report.holds(
        !log.contains("doesn't accept writes"),
        "the log says that it takes no writes",
    );
    Ok(())
}
