//! `stead store`: commands for the whole database.

mod copy;

use clap::{Args, Subcommand};

use crate::{failure::Outcome, terminal::Terminal};

/// Commands for the whole database, while no service runs.
#[derive(Debug, Args)]
pub(crate) struct Store {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Debug, Subcommand)]
enum StoreCommand {
    Copy(copy::Copy),
}

impl Store {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        match self.command {
            StoreCommand::Copy(command) => command.run(terminal).await,
        }
    }
}
