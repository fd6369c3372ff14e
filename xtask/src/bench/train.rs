//! The calls that a release is optimized for.

use std::path::PathBuf;

use anyhow::Result;

use super::{
    Options,
    calls::TOOL,
    load::Load,
    postgres::Postgres,
    programs,
    responses::{LARGE_PATH, MESSAGES, THREADS},
    stage::{ACCOUNTS, Stage},
    stead::Stead,
    store::{PRODUCTS, Product, Store},
};

/// Of one load.
const SECONDS: u32 = 3;

/// Has a binary that counts what it runs do what services do most: the demo, with consent, refresh and every tool of every
/// product; and calls, with a file and, where it is installed, with PostgreSQL.
///
/// # Errors
/// Where nginx or wrk is missing, or a call fails.
pub(crate) fn train(binary: PathBuf) -> Result<()> {
    println!("training: the demo");
    programs::output(std::process::Command::new(&binary).arg("demo"))?;
    let options = Options {
        seconds: SECONDS,
        ..super::SHORT
    };
    let stage = Stage::open(options, binary, None)?;
    println!("training: calls with a file");
    calls(&stage, stage.store()?, &[32, 1, 256])?;
    if let Some(server) = Postgres::start() {
        println!("training: calls with PostgreSQL");
        let url = Some(server.database());
        let store = stage.make_store("postgres", &stage.binary, url, ACCOUNTS)?;
        calls(&stage, &store, &[32])?;
    }
    Ok(())
}

/// Proxied calls and tools, at each concurrency.
fn calls(stage: &Stage, store: &Store, concurrency: &[u32]) -> Result<()> {
    let stead = Stead::start(store)?;
    let products: Vec<&Product> = PRODUCTS.iter().collect();
    for connections in concurrency {
        let loads = [
            stead.proxy(PRODUCTS[0].path),
            stead.proxy_for(ACCOUNTS.min(1_000)),
            stead.proxy_of(&products),
            stead.proxy(THREADS),
            stead.proxy(LARGE_PATH),
            stead.proxy(&format!("{MESSAGES}/m1?format=full")),
            stead.tool(TOOL),
            stead.tool("mail_list_threads"),
            stead.tool("mail_fetch_mails"),
            stead.mcp(TOOL),
        ];
        for load in &loads {
            run(stage, load, *connections)?;
        }
    }
    // It writes what it has counted when it ends in order.
    stead.process.stop()
}

fn run(stage: &Stage, load: &Load, connections: u32) -> Result<()> {
    let sample = load.run(
        &stage.wrk,
        &stage.folder,
        connections,
        stage.options.seconds,
    )?;
    // Training goes on where the machine is busy.
    sample.whatever_it_took().check(0)
}
