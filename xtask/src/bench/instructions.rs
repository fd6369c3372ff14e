//! Instructions of a call, counted by callgrind: they hardly depend on the machine, and not on what else runs there.

use std::{path::Path, process::Command};

use anyhow::{Context as _, Result, ensure};

use super::{
    calls::{TOOL, has_library},
    programs,
    responses::MAILS,
    stage::Stage,
    store::PRODUCTS,
};

/// The counts of so many calls and of twice as many differ by that of the calls.
const CALLS: u64 = 500;

pub(crate) fn run(stage: &Stage) -> Result<String> {
    let valgrind = programs::find("valgrind", "valgrind")?;
    ensure!(
        has_library(stage.store()?)?,
        "the binary has no `bench-calls`"
    );
    let count = |what: [&str; 2]| per_call(stage, &valgrind, what);
    let proxied = count(["--path", PRODUCTS[0].path])?;
    let tool = count(["--tool", TOOL])?;
    let fetch = count(["--tool", "mail_fetch_mails"])?;
    let requests = (MAILS + 1) as f64;
    Ok(format!(
        "The library with its store in memory and a transport that responds at once: no HTTP, no TLS, no database. Half the \
         difference between {} calls and {CALLS}.\n\n\
         | call | instructions | of a proxied call |\n|---|---|---|\n\
         | proxied | {proxied:.0} | 1.00 |\n| `{TOOL}` | {tool:.0} | {:.2} |\n\
         | `mail_fetch_mails`, {requests} requests | {fetch:.0} | {:.2} |\n",
        3 * CALLS,
        tool / proxied,
        fetch / proxied,
    ))
}

fn per_call(stage: &Stage, valgrind: &Path, what: [&str; 2]) -> Result<f64> {
    let of = |calls| -> Result<u64> {
        let out = stage.folder.join("callgrind.out");
        let mut command = Command::new(valgrind);
        command
            .args(["--tool=callgrind", "--quiet", "--fair-sched=try"])
            .arg(format!("--callgrind-out-file={}", out.display()))
            .arg(&stage.binary)
            .args(["bench-calls", "--in-memory", "--calls", &format!("{calls}")])
            .args(what);
        programs::output(&mut command)?;
        let text = std::fs::read_to_string(&out)?;
        total(&text).context("callgrind counts nothing")
    };
    // What is made at the first calls is in both.
    let (few, many) = (of(CALLS)?, of(3 * CALLS)?);
    let each = many.saturating_sub(few) as f64 / (2 * CALLS) as f64;
    println!("{what:?}: {each:.0} instructions");
    Ok(each)
}

/// The last line of callgrind's file.
fn total(text: &str) -> Option<u64> {
    let totals = text.lines().rev().find_map(|line| {
        line.strip_prefix("totals: ")
            .or_else(|| line.strip_prefix("summary: "))
    })?;
    totals.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read() {
        assert_eq!(total("summary: 7\n\nfn=(1)\n1 2\n\ntotals: 42\n"), Some(42));
        assert_eq!(total("fn=(1)\n"), None);
    }
}
