//! `stead store copy`: moves an environment between SQLite and PostgreSQL.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use stead::{
    Error, ErrorKind, TokioRuntime,
    store::{Copied, CopyProgress, CopyStep, StoreCopy},
};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    progress::Progress,
    secrets, signals,
    terminal::Terminal,
};

/// Copy a whole database into an empty one, from SQLite to PostgreSQL or back.
///
/// First stop every service that uses either database. Stead copies connections, accounts, links, tokens, events,
/// history and keys unchanged, and compares all rows at the end. It doesn't change the source, and doesn't need the
/// key.
///
/// If it's interrupted, run the same command again. Until the copy is complete, no service can open it. Then start a
/// service on the copy with the same key. Never start a service on the source again after that.
#[derive(Debug, Args)]
pub(crate) struct Copy {
    /// Database to copy: `sqlite:FILE` or `postgres://USER@HOST/DATABASE`. If it has a password, use the environment
    /// variable.
    #[arg(id = "copy_from", long = "from", env = "STEAD_COPY_FROM", value_name = "DATABASE", hide_env_values = true, value_parser = secrets::parse)]
    from: SecretString,

    /// Database to copy into: an SQLite file, which Stead creates if it's missing, or an empty PostgreSQL database.
    #[arg(id = "copy_to", long = "to", env = "STEAD_COPY_TO", value_name = "DATABASE", hide_env_values = true, value_parser = secrets::parse)]
    to: SecretString,

    /// Spool folder of services on the source. It must not contain tokens. Stead always checks the one next to an
    /// SQLite file.
    #[arg(long, env = "STEAD_SPOOL_DIR", value_name = "FOLDER")]
    spool_dir: Option<PathBuf>,
}

impl Copy {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let copied = self.copy(terminal).await?;
        let rows: u64 = copied.tables.iter().map(|table| table.rows).sum();
        if terminal.json() {
            let tables = copied.tables.iter().map(
                |table| json!({ "table": table.table, "rows": table.rows, "digest": table.digest }),
            );
            terminal.result_json(&json!({
                "from": copied.from,
                "to": copied.to,
                "rows": rows,
                "resumed_at": copied.resumed_at,
                "tables": tables.collect::<Vec<_>>(),
            }));
            return Ok(());
        }
        let filled = copied.tables.iter().filter(|table| table.rows > 0);
        let line = |table: &stead::store::TableCopy| {
            let digest = table.digest.get(..16).unwrap_or_default();
            [
                table.table.to_owned(),
                table.rows.to_string(),
                digest.to_owned(),
            ]
        };
        terminal.table(["TABLE", "ROWS", "SHA-256"], filled.map(line).collect());
        terminal.note(format_args!(
            "Copied {rows} rows from {} to {}, and compared them. Start the service on the copy with the same key.",
            copied.from, copied.to
        ));
        Ok(())
    }

    async fn copy(&self, terminal: &Terminal) -> Outcome<Copied> {
        let progress = Progress::new(terminal);
        progress.now("Opening both databases");
        let runtime = Arc::new(TokioRuntime::current()?);
        let copy = StoreCopy::new(self.from.expose_secret(), self.to.expose_secret());
        let mut copy = copy.map_err(refused)?;
        if let Some(folder) = &self.spool_dir {
            copy = copy.spool(folder);
        }
        let mut print = |come: CopyProgress| progress.now(&sentence(&come));
        tokio::select! {
            copied = copy.run(runtime, &mut print) => copied.map_err(refused),
            () = signals::stop() => Err(Failure::new(
                Exit::Failed,
                "the copy was interrupted",
                "Run the same command again to continue.",
            )),
        }
    }
}

fn sentence(come: &CopyProgress) -> String {
    let CopyProgress {
        step,
        table,
        rows,
        of,
        ..
    } = *come;
    let what = match step {
        CopyStep::Comparing => "Comparing",
        _ => "Copying",
    };
    let percent = rows.saturating_mul(100).checked_div(of).unwrap_or(100);
    format!("{what} {table}: {rows} of {of} rows, {}%", percent.min(100))
}

/// A copy's invalid request is a wrong command line, not an application's mistake.
fn refused(error: Error) -> Failure {
    match error.kind() {
        ErrorKind::InvalidRequest => Failure::new(
            Exit::Input,
            error.message().to_owned(),
            "The source didn't change. See `stead store copy --help` for the requirements.",
        ),
        _ => error.into(),
    }
}
