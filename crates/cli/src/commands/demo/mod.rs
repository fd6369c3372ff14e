//! The whole journey by itself: service, sandbox, a user's consent, every tool once.

mod case;
mod journey;
mod report;

use clap::Args;

use stead_sandbox::Sandbox;

use crate::{
    failure::{Failure, Outcome},
    progress::Progress,
    target::{Listeners, Stack, with_storage},
    terminal::Terminal,
};
use report::Report;

/// Show the whole journey: consent, every tool of every product once, a raw request, expiry, revocation.
///
/// A service and a sandbox are started in this process and talk over loopback HTTP. Every tool is called as the
/// first case of its fixture does, must have reached the sandbox, and returns the members that the fixture names. Ends with how
/// many tools did.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Make the sandbox respond to this tool's first request with an error, so that it fails.
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
        let stack = Stack::start(
            Listeners::free().await?,
            Sandbox::new(),
            None,
            |builder, _| with_storage(builder, None),
        )
        .await?;
        let mut report = Report::new(terminal, &progress, &stack);
        let outcome = journey::walk(&stack, self.break_tool.as_deref(), &mut report).await;
        let summary = report.end();
        drop(progress);
        stack.stop().await;
        outcome?;
        terminal.note("");
        terminal.either(&summary, || summary.conclusion());
        if summary.good() {
            terminal.note(
                "Try it yourself: `stead dev` starts a service and a sandbox, with lines to paste.",
            );
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }
}
