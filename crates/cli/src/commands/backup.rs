//! `stead backup`: a copy of the database, next to a running service.

use std::path::PathBuf;

use clap::Args;

use crate::{failure::Outcome, target::Database, terminal::Terminal};

/// Copy the database into a new file, also while a service is running.
///
/// The copy is the database as it was at one moment, and only its owner can read it. It's encrypted like the database.
/// Keep the key (STEAD_KEY or --key-file) too, in another place. Without the key the copy is useless. To restore, stop
/// the service and put the copy in the place of the database. Refresh tokens that were used since the copy was made are
/// refused by the products that replace them; those users have to authorize again.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// File to write; it must not exist.
    #[arg(value_name = "FILE")]
    to: PathBuf,

    #[command(flatten)]
    database: Database,
}

impl Backup {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        self.database.back_up(&self.to).await?;
        terminal.note(format_args!(
            "Copied the database to {}. Keep its key too, and apart from it.",
            self.to.display()
        ));
        Ok(())
    }
}
