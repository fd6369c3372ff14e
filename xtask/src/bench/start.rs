//! How long a service takes to start over a database that is there, and what it holds before its first call.

use std::{ffi::OsString, path::Path, process::Command, thread, time::Duration};

use anyhow::Result;

use super::{
    bound::{Bound, Bounds, shown},
    free_port,
    http::Request,
    nginx::{self, Ports, Site},
    programs,
    stage::{ACCOUNTS, Stage},
    stead::Stead,
    table::median,
};
use crate::shell;

/// Starts of which the median is taken.
const STARTS: usize = 11;
/// What a start leaves to be done is done by then.
const REST: Duration = Duration::from_secs(2);

pub(crate) fn run(stage: &Stage) -> Result<String> {
    let store = stage.store()?;
    as_after_boot(&stage.binary)?;
    let (mut ours, mut ready, mut rivals) = (Vec::new(), Vec::new(), Vec::new());
    let (mut memory, mut own, mut of_nginx) = (Vec::new(), Vec::new(), Vec::new());
    for start in 0..STARTS {
        let began = shell::now();
        let stead = Stead::start_without_tokens(store)?;
        while Request::get(stead.port, "/readyz").status() != Some(200) {
            thread::sleep(Duration::from_micros(500));
        }
        ready.push(began.elapsed().as_secs_f64() * 1e3);
        ours.push(stead.started_in.as_secs_f64() * 1e3);
        rivals.push(nginx(stage)?);
        // The memory of a few of them is enough.
        if start % 5 == 0 {
            thread::sleep(REST);
            memory.push(stead.resident_mib()?);
            own.push(stead.process.anonymous_bytes()? as f64 / 1024.0 / 1024.0);
            of_nginx.push(stage.rival.resident_bytes()? as f64 / 1024.0 / 1024.0);
        }
        stead.process.stop()?;
    }
    let (ours, ready, rivals) = (median(ours), median(ready), median(rivals));
    let (memory, of_nginx) = (median(memory), median(of_nginx));
    let mut bounds = Bounds::default();
    bounds.add(
        "ms from start to the first healthy response",
        Bound::AtMost(50.0),
        ours,
    );
    bounds.add("MiB at rest", Bound::AtMost(30.0), memory);
    Ok(format!(
        "With {ACCOUNTS} accounts; the median of {STARTS} starts, of which the first reads the binary from the disk.\n\n\
         | subject | ms to /healthz | ms to /readyz | MiB at rest | of which not of the program's file |\n|---|---|---|---|---|\n\
         | nginx | {} | | {} | |\n| stead serve | {} ({}) | {} | {} ({}) | {} |\n\n{}",
        shown(rivals),
        shown(of_nginx),
        shown(ours),
        shown(ours / rivals),
        shown(ready),
        shown(memory),
        shown(memory / of_nginx),
        shown(median(own)),
        bounds.list()
    ))
}

/// Has the binary read from the disk again. Of a file that was just written, Linux maps larger pieces at once, and all of a
/// piece counts as memory of the process.
fn as_after_boot(binary: &Path) -> Result<()> {
    programs::output(Command::new("sync").arg(binary))?;
    let mut file = OsString::from("if=");
    file.push(binary);
    let drop_cache = ["iflag=nocache", "count=0", "status=none"];
    programs::output(Command::new("dd").arg(file).args(drop_cache))?;
    Ok(())
}

/// Milliseconds until another nginx responds.
fn nginx(stage: &Stage) -> Result<f64> {
    let ports = Ports {
        http1: free_port()?,
        http2: free_port()?,
    };
    let site = Site::AddsBearer(stage.stub_ports.http1);
    let began = shell::now();
    let _nginx = nginx::start(&stage.nginx, &stage.folder.join("start"), ports, &site)?;
    while Request::get(ports.http1, "/").status() != Some(200) {
        thread::sleep(Duration::from_micros(500));
    }
    Ok(began.elapsed().as_secs_f64() * 1e3)
}
