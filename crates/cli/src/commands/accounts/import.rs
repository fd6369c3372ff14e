//! `stead accounts import`: accounts with their tokens, one per line.

use std::{collections::BTreeMap, path::PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use stead::{Error, Stead};
use stead_core::{
    error::{Problem, Violation},
    resource::{AccountImport, AccountWithTokens, ExistingAccounts, ImportOutcome},
};

use super::{
    lines::{Line, Lines},
    platforms::Source,
};
use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    progress::Progress,
    target::{IfMissing, Target},
    terminal::Terminal,
};

/// Number of accounts in a request.
const BATCH: usize = 100;

/// Import accounts with their tokens from another platform, one JSON object per line.
///
/// Run it with `--dry-run` first, which checks everything and writes nothing. Stead imports or refuses each line
/// separately. If the import is interrupted, run it again; imported lines don't change.
///
/// Make sure that each account belongs to the user in its line, because Stead can't check that. Only the OAuth client
/// that got a token can refresh it, so first give the connection the same client ID and secret.
#[derive(Debug, Args)]
pub(super) struct Import {
    /// File with the lines, or - for standard input. It can be encrypted with age.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Format of the lines, by platform.
    #[arg(long, value_enum, value_name = "PLATFORM", default_value_t = Source::Stead)]
    from: Source,
    /// Import every line into this connection, whatever connection the line names.
    #[arg(long, value_name = "NAME", conflicts_with = "map")]
    connection: Option<String>,
    /// Rename connections of the lines, as THEIRS=OURS. Other names don't change. Repeat this option, or separate
    /// several values by commas.
    #[arg(long, value_name = "THEIRS=OURS", value_delimiter = ',', value_parser = pair)]
    map: Vec<(String, String)>,
    /// Check everything, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Replace the tokens of existing accounts. By default, Stead refuses these lines.
    #[arg(long, conflicts_with = "skip_existing")]
    replace: bool,
    /// Skip existing accounts.
    #[arg(long)]
    skip_existing: bool,
    /// File with the age secret key that decrypts the file.
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
    #[command(flatten)]
    target: Target,
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((theirs, ours)) if !theirs.is_empty() && !ours.is_empty() => {
            Ok((theirs.to_owned(), ours.to_owned()))
        }
        _ => Err(String::from(
            "expected THEIRS=OURS, such as google-mail=mail",
        )),
    }
}

/// Counts of the lines by outcome.
#[derive(Debug, Default, Serialize)]
struct Summary {
    dry_run: bool,
    lines: u64,
    #[serde(flatten)]
    outcomes: BTreeMap<ImportOutcome, u64>,
}

impl Summary {
    fn new(dry_run: bool) -> Self {
        Self {
            dry_run,
            lines: 0,
            outcomes: ImportOutcome::ALL.map(|outcome| (outcome, 0)).into(),
        }
    }

    fn count(&mut self, outcome: ImportOutcome) {
        self.lines += 1;
        *self.outcomes.entry(outcome).or_default() += 1;
    }

    fn refused(&self) -> u64 {
        self.outcomes
            .get(&ImportOutcome::Refused)
            .copied()
            .unwrap_or_default()
    }

    /// The counts as text, such as `3 lines: 2 created, 1 refused`.
    fn text(&self) -> String {
        let parts = self.outcomes.iter().filter(|(_, count)| **count > 0);
        let parts = parts.map(|(outcome, count)| format!("{count} {}", outcome.name()));
        let parts: Vec<String> = parts.collect();
        let lines = match self.lines {
            1 => String::from("1 line"),
            lines => format!("{lines} lines"),
        };
        match parts.is_empty() {
            true => lines,
            false => format!("{lines}: {}", parts.join(", ")),
        }
    }
}

impl Import {
    pub(super) async fn run(&self, terminal: &Terminal) -> Outcome {
        let mut lines = Lines::open(&self.file, self.identity.as_deref())?;
        let target = self.target.open_without_links(IfMissing::Refuse).await?;
        let mut run = Run {
            import: self,
            stead: &target.stead,
            terminal,
            progress: Progress::new(terminal),
            summary: Summary::new(self.dry_run),
        };
        let outcome = run.all(&mut lines).await;
        let summary = run.end();
        target.close().await;
        outcome?;
        self.conclude(&summary)
    }

