//! `stead backup`: a copy of the database, next to a running service.

use std::path::PathBuf;

use clap::Args;

use crate::{failure::Outcome, target::Database, terminal::Terminal};

/// Copy the database into a new file, even while a service is running.
///
/// The copy is a consistent snapshot that only its owner can read. Its secrets are encrypted. Store the key (STEAD_KEY
/// or --key-file) too, in another place, because the copy is useless without it.
///
/// To restore, stop the service and replace the database with the copy. Some products replace a refresh token at each
/// use and refuse the old one. Users whose token was replaced since the copy must reconnect.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// File to write. It must not exist yet.
    #[arg(value_name = "FILE")]
    to: PathBuf,

    #[command(flatten)]
    database: Database,
}

impl Backup {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        self.database.back_up(&self.to).await?;
        terminal.note(format_args!(
            "Copied the database to {}. Store its key too, in another place.",
            self.to.display()
        ));
        Ok(())
    }
}
