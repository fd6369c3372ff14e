//! Whether the number of accounts is felt: start, memory, and the cost of a call.

use anyhow::{Context as _, Result};

use super::{
    bound::{Bound, Bounds, shown},
    responses::SMALL,
    stage::{ACCOUNTS, Stage},
    stead::Stead,
    store::{PRODUCTS, Store},
    subject::{Subject, baselines, measure},
    table::{self, figures},
};

const FEW: usize = 10;
const CONCURRENCY: u32 = 32;

pub(crate) fn run(stage: &Stage) -> Result<String> {
    let few = stage.make_store("few", &stage.binary, None, FEW)?;
    let many = stage.make_store("many", &stage.binary, None, stage.options.accounts)?;
    let stores = [&few, stage.store()?, &many];
    let mut table = String::from(
        "| accounts | ms to /healthz | MiB before the calls below | MiB after them | bytes of the file per account |\n|---|---|---|---|---|\n",
    );
    let started: Vec<(Stead, f64)> = stores
        .iter()
        .map(|store| {
            let stead = Stead::start(store)?;
            let rest = stead.resident_mib()?;
            Ok((stead, rest))
        })
        .collect::<Result<_>>()?;
    let mut subjects = baselines(stage, PRODUCTS[0].path);
    for (store, (stead, _)) in stores.iter().zip(&started) {
        let all = store.accounts;
        // Those that are called often are kept in memory; of very many, some have to be read.
        for called in [FEW, ACCOUNTS] {
            if called <= all {
                let name = subject(called, all);
                let load = stead.proxy_for(called);
                subjects.push(Subject::new(name, stage, &stead.process, load));
            }
        }
    }
    let measured = measure(stage, "accounts", CONCURRENCY, SMALL, &subjects)?;
    for (store, (stead, rest)) in stores.iter().zip(&started) {
        table += &format!(
            "| {} | {} | {} | {} | {} |\n",
            store.accounts,
            shown(stead.started_in.as_secs_f64() * 1e3),
            shown(*rest),
            shown(stead.resident_mib()?),
            bytes_per_account(store)?,
        );
    }
    let cpu = |called, all| {
        let found = figures(&measured, &subject(called, all));
        let found = found.context("a number of accounts is missing");
        found.map(|figures| figures.cpu)
    };
    let most = many.accounts;
    let mut bounds = Bounds::default();
    for called in [FEW, ACCOUNTS] {
        if called <= most {
            bounds.add(
                &format!(
                    "CPU of a call, {called} of {most} accounts called, of {called} of {called}"
                ),
                Bound::AtMost(1.2),
                cpu(called, most)? / cpu(called, called)?,
            );
        }
    }
    Ok(format!(
        "Proxied calls, concurrency {CONCURRENCY}.\n\n{}\n\n{table}\n{}",
        table::of(&measured),
        bounds.list()
    ))
}

fn subject(called: usize, all: usize) -> String {
    format!("{called} of {all} accounts called")
}

fn bytes_per_account(store: &Store) -> Result<String> {
    // With few accounts the file is the empty tables.
    if store.accounts <= FEW {
        return Ok(String::from("-"));
    }
    let bytes = std::fs::metadata(store.file())?.len();
    Ok(shown(bytes as f64 / store.accounts as f64))
}
