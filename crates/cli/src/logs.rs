//! Logs, and what is printed when the program itself panics.

use std::{
    io::{self, IsTerminal as _, Write as _},
    panic,
};

use tracing_subscriber::EnvFilter;

use crate::failure::{Failure, Outcome};

/// Starts logging to the standard error stream: coloured text on a terminal, JSON lines elsewhere.
pub(crate) fn start(filter: &str, no_color: bool) -> Outcome {
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        Failure::usage(
            format!("this is not a log filter: {error}"),
            "Write a level such as --log info, or targets such as --log stead_core=debug,warn",
        )
    })?;
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    if io::stderr().is_terminal() {
        logs.with_ansi(!no_color).init();
    } else {
        logs.json().with_span_list(false).init();
    }
    Ok(())
}

/// A panic's message may contain user data, so only its place is printed.
pub(crate) fn keep_panics_quiet() {
    panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(|| String::from("an unknown place"), ToString::to_string);
        let _ = writeln!(
            io::stderr(),
            "stead: an internal error at {place}. Please report it with this line; it contains none of your data."
        );
    }));
}
