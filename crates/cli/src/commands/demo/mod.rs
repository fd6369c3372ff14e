//! The whole journey by itself: service, sandbox, a user's consent, every tool once.

mod calendar;
mod case;
mod drive;
mod journey;
mod mail;
mod report;
mod sheets;
mod warehouse;
mod workspace;

use clap::Args;

use crate::{
    failure::{Failure, Outcome},
    house::{self, House},
    progress::Progress,
    terminal::Terminal,
};
use report::Report;

/// Show the whole journey: consent, every tool of every product once, a raw request, expiry, revocation.
///
/// A service and a sandbox are started in this process and talk over loopback HTTP. Every answer is compared with the
/// sandbox's world, and every tool must have reached the sandbox. Ends with how many tools did.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Make the sandbox answer this tool's first request with an error, so that it fails.
    #[arg(long = "break", value_name = "TOOL")]
    break_tool: Option<String>,
}

impl Demo {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        if let Some(name) = &self.break_tool {
            stead::products::catalogue().find(name, None, None)?;
        }
        let progress = Progress::new(terminal);
        progress.now("starting a service and a sandbox");
        let (listener, sandbox_listener) = (
            house::listen_anywhere().await?,
            house::listen_anywhere().await?,
        );
        let house = House::start(listener, sandbox_listener, |builder, _| {
            house::keep(builder, None)
        })
        .await?;
        let mut report = Report::new(terminal, &progress, &house);
        let outcome = journey::walk(&house, self.break_tool.as_deref(), &mut report).await;
        let summary = report.end();
        drop(progress);
        house.stop().await;
        outcome?;
        terminal.note("");
        terminal.either(&summary, || summary.verdict());
        if summary.good() {
            Ok(())
        } else {
            Err(Failure::Told)
        }
    }
}
