//! What the history of calls takes on the disk.

use std::{fs, path::Path};

use anyhow::Result;

use super::{
    bound::{Bound, Bounds, shown},
    calls::TOOL,
    load::Load,
    responses::SMALL,
    stage::Stage,
    stead::Stead,
    store::Store,
};

const CONNECTIONS: u32 = 32;
/// Calls after which the bytes of one are known well enough.
const ENOUGH: u64 = 100_000;
const ACCOUNTS: usize = 10;
/// Calls of a day with 10 a second.
const DAY: f64 = 864_000.0;

type Calls = fn(&Stead) -> Load;

pub(crate) fn run(stage: &Stage) -> Result<String> {
    let store = stage.make_store("disk", &stage.binary, None, ACCOUNTS)?;
    let mut table = String::from(
        "| calls | how many | bytes per call | MB of a day with 10 calls a second |\n|---|---|---|---|\n",
    );
    let mut bounds = Bounds::default();
    let enough = stage.options.calls.min(ENOUGH);
    let kinds: [(&str, Calls); 3] = [
        ("proxied", |stead| stead.proxy_for(ACCOUNTS)),
        ("a tool", |stead| stead.tool(TOOL)),
        ("a tool over MCP", |stead| stead.mcp(TOOL)),
    ];
    let mut row = |what: &str, (calls, bytes): (u64, u64)| {
        let each = bytes as f64 / calls as f64;
        let day = each * DAY / 1e6;
        table += &format!("| {what} | {calls} | {} | {} |\n", shown(each), shown(day));
        bounds.add(&format!("MB of a day, {what}"), Bound::AtMost(100.0), day);
    };
    for (what, load) in kinds {
        let figures = grown(&store, |stead| {
            let load = load(stead);
            let mut calls = 0;
            while calls < enough {
                calls += send(stage, &load, CONNECTIONS, stage.options.seconds)?;
            }
            Ok(calls)
        })?;
        row(&format!("{what}, as fast as they go"), figures);
    }
    // Few calls are written together at this rate, which is dearer.
    let figures = grown(&store, |stead| {
        let load = stead.proxy_for(ACCOUNTS).with_rate(10);
        send(stage, &load, 1, 60 * stage.options.seconds)
    })?;
    row("proxied, 10 a second", figures);
    Ok(format!(
        "The database file before and after, the service stopped in order. nginx writes nothing here.\n\n{table}\n{}",
        bounds.list()
    ))
}

/// How many calls were made, and the bytes by which the file grew.
fn grown(store: &Store, calls: impl FnOnce(&Stead) -> Result<u64>) -> Result<(u64, u64)> {
    let start = || Stead::start(store);
    let stop = |stead: Stead| -> Result<u64> {
        stead.process.stop()?;
        size(&store.file())
    };
    // A start and its tokens are written too, and are not of the calls.
    let first = stop(start()?)?;
    let before = stop(start()?)?;
    let stead = start()?;
    let calls = calls(&stead)?;
    let after = stop(stead)?;
    Ok((calls, (after + first).saturating_sub(2 * before)))
}

fn send(stage: &Stage, load: &Load, connections: u32, seconds: u32) -> Result<u64> {
    let sample = load.run(&stage.wrk, &stage.folder, connections, seconds)?;
    sample.check(SMALL)?;
    Ok(sample.requests)
}

/// Bytes of the file, and of its log where there is one.
fn size(file: &Path) -> Result<u64> {
    let log = fs::metadata(file.with_extension("db-wal"));
    Ok(fs::metadata(file)?.len() + log.map_or(0, |log| log.len()))
}
