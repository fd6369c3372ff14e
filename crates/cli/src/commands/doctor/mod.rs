//! `stead doctor`: what is wrong with this environment, and what to do. A file for each check.

mod accounts;
mod clock;
mod connections;
mod database;
mod files;
mod finding;
mod key;
mod outbox;
mod public_url;
mod rows;

use clap::Args;
use stead::{ErrorKind, core::environment::Examination};

use crate::{
    failure::{Failure, Outcome},
    target::{Database, OTHER_KEY},
    terminal::Terminal,
};
use finding::{Finding, Level};

/// Look for what is wrong, and say what to do about it.
///
/// It looks at the key, the database and who wrote its rows, the disk, the clock, the public URL, the connections and their
/// endpoints, revocations that wait, the audit log, and accounts that need their user or an operator. It changes nothing, and runs next to a service as well as without one. Each finding has a level (ok, warning, error),
/// a sentence, and what to do. The exit code is 1 where there is an error. The endpoints of products are asked over the
/// network, without credentials.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Ask the service behind the public URL too.
    #[arg(long)]
    call_public_url: bool,

    #[command(flatten)]
    database: Database,
}

impl Doctor {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let findings = self.look().await;
        for finding in &findings {
            terminal.either(finding, || text(finding, terminal));
        }
        let count = |level| findings.iter().filter(|one| one.level == level).count();
        let (errors, warnings) = (count(Level::Error), count(Level::Warning));
        terminal.note(format_args!(
            "{}, {}",
            counted(errors, "error"),
            counted(warnings, "warning")
        ));
        match errors {
            0 => Ok(()),
            _ => Err(Failure::Reported),
        }
    }

    async fn look(&self) -> Vec<Finding> {
        let mut findings = vec![key::given(&self.database)];
        findings.extend(database::look(&self.database).await);
        // To open an older schema would bring it up to date, perhaps under an older service that runs.
        let healthy = findings.iter().all(|one| match one.check {
            database::CHECK => one.level == Level::Ok,
            _ => one.level != Level::Error,
        });
        let (url, health) = public_url::look(self.database.public_url()).await;
        findings.extend(url);
        let others: Vec<String> = health
            .into_iter()
            .filter(|_| self.call_public_url)
            .collect();
        if !healthy {
            findings.push(Finding::warning(
                "environment",
                "what the database holds was not looked at",
                "Settle what is said above, and run `stead doctor` again.",
            ));
            return findings;
        }
        match self.examine(&others).await {
            Ok(examination) => {
                findings.push(Finding::ok("key", "it opens the database"));
                findings.extend(clock::look(&examination));
                findings.extend(public_url::asked(&others, &examination));
                findings.extend(connections::look(&examination));
                findings.push(outbox::look(&examination));
                findings.extend(rows::look(&examination));
                findings.extend(accounts::look(&examination));
            }
            Err(failure) => findings.push(failed(failure)),
        }
        findings
    }

    async fn examine(&self, others: &[String]) -> Outcome<Examination> {
        let platform = self.database.open_to_examine().await?;
        let examination = platform.environment().examine(others).await;
        platform.shut_down().await;
        Ok(examination?)
    }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn failed(failure: Failure) -> Finding {
    let kind = match &failure {
        Failure::Stead { error, .. } => Some(error.kind()),
        _ => None,
    };
    match kind {
        Some(ErrorKind::KeyUnavailable) => Finding::of_failure("key", failure, OTHER_KEY),
        Some(ErrorKind::StorageUnavailable) => Finding::of_failure(
            "database",
            failure,
            "Put a backup in its place: docs/guide/operations.md says how.",
        ),
        _ => Finding::of_failure("environment", failure, "Run it again with --log debug."),
    }
}

fn text(finding: &Finding, terminal: &Terminal) -> String {
    let level = format!("{:<8}", finding.level.name());
    let level = match finding.level {
        Level::Ok => terminal.green(&level),
        Level::Warning => terminal.bold(&level),
        Level::Error => terminal.red(&level),
    };
    let (check, message) = (finding.check, &finding.message);
    let mut text = format!("{level} {check:<12} {message}");
    if let Some(remedy) = &finding.remedy {
        text.push_str(&format!("\n{:22}{remedy}", ""));
    }
    text
}
