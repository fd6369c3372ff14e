//! What one product or one application does to the others.

use std::{net::TcpListener, thread, time::Duration};

use anyhow::{Context as _, Result};

use super::{
    bound::{Bound, Bounds, shown},
    load::{Load, Sample},
    process::Running,
    responses::SMALL,
    stage::Stage,
    stead::Stead,
    store::{PRODUCTS, Product, STALLING},
    table::Figures,
};

const CLIENTS: u32 = 256;
const CONNECTIONS: u32 = 32;
/// Of the application that does not flood. Its rate is far below its half of the machine; what is measured is whether it
/// is served at that rate.
const CALM: (u32, u32) = (16, 400);
/// A flood has begun by then.
const BEGUN: Duration = Duration::from_millis(500);

pub(crate) fn run(stage: &Stage) -> Result<String> {
    Ok(stalled(stage)? + &flooded(stage)?)
}

/// One product takes connections and never responds.
fn stalled(stage: &Stage) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    // Ends with this program; what was taken is kept open.
    thread::spawn(move || listener.incoming().collect::<Vec<_>>());
    let store = stage.store()?;
    store.direct(stage.stub_ports.http1, port)?;
    let stead = Stead::start(store)?;
    let (stalling, others): (Vec<&Product>, Vec<&Product>) = PRODUCTS
        .iter()
        .partition(|product| product.name == STALLING);
    let flood = stead.proxy_of(&stalling);
    let calls = stead.proxy_of(&others);
    let what = "calls of the other five products";
    let [quiet, disturbed] = both(stage, &calls, CONNECTIONS, &flood, what)?;
    store.direct(stage.stub_ports.http1, stage.stub_ports.http1)?;
    let mut bounds = Bounds::default();
    bounds.add(
        "p99 of calls of the other five, of the quiet state",
        Bound::AtMost(1.2),
        disturbed.p99 / quiet.p99,
    );
    Ok(format!(
        "### A product that stalls\n\n{CLIENTS} clients call a product that takes their requests and never responds; \
         {CONNECTIONS} connections call the other five, in turns.\n\n{}\n\n{}\n\n",
        table(&[("stead serve", quiet, disturbed)]),
        bounds.list()
    ))
}

/// One application sends as much as it can.
fn flooded(stage: &Stage) -> Result<String> {
    let path = PRODUCTS[0].path;
    let stead = Stead::start(stage.store()?)?;
    let (connections, rate) = CALM;
    let calls = stead.proxy_of_second(path).with_rate(rate);
    let what = "calls of the other application";
    let [quiet, disturbed] = both(stage, &calls, connections, &stead.proxy(path), what)?;
    let nginx = Load::get(stage.rival_ports.http1, path);
    let of_nginx = both(
        stage,
        &nginx.clone().with_rate(rate),
        connections,
        &nginx,
        what,
    )?;
    let mut bounds = Bounds::default();
    bounds.add(
        "requests/s of the other application, of those without the flood",
        Bound::AtLeast(0.8),
        disturbed.per_second / quiet.per_second,
    );
    Ok(format!(
        "### Two applications\n\nOne sends over {CLIENTS} connections as fast as it can; the other {rate} \
         requests a second over {connections}.\n\n{}\n\n{}\n\n",
        table(&[
            ("nginx", of_nginx[0], of_nginx[1]),
            ("stead serve", quiet, disturbed)
        ]),
        bounds.list()
    ))
}

/// Calls without and with the flood, in each round one after the other.
fn both(
    stage: &Stage,
    calls: &Load,
    connections: u32,
    flood: &Load,
    what: &str,
) -> Result<[Figures; 2]> {
    let seconds = stage.options.seconds;
    let measure = || -> Result<Sample> {
        let sample = calls.run(&stage.wrk, &stage.folder, connections, seconds)?;
        sample.check(SMALL).with_context(|| what.to_owned())?;
        Ok(sample)
    };
    let (mut quiet, mut disturbed) = (Vec::new(), Vec::new());
    for round in 0..=stage.options.rounds {
        let without = measure()?;
        // It is ended before its time.
        let flood = flood.command(&stage.wrk, &stage.folder, CLIENTS, 2 * seconds + 60)?;
        let flood = Running::start(flood)?;
        thread::sleep(BEGUN);
        let with = measure()?;
        drop(flood);
        thread::sleep(BEGUN);
        // Round 0 fills pools and caches and is not counted.
        if round > 0 {
            println!(
                "{what}, round {round}: {:.0} requests/s, with the flood {:.0}",
                without.per_second(),
                with.per_second()
            );
            quiet.push(without);
            disturbed.push(with);
        }
    }
    Ok([Figures::of(&quiet), Figures::of(&disturbed)])
}

fn table(rows: &[(&str, Figures, Figures)]) -> String {
    let mut table = String::from(
        "| subject | requests/s quiet | disturbed | p50 ms quiet | disturbed | p99 ms quiet | disturbed |\n|---|---|---|---|---|---|---|",
    );
    for (name, quiet, disturbed) in rows {
        table += &format!("\n| {name} |");
        for figure in [
            |of: &Figures| of.per_second,
            |of: &Figures| of.p50 / 1e3,
            |of: &Figures| of.p99 / 1e3,
        ] {
            let (quiet, disturbed) = (figure(quiet), figure(disturbed));
            table += &format!(
                " {} | {} ({}) |",
                shown(quiet),
                shown(disturbed),
                shown(disturbed / quiet)
            );
        }
    }
    table
}
