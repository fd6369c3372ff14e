//! The binary `stead`: the service, its sandbox and its commands.

mod commands;
mod derived;
mod duration;
mod exit;
#[cfg(feature = "failpoints")]
mod failpoints;
mod failure;
mod key_source;
mod listener;
mod logs;
#[cfg(feature = "otlp")]
mod otlp;
mod process;
mod progress;
mod secrets;
mod settings;
mod signals;
mod target;
mod terminal;
mod variables;

use std::{ffi::OsString, process::ExitCode};

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser};

use commands::Any;
use exit::Exit;
use failure::{Failure, Outcome};
use settings::Parsed;
use terminal::Terminal;

/// About a tenth less time per call than the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Connect your app and its agents to your users' Gmail, Notion, Snowflake, Google Calendar, Sheets and Drive.
#[cfg_attr(
    feature = "sandbox",
    doc = "",
    doc = "New here? `stead dev` starts Stead with a sandbox, so you can try it out. `stead demo` runs every tool once."
)]
#[derive(Debug, Parser)]
#[command(name = "stead", version, after_help = exit::table(), arg_required_else_help = true)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    command: Any,

    #[command(flatten)]
    globals: Globals,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Globals {
    /// Print each result as one line of JSON. Errors are JSON too, on standard error.
    #[arg(long, global = true)]
    json: bool,

    /// Print only results, without hints and progress.
    #[arg(long, short, global = true)]
    quiet: bool,

    /// Print without color. Stead does so automatically if the output isn't a terminal.
    #[arg(long, global = true, env = "NO_COLOR", value_parser = not_empty, hide_env_values = true)]
    no_color: bool,

    /// Log level, or targets with levels. By default, `serve` logs `info` without a line for each request, and the
    /// other commands log `warn`.
    #[arg(long, global = true, env = "STEAD_LOG", value_name = "FILTER")]
    log: Option<String>,
}

/// The default of `serve`: what an operator needs to know, without a line for each request or call.
const LOG_OF_SERVICE: &str = "warn,stead=info,stead_server::middleware=warn,stead::call=warn";

fn main() -> ExitCode {
    logs::keep_panics_quiet();
    let mut command = CommandLine::command();
    // Clap prints mistakes before it has parsed `--no-color`.
    if std::env::args().any(|argument| argument == "--no-color") {
        command = command.color(clap::ColorChoice::Never);
    }
    let line: Vec<OsString> = std::env::args_os().collect();
    let parsed = settings::parse(command, &line).and_then(|parsed| {
        let arguments = CommandLine::from_arg_matches(&parsed.matches)?;
        Ok((parsed, arguments))
    });
    let (Parsed { matches, file }, mut arguments) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return refuse(&error),
    };
    let globals = &mut arguments.globals;
    globals.no_color |= std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let terminal = Terminal::new(globals.json, globals.quiet, globals.no_color);
    // A service that logs JSON also logs its errors as JSON.
    let logs_errors = arguments.command.is_serve() && !terminal.json() && !terminal.shows_errors();
    let outcome = secrets::refuse_on_command_line(&matches).and_then(|()| {
        let file = match file {
            Ok(file) => file,
            Err(failure) => {
                arguments.command.take_refused_settings(failure)?;
                None
            }
        };
        run(arguments, &terminal).map_err(|mut failure| {
            if let Some(file) = file {
                file.explain(&mut failure, &matches);
            }
            failure
        })
    });
    let mut failures: Vec<Failure> = outcome.err().into_iter().collect();
    failures.extend(terminal.lost().map(|why| {
        Failure::new(
            Exit::Failed,
            format!("can't write the output: {why}"),
            "Free some space, or write the output elsewhere. Then run the command again; changes that it made remain.",
        )
    }));
    for failure in &failures {
        if !(logs_errors && failure.log()) {
            failure.print(&terminal);
        }
    }
    match failures.first() {
        None => ExitCode::SUCCESS,
        Some(first) => ExitCode::from(first.exit().code()),
    }
}

/// Prints clap's error or help.
fn refuse(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || std::env::args().all(|argument| argument != "--json") {
        error.exit();
    }
    let failure = Failure::of_clap(error);
    failure.print(&Terminal::new(true, false, true));
    ExitCode::from(failure.exit().code())
}

fn run(mut arguments: CommandLine, terminal: &Terminal) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::configuration(
                format!("can't start threads: {error}"),
                "Check this user's limits with: ulimit -a",
            )
        })?;
    #[cfg(feature = "otlp")]
    let traces = match arguments.command.is_serve() {
        true => otlp::Traces::to_collector(runtime.handle())?,
        false => None,
    };
    let more = arguments.command.layer().into_iter();
    #[cfg(feature = "otlp")]
    let more = more.chain(traces.as_ref().map(otlp::Traces::layer));
    let log = arguments.globals.log.as_deref();
    let log = log.filter(|filter| !filter.is_empty());
    let is_serve = arguments.command.is_serve();
    logs::start(
        log.unwrap_or(if is_serve { LOG_OF_SERVICE } else { "warn" }),
        arguments.globals.no_color,
        arguments.globals.json || is_serve,
        more.collect(),
    )?;
    if !arguments.command.names_unknown_variables() {
        let unknown = variables::unknown(&CommandLine::command());
        unknown.iter().for_each(|said| tracing::warn!("{said}"));
    }
    process::keep_memory_private();
    let outcome = runtime.block_on(arguments.command.run(terminal));
    #[cfg(feature = "otlp")]
    if let Some(traces) = traces {
        traces.end();
    }
    outcome
}

/// Any value of NO_COLOR that isn't empty turns color off (no-color.org).
fn not_empty(text: &str) -> Result<bool, std::convert::Infallible> {
    Ok(!text.is_empty() && text != "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_has_the_commands_of_its_features() {
        let command = CommandLine::command();
        let has = |name: &str| command.find_subcommand(name).is_some();
        for name in ["serve", "connections", "accounts", "members", "doctor"] {
            assert!(has(name), "{name}");
        }
        for name in ["dev", "demo"] {
            assert_eq!(has(name), cfg!(feature = "sandbox"), "{name}");
        }
        let serve = command.find_subcommand("serve").unwrap();
        let signs_in = serve
            .get_arguments()
            .any(|one| one.get_id() == "oidc_issuer");
        assert_eq!(signs_in, cfg!(feature = "dashboard"));
    }
}
