//! `stead man`: manual pages.

use clap::{Args, CommandFactory as _};
use clap_mangen::Man as Page;

use crate::{
    CommandLine,
    failure::{Failure, Outcome},
    terminal::Terminal,
};

/// Print a manual page. Read it with `stead man serve | man -l -`.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// Command, such as `connections create`. The default is the page of `stead` itself.
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl Man {
    pub(crate) fn run(self, terminal: &Terminal) -> Outcome {
        let mut all = CommandLine::command();
        all.build();
        let mut command = &all;
        for name in &self.command {
            command = command.find_subcommand(name).ok_or_else(|| {
                Failure::usage(
                    format!("unknown command {:?}", self.command.join(" ")),
                    "`stead --help` lists the commands.",
                )
            })?;
        }
        let mut text = Vec::new();
        Page::new(command.clone())
            .render(&mut text)
            .map_err(|error| Failure::usage(error.to_string(), "Try another command."))?;
        terminal.result(String::from_utf8_lossy(&text).trim_end());
        Ok(())
    }
}
