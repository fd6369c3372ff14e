//! Calls of 1 KB: proxied, a tool, over MCP, with PostgreSQL, and from the library in a process of its own.

use std::thread;

use anyhow::{Context as _, Result};

use super::{
    bound::{Bound, Bounds, shown},
    free_port,
    load::Load,
    nginx::{self, Ports, Site},
    postgres::Postgres,
    process::Running,
    programs::Missing,
    responses::SMALL,
    stage::{ACCOUNTS, Stage},
    stead::Stead,
    store::{PRODUCTS, Store},
    subject::{Subject, baselines, measure},
    table::{self, Figures, Measured, figures},
};

/// Connections that are used at the same time.
const CONCURRENCY: [u32; 3] = [32, 1, 256];
/// A tool of one request.
pub(crate) const TOOL: &str = "mail_list_drafts";
const PROXIED: &str = "stead serve, proxied";
const TYPED: &str = "stead serve, a tool";
const MCP: &str = "stead serve, a tool over MCP";
const NGINX_PER_CORE: &str = "nginx, a process for each core";

pub(crate) fn run(stage: &Stage) -> Result<String> {
    let path = PRODUCTS[0].path;
    let store = stage.store()?;
    let server = Postgres::start();
    let on_server = match &server {
        Some(server) => {
            let url = Some(server.database());
            Some(stage.make_store("postgres", &stage.binary, url, ACCOUNTS)?)
        }
        None => None,
    };
    let other = match &stage.against {
        Some(binary) => Some(stage.make_store("other", binary, None, ACCOUNTS)?),
        None => None,
    };
    let has_library = has_library(store)?;
    let mut text = format!(
        "The tool is `{TOOL}`, one request of the product. The library is called in a process of its own, with the same file, by \
         `stead bench-calls`.\n\n"
    );
    if server.is_none() {
        text += &format!(
            "PostgreSQL, not measured: {}.\n\n",
            Missing::new("initdb", "postgresql")
        );
    }
    if !has_library {
        text += "The library, not measured: the binary has no `bench-calls`.\n\n";
    }
    let (per_core, per_core_port) = nginx_per_core(stage)?;
    for concurrency in CONCURRENCY {
        // An application's token lasts an hour, less than all of this.
        let stead = Stead::start(store)?;
        let with_postgres = on_server.as_ref().map(Stead::start).transpose()?;
        let other = other.as_ref().map(Stead::start).transpose()?;
        let mut subjects = baselines(stage, path);
        subjects.push(Subject::shared(
            NGINX_PER_CORE,
            stage,
            &per_core,
            Load::get(per_core_port, path),
        ));
        subjects.push(Subject::new(
            PROXIED,
            stage,
            &stead.process,
            stead.proxy(path),
        ));
        subjects.push(Subject::new(TYPED, stage, &stead.process, stead.tool(TOOL)));
        subjects.push(Subject::new(MCP, stage, &stead.process, stead.mcp(TOOL)));
        for (name, other) in [
            ("with PostgreSQL", &with_postgres),
            ("other binary", &other),
        ] {
            let Some(other) = other else { continue };
            let process = &other.process;
            for (what, load) in [("proxied", other.proxy(path)), ("a tool", other.tool(TOOL))] {
                subjects.push(Subject::new(
                    format!("{name}, {what}"),
                    stage,
                    process,
                    load,
                ));
            }
        }
        if has_library {
            for (name, what) in [("proxied", ["--path", path]), ("a tool", ["--tool", TOOL])] {
                let command = move |concurrency: u32, seconds: u32| {
                    let mut command = store.command(&["bench-calls"]);
                    command.args(what).args(["--identifier", &Store::user(0)]);
                    command.args(["--concurrency", &concurrency.to_string()]);
                    command.args(["--seconds", &seconds.to_string()]);
                    command
                };
                subjects.push(Subject::program(format!("library, {name}"), command));
            }
        }
        let measured = measure(stage, "1 KB", concurrency, SMALL, &subjects)?;
        text += &format!(
            "### Concurrency {concurrency}\n\n{}\n\n{}{}\n\n",
            table::of(&measured),
            of_nginx_per_core(&measured)?,
            bounds(concurrency, &measured)?.list()
        );
        if stage.against.is_some() {
            let find = |name: &str| measured.iter().find(|(of, _)| of == name);
            for (name, other) in [
                (PROXIED, "other binary, proxied"),
                (TYPED, "other binary, a tool"),
            ] {
                if let (Some(one), Some(other)) = (find(name), find(other)) {
                    text += &format!("- {}\n", table::ratio(one, other));
                }
            }
            text += "\n";
        }
    }
    Ok(text)
}

fn bounds(concurrency: u32, measured: &[Measured]) -> Result<Bounds> {
    let mut bounds = Bounds::default();
    let nginx = Figures::of(&measured.get(table::NGINX).context("no nginx")?.1);
    let proxied = figures(measured, PROXIED).context("nothing proxied")?;
    let typed = figures(measured, TYPED).context("no tool")?;
    let mut add = |what: &str, bound, figure| bounds.add(what, bound, figure);
    if concurrency == 32 {
        add(
            "CPU of a proxied call, of nginx",
            Bound::AtMost(2.0),
            proxied.cpu / nginx.cpu,
        );
        let rate = proxied.per_second / nginx.per_second;
        add("requests/s proxied, of nginx", Bound::AtLeast(0.65), rate);
        add(
            "CPU of a tool, of a proxied call",
            Bound::AtMost(1.3),
            typed.cpu / proxied.cpu,
        );
    }
    let bound = match concurrency {
        32 => Bound::AtMost(2.0),
        1 => Bound::AtMost(4.0),
        _ => return Ok(bounds),
    };
    add(
        "p99 of a proxied call, of nginx",
        bound,
        proxied.p99 / nginx.p99,
    );
    Ok(bounds)
}

/// The rival with as many processes as Stead has threads for connections; they share a port.
fn nginx_per_core(stage: &Stage) -> Result<(Vec<Running>, u16)> {
    let ports = Ports {
        http1: free_port()?,
        http2: free_port()?,
    };
    let site = Site::AddsBearer(stage.stub_ports.http1);
    let start = |number| {
        let folder = stage.folder.join(format!("nginx-{number}"));
        nginx::start(&stage.nginx, &folder, ports, &site)
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let processes = (0..cores).map(start).collect::<Result<_>>()?;
    Ok((processes, ports.http1))
}

/// How a proxied call compares to the rival that uses as many cores.
fn of_nginx_per_core(measured: &[Measured]) -> Result<String> {
    let nginx = figures(measured, NGINX_PER_CORE).context("no nginx for each core")?;
    let proxied = figures(measured, PROXIED).context("nothing proxied")?;
    Ok(format!(
        "- a proxied call, of nginx with a process for each core: requests/s {}, p99 {}, CPU {}\n",
        shown(proxied.per_second / nginx.per_second),
        shown(proxied.p99 / nginx.p99),
        shown(proxied.cpu / nginx.cpu),
    ))
}

/// Whether the binary can call the library by itself: one of before cannot.
pub(crate) fn has_library(store: &Store) -> Result<bool> {
    let output = store.command(&["bench-calls", "--help"]).output()?;
    Ok(output.status.success())
}
