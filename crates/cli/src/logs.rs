//! Logs, and what is printed when the program itself panics.

use std::{
    io::{self, IsTerminal as _, Write as _},
    panic,
};

use tracing_subscriber::{
    EnvFilter, Layer, Registry, filter::LevelFilter, fmt, layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::failure::{Failure, Outcome};

/// A layer in addition to the log.
pub(crate) type More = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts logging to standard error, as text for people or JSON lines for programs. The filter doesn't apply to the
/// layers in `more`.
pub(crate) fn start(filter: &str, no_color: bool, for_programs: bool, more: Vec<More>) -> Outcome {
    if let Some(word) = unknown_word(filter) {
        return Err(Failure::usage(
            format!("{word:?} is not a log level"),
            format!(
                "Use off, error, warn, info, debug or trace. If {word} is a crate, add a level: --log {word}=debug"
            ),
        ));
    }
    let filter = EnvFilter::try_new(without_noise(filter)).map_err(|error| {
        Failure::usage(
            format!("invalid log filter: {error}"),
            "Use a level, such as --log info, or targets, such as --log stead_core=debug,warn",
        )
    })?;
    let terminal = io::stderr().is_terminal();
    let logs = fmt::layer().with_writer(io::stderr);
    let logs = if for_programs && !terminal {
        logs.json().with_span_list(false).boxed()
    } else {
        logs.with_ansi(terminal && !no_color).boxed()
    };
    let registry = tracing_subscriber::registry();
    if more.is_empty() {
        // One filter for all layers is cheaper than one for each.
        registry.with(logs).with(filter).init();
        return Ok(());
    }
    let logs = logs.with_filter(filter).boxed();
    let all: Vec<More> = [logs].into_iter().chain(more).collect();
    registry.with(all).init();
    Ok(())
}

/// The filter without warnings of two libraries. The store already reports the database driver's warnings, and the MCP
/// library warns about each mistake of a client. A filter that names one of them keeps its warnings.
fn without_noise(filter: &str) -> String {
    let is_quiet = filter.trim().is_empty()
        || filter
            .parse::<LevelFilter>()
            .is_ok_and(|level| level < LevelFilter::WARN);
    if is_quiet {
        return filter.to_owned();
    }
    let mut all = filter.to_owned();
    for quiet in ["sqlx", "rmcp"] {
        if !filter.contains(quiet) {
            all = format!("{quiet}=error,{all}");
        }
    }
    all
}

/// A single word of a filter that is neither a level nor a crate of Stead. The filter would read it as a crate and log
/// nothing else.
fn unknown_word(filter: &str) -> Option<&str> {
    filter.split(',').map(str::trim).find(|word| {
        let is_word = word
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let is_level = word.parse::<LevelFilter>().is_ok();
        is_word && !word.is_empty() && !is_level && !word.starts_with("stead")
    })
}

/// A panic's message may contain user data, so only its place is printed.
pub(crate) fn keep_panics_quiet() {
    panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(|| String::from("an unknown place"), ToString::to_string);
        let _ = writeln!(
            io::stderr(),
            "stead: internal error at {place}. Please report this line. It contains none of your data."
        );
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_of_the_database_driver_are_off_unless_the_filter_names_it() {
        for (filter, expected) in [
            ("warn", "rmcp=error,sqlx=error,warn"),
            (
                "stead_core=debug,warn",
                "rmcp=error,sqlx=error,stead_core=debug,warn",
            ),
            ("sqlx=debug,warn", "rmcp=error,sqlx=debug,warn"),
            ("error", "error"),
            ("off", "off"),
            ("", ""),
        ] {
            assert_eq!(without_noise(filter), expected);
        }
    }

    #[test]
    fn an_unknown_word_in_a_log_filter_is_found() {
        for filter in [
            "warn",
            "INFO",
            "off",
            "stead_core",
            "stead_core=debug,warn",
            "hyper=debug",
        ] {
            assert_eq!(unknown_word(filter), None, "{filter}");
        }
        assert_eq!(unknown_word("verbose"), Some("verbose"));
        assert_eq!(unknown_word("stead_core=debug, warning"), Some("warning"));
    }
}