    fn conclude(&self, summary: &Summary) -> Outcome {
        match summary.refused() {
            0 => Ok(()),
            refused => Err(Failure::new(
                Exit::Input,
                match refused {
                    1 => format!("1 of {} lines was refused", summary.lines),
                    _ => format!("{refused} of {} lines were refused", summary.lines),
                },
                match self.dry_run {
                    true => {
                        "Correct them, or import the others. Refused lines don't stop the import."
                    }
                    false => "Correct them, and run the import again. Imported lines don't change.",
                },
            )),
        }
    }

    /// The handling of existing accounts.
    fn existing(&self) -> ExistingAccounts {
        match (self.replace, self.skip_existing) {
            (true, _) => ExistingAccounts::Replace,
            (_, true) => ExistingAccounts::Skip,
            _ => ExistingAccounts::Refuse,
        }
    }

    /// The account of a line, with the name of your connection.
    fn read(&self, line: Line) -> Result<AccountWithTokens, Error> {
        let invalid =
            |keyword, message: &str| Error::invalid(vec![Violation::new("", keyword, message)]);
        let Some(line) = line else {
            return Err(invalid("maxLength", "the line has more than 256 KiB"));
        };
        // Serde's message isn't shown, because it may contain a token from the line.
        let value: Value =
            serde_json::from_slice(&line).map_err(|_| invalid("json", "the line isn't JSON"))?;
        let mut account = self.from.read(value)?;
        let ours = self
            .map
            .iter()
            .find(|(theirs, _)| *theirs == account.connection_name);
        if let Some(ours) = self.connection.as_ref().or(ours.map(|(_, ours)| ours)) {
            account.connection_name.clone_from(ours);
        }
        Ok(account)
    }
}

/// An import in progress.
struct Run<'a> {
    import: &'a Import,
    stead: &'a Stead,
    terminal: &'a Terminal,
    progress: Progress,
    summary: Summary,
}

impl Run<'_> {
    async fn all(&mut self, lines: &mut Lines) -> Outcome {
        let mut batch = Vec::with_capacity(BATCH);
        let mut numbers = Vec::with_capacity(BATCH);
        while let Some((number, line)) = lines.next()? {
            match self.import.read(line) {
                Ok(account) => {
                    batch.push(account);
                    numbers.push(number);
                }
                Err(error) => self.refused(number, None, &error.to_problem()),
            }
            if batch.len() == BATCH {
                self.send(std::mem::take(&mut batch), &mut numbers).await?;
            }
        }
        match batch.is_empty() {
            true => Ok(()),
            false => self.send(batch, &mut numbers).await,
        }
    }

    async fn send(&mut self, accounts: Vec<AccountWithTokens>, numbers: &mut Vec<u64>) -> Outcome {
        let import = AccountImport::new(accounts)
            .existing(self.import.existing())
            .dry_run(self.import.dry_run);
        let results = self.stead.accounts().import(import).await?.results;
        for (number, result) in numbers.drain(..).zip(results) {
            match result.problem {
                Some(problem) => {
                    let of = (result.connection_name, result.identifier);
                    self.refused(number, Some(of), &problem);
                }
                None => self.summary.count(result.outcome),
            }
        }
        self.progress.now(&self.summary.text());
        Ok(())
    }

    /// Prints why a line was refused. It repeats nothing of the line except the connection and the user.
    fn refused(&mut self, number: u64, of: Option<(String, String)>, problem: &Problem) {
        self.summary.count(ImportOutcome::Refused);
        let (terminal, progress) = (self.terminal, &self.progress);
        if terminal.json() {
            let (connection_name, identifier) = of.unzip();
            terminal.result_json(&json!({
                "line": number, "connection_name": connection_name, "identifier": identifier, "problem": problem,
            }));
        } else {
            let text = format!("line {number}: {}", problem.detail);
            progress.print_above(|| terminal.error(text));
        }
    }

    /// Prints the summary, also if the import was interrupted.
    fn end(self) -> Summary {
        drop(self.progress);
        let summary = self.summary;
        self.terminal.either(&summary, || {
            let dry = match summary.dry_run {
                true => " Nothing was written.",
                false => "",
            };
            format!("{}.{dry}", summary.text())
        });
        summary
    }
}
