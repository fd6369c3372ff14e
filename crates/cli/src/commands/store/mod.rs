//! `stead store`: the database as a whole.

mod copy;

use clap::{Args, Subcommand};

use crate::{failure::Outcome, terminal::Terminal};

/// The database as a whole, without a service.
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
