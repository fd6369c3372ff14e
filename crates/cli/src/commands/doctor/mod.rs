//! `stead doctor`: finds problems of this environment. Each check has a file.

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

use clap::{Args, CommandFactory as _};
use stead::ErrorKind;
#[cfg(not(feature = "dashboard"))]
use stead_core::environment::SignInProvider;
use stead_core::environment::{EnvironmentOptions, Examination, MovedPublicUrl};

use crate::{
    CommandLine,
    failure::{Failure, Outcome},
    target::{Database, OTHER_KEY},
    terminal::Terminal,
    variables,
};
#[cfg(feature = "dashboard")]
use crate::{commands::serve::SignInArgs, settings::Settings};
use finding::{Finding, Level};

const SIGN_IN: &str = "sign_in";

/// The examination, the former public URL if it changed, and the finding about the sign-in provider.
type Examined = (Examination, Option<MovedPublicUrl>, Option<Finding>);

/// Find problems, and say how to fix them.
///
/// It checks the key, the database, the disk, the clock and the public URL. It also checks the connections, the OpenID
/// Connect provider, environment variables, pending revocations, the audit log and the accounts. It changes nothing,
/// and you can run it next to a running service. Each finding has a level (ok, warning, error), a sentence, and a
/// remedy. The exit code is 1 if there is an error. It sends requests to the products' endpoints, without credentials.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Also send a request to the service at the public URL.
    #[arg(long)]
    call_public_url: bool,

    #[cfg(feature = "dashboard")]
    #[command(flatten)]
    sign_in: Settings<SignInArgs>,

    #[command(flatten)]
    database: Database,

    /// Why the settings file is refused.
    #[arg(skip)]
    pub(crate) refused_settings: Option<Failure>,
}

impl Doctor {
    pub(crate) async fn run(mut self, terminal: &Terminal) -> Outcome {
        let refused = self.refused_settings.take();
        let refused = refused.map(|failure| Finding::of_failure("settings", failure, ""));
        let findings = self.look(refused).await;
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

    async fn look(&self, refused: Option<Finding>) -> Vec<Finding> {
        let mut findings = variables::unknown(&CommandLine::command())
            .into_iter()
            .map(|said| Finding::warning("variables", said, "Correct its name, or unset it."))
            .collect::<Vec<_>>();
        findings.extend(refused);
        findings.push(key::given(&self.database));
        findings.extend(database::look(&self.database).await);
        // Opening an older schema would upgrade it, perhaps while an older service uses it.
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
                "the contents of the database weren't checked",
                "Fix the problems above, and run `stead doctor` again.",
            ));
            return findings;
        }
        match self.examine(&others).await {
            Ok((examination, moved, sign_in)) => {
                findings.push(Finding::ok("key", "it decrypts the database"));
                findings.extend(public_url::moved(moved.as_ref()));
                findings.extend(sign_in);
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

    async fn examine(&self, others: &[String]) -> Outcome<Examined> {
        #[cfg(feature = "dashboard")]
        let (provider, wrong) = match self.sign_in.provider() {
            Ok(provider) => (provider, None),
            Err(failure) => (None, Some(Finding::of_failure(SIGN_IN, failure, ""))),
        };
        #[cfg(not(feature = "dashboard"))]
        let (provider, wrong) = (None::<SignInProvider>, None);
        let issuer = provider.as_ref().map(|provider| provider.host().to_owned());
        let platform = self.database.open_to_examine(provider).await?;
        let environment = platform.environment();
        let examination = environment.examine(others).await;
        let url = self.database.public_url();
        let moved = match url.map(EnvironmentOptions::new) {
            Some(Ok(_)) => environment.moved_public_url().await,
            _ => Ok(None),
        };
        let sign_in = match issuer {
            Some(host) => Some(match environment.check_sign_in_provider().await {
                Ok(()) => Finding::ok(SIGN_IN, format!("the provider {host} responds")),
                Err(error) => Finding::error(
                    SIGN_IN,
                    error.message(),
                    "Check --oidc-issuer or STEAD_OIDC_ISSUER. It must be exactly the issuer that the provider publishes, and this machine must be able to reach it.",
                ),
            }),
            None => wrong,
        };
        platform.shut_down().await;
        Ok((examination?, moved?, sign_in))
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
            "Restore a backup (see docs/run/backup.md).",
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
