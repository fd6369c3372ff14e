//! The five parts of the bench.

use std::{process::Command, thread, time::Duration};

use anyhow::Result;

use super::{
    figures::{Subject, at_most, measure, median, shown},
    load::Load,
    process::output,
    service::{Database, Service},
    stage::{ACCOUNTS, Stage},
};

/// How many connections are used at the same time.
const CONNECTIONS: u32 = 32;
/// A kind of call, and the load that makes it.
type Kind = (&'static str, fn(&Service) -> Load);
const NGINX: &str = "nginx, adds a bearer token";

/// Measures how long a service takes to start, and its memory before the first call.
pub(crate) fn start(stage: &Stage) -> Result<String> {
    const STARTS: usize = 11;
    let database = stage.database("start", &stage.binary, ACCOUNTS)?;
    // Linux maps a freshly written file in larger pieces, which count as memory. So write the binary to the disk and
    // drop it from the cache, as after a boot.
    output(Command::new("sync").arg(&stage.binary))?;
    let file = format!("if={}", stage.binary.display());
    output(Command::new("dd").args([&file, "iflag=nocache", "count=0", "status=none"]))?;
    let (mut healthy, mut ready, mut memory, mut own) = (vec![], vec![], vec![], vec![]);
    for start in 0..STARTS {
        let began = crate::shell::now();
        let mut service = database.serve()?;
        service.wait_until_ready()?;
        ready.push(began.elapsed().as_secs_f64() * 1e3);
        healthy.push(service.started_in.as_secs_f64() * 1e3);
        // A few samples are enough. Two seconds after the start, the service has finished its background work.
        if start % 5 == 0 {
            thread::sleep(Duration::from_secs(2));
            memory.push(service.process.mib("VmRSS:")?);
            own.push(service.process.mib("RssAnon:")?);
        }
    }
    Ok(format!(
        "With {ACCOUNTS} accounts, the median of {STARTS} starts.\n\n{}{}- ms to /readyz: {}\n- MiB at rest that are not of the program's file: {}\n",
        at_most(50.0, "ms to /healthz", median(healthy)),
        at_most(30.0, "MiB at rest", median(memory)),
        shown(median(ready)),
        shown(median(own)),
    ))
}

/// Measures the cost of a call of 1 KB: proxied, by a tool, and by the tool over MCP.
pub(crate) fn calls(stage: &Stage) -> Result<String> {
    const CALLS: [Kind; 3] = [
        ("proxied", |service| service.proxied(1)),
        ("a tool", Service::tool),
        ("a tool over MCP", Service::mcp),
    ];
    let database = stage.database("calls", &stage.binary, ACCOUNTS)?;
    let against = stage.options.against.as_ref();
    let against = against
        .map(|binary| stage.database("against", binary, ACCOUNTS))
        .transpose()?;
    let mut text = String::new();
    for concurrency in [CONNECTIONS, 1] {
        let service = database.serve_calls()?;
        let other = against.as_ref().map(Database::serve_calls).transpose()?;
        let mut subjects = vec![nginx(stage)];
        for (prefix, service) in [("", Some(&service)), ("against: ", other.as_ref())] {
            let service = service.into_iter();
            subjects.extend(service.flat_map(|service| {
                CALLS.map(|(name, load)| subject(format!("{prefix}{name}"), service, load(service)))
            }));
        }
        let measured = measure(stage, concurrency, &subjects)?;
        text += &format!("### Concurrency {concurrency}\n\n{}\n", measured.table()?);
        if concurrency == CONNECTIONS {
            for (bound, name, of) in [
                (2.7, "proxied", NGINX),
                (1.4, "a tool", "proxied"),
                (1.8, "a tool over MCP", "a tool"),
            ] {
                let what = format!("CPU of {name}, divided by that of {of}");
                text += &at_most(bound, &what, measured.cpu_ratio(name, of)?);
            }
        }
        for (name, _) in CALLS.iter().filter(|_| other.is_some()) {
            let ratio = measured.cpu_ratio(name, &format!("against: {name}"))?;
            text += &format!("- CPU of {name}, divided by that of the other binary: {ratio:.3}\n");
        }
        text += "\n";
    }
    Ok(text)
}

/// Measures whether memory grows with the number of calls.
pub(crate) fn memory(stage: &Stage) -> Result<String> {
    let database = stage.database("memory", &stage.binary, ACCOUNTS)?;
    let service = database.serve_calls()?;
    let loads = [service.proxied(1), service.tool()];
    let mut text = String::from("| calls | MiB |\n|---|---|\n");
    let all = stage.options.calls as f64;
    let (mut calls, mut mib, mut after_half) = (0.0, 0.0, None);
    while calls < all {
        for load in &loads {
            calls += load.run(&stage.folder, CONNECTIONS, 1)?.requests;
        }
        mib = service.process.mib("VmRSS:")?;
        text += &format!("| {calls} | {} |\n", shown(mib));
        // Pools and buffers fill in the first half, and later vary by a few MiB.
        if calls >= all / 2.0 {
            after_half.get_or_insert(mib);
        }
    }
    let growth = mib - after_half.unwrap_or(mib);
    Ok(text
        + "\n"
        + &at_most(
            4.0,
            "MiB more at the end than after half of the calls",
            growth,
        ))
}

/// Measures how much disk space the history of calls takes.
pub(crate) fn disk(stage: &Stage) -> Result<String> {
    const FEW: usize = 10;
    /// The number of calls in a day, at 10 a second.
    const DAY: f64 = 864_000.0;
    let database = stage.database("disk", &stage.binary, FEW)?;
    let mut text = String::from(
        "| calls | number | bytes per call | MB of a day with 10 a second |\n|---|---|---|---|\n",
    );
    let mut day = 0.0;
    let slow: fn(&Service) -> Load = |service| Load {
        delay_ms: 100,
        ..service.proxied(FEW)
    };
    let kinds: [Kind; 4] = [
        ("proxied", |service| service.proxied(FEW)),
        ("a tool", Service::tool),
        ("a tool over MCP", Service::mcp),
        // The last one counts: at this rate Stead writes few calls together, so each one takes more space.
        ("proxied, 10 a second", slow),
    ];
    for (name, load) in kinds {
        // A start and its tokens are written too, so subtract them.
        let rest = |calls: &mut dyn FnMut(&Service) -> Result<()>| {
            let service = database.serve_calls()?;
            calls(&service)?;
            drop(service);
            database.bytes()
        };
        let first = rest(&mut |_| Ok(()))?;
        let before = rest(&mut |_| Ok(()))?;
        let mut calls = 0.0;
        let after = rest(&mut |service| {
            let load = load(service);
            if load.delay_ms > 0 {
                calls += load
                    .run(&stage.folder, 1, 60 * stage.options.seconds)?
                    .requests;
                return Ok(());
            }
            while calls < stage.options.calls.min(100_000) as f64 {
                calls += load
                    .run(&stage.folder, CONNECTIONS, stage.options.seconds)?
                    .requests;
            }
            Ok(())
        })?;
        let each = ((after + first - 2.0 * before) / calls).max(0.0);
        day = each * DAY / 1e6;
        text += &format!("| {name} | {calls} | {} | {} |\n", shown(each), shown(day));
    }
    Ok(text + "\n" + &at_most(100.0, "MB of a day with 10 calls a second", day))
}

/// Measures how the number of accounts affects the start, memory, and the cost of a call.
pub(crate) fn accounts(stage: &Stage) -> Result<String> {
    const FEW: usize = 10;
    let numbers = [FEW, ACCOUNTS, stage.options.accounts];
    let databases =
        numbers.map(|number| stage.database(&number.to_string(), &stage.binary, number));
    let databases = databases.into_iter().collect::<Result<Vec<_>>>()?;
    let services = databases.iter().map(|database| {
        let service = database.serve_calls()?;
        let rest = service.process.mib("VmRSS:")?;
        Ok((database, service, rest))
    });
    let services = services.collect::<Result<Vec<_>>>()?;
    // Stead keeps accounts in memory that are called often. If there are very many, it has to read some.
    let name = |called: usize, all: usize| format!("{called} of {all} accounts");
    let mut subjects = vec![nginx(stage)];
    for (database, service, _) in &services {
        let all = database.accounts;
        for called in [FEW, ACCOUNTS].into_iter().filter(|called| *called <= all) {
            subjects.push(subject(name(called, all), service, service.proxied(called)));
        }
    }
    let measured = measure(stage, CONNECTIONS, &subjects)?;
    let mut text = measured.table()?
        + "\n| accounts | ms to /healthz | MiB before these calls | MiB after | bytes of the file per account |\n|---|---|---|---|---|\n";
    for (database, service, rest) in &services {
        text += &format!(
            "| {} | {} | {} | {} | {} |\n",
            database.accounts,
            shown(service.started_in.as_secs_f64() * 1e3),
            shown(*rest),
            shown(service.process.mib("VmRSS:")?),
            shown(database.bytes()? / database.accounts as f64),
        );
    }
    text += "\n";
    for called in [FEW, ACCOUNTS] {
        let [many, few] = [stage.options.accounts, called].map(|all| name(called, all));
        text += &at_most(
            1.2,
            &format!("CPU of a call, {many}, divided by {few}"),
            measured.cpu_ratio(&many, &few)?,
        );
    }
    Ok(text)
}

fn nginx(stage: &Stage) -> Subject<'_> {
    Subject {
        name: NGINX.to_owned(),
        process: &stage.nginx,
        load: stage.nginx_load(),
    }
}

fn subject(name: String, service: &Service, load: Load) -> Subject<'_> {
    Subject {
        name,
        process: &service.process,
        load,
    }
}
