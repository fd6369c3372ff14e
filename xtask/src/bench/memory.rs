//! Whether memory grows with the number of calls.

use anyhow::Result;

use super::{
    bound::{Bound, Bounds, shown},
    calls::TOOL,
    load::Load,
    responses::SMALL,
    stage::Stage,
    stead::Stead,
    store::PRODUCTS,
};

const CONNECTIONS: u32 = 32;
/// Of one load: short, so that the rows stand about a tenth of the calls apart.
const SECONDS: u32 = 2;
/// What the pools and buffers of a load may differ by from one moment to the next.
const NOISE_MIB: f64 = 4.0;

pub(crate) fn run(stage: &Stage) -> Result<String> {
    let path = PRODUCTS[0].path;
    let store = stage.store()?;
    let mut table = String::from("| calls | stead serve MiB | nginx MiB |\n|---|---|---|\n");
    let mut seen = Vec::new();
    let mut calls = 0;
    // Proxied calls and tools in turns, each at nginx too.
    let mut stead = Stead::start(store)?;
    let loads = |stead: &Stead| [stead.proxy(path), stead.tool(TOOL)];
    let rest = stead.resident_mib()?;
    let tenth = (stage.options.calls / 10).max(1);
    let mut began = crate::shell::now();
    let mut current = loads(&stead);
    // Pools and buffers still fill in the first half.
    for number in 1..=20 {
        let mut turn = 0;
        while calls < tenth * number {
            // An application's token lasts an hour; the process goes on.
            if began.elapsed().as_secs() > 3_000 {
                stead.sign_in(store)?;
                current = loads(&stead);
                began = crate::shell::now();
            }
            let nginx = Load::get(stage.rival_ports.http1, path);
            run_once(stage, &nginx)?;
            calls += run_once(stage, &current[turn % 2])?;
            turn += 1;
        }
        let now = stead.resident_mib()?;
        seen.push((calls, now));
        let nginx = stage.rival.resident_bytes()? as f64 / 1024.0 / 1024.0;
        println!("{calls} calls: {now:.1} MiB");
        table += &format!(
            "| {calls} | {} ({}) | {} |\n",
            shown(now),
            shown(now / nginx),
            shown(nginx)
        );
    }
    let mut bounds = Bounds::default();
    for (from, to) in [(0, 9), (9, 19)] {
        let ((from, before), (to, after)) = (seen[from], seen[to]);
        bounds.add(
            &format!("MiB more after {to} calls than after {from}"),
            Bound::AtMost(NOISE_MIB),
            after - before,
        );
    }
    Ok(format!(
        "{CONNECTIONS} connections; {} MiB before the first call.\n\n{table}\n{}",
        shown(rest),
        bounds.list()
    ))
}

/// Sends for a while; how many calls that were.
fn run_once(stage: &Stage, load: &Load) -> Result<u64> {
    let sample = load.run(&stage.wrk, &stage.folder, CONNECTIONS, SECONDS)?;
    sample.check(SMALL)?;
    Ok(sample.requests)
}
