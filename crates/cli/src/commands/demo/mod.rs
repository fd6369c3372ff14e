//! Runs every tool once, with a service, a sandbox and a user's consent.

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

/// Run every tool once in a sandbox: consent, all tools, a raw request, token expiry and revocation.
///
/// Stead starts a service and a sandbox in this process. It prints a line for each tool: whether the call reached the
/// sandbox, and what it returned or changed. The last line counts the tools that worked.
#[derive(Debug, Args)]
pub(crate) struct Demo {
    /// Make this tool fail: the sandbox responds to its first request with an error.
    #[arg(long = "break", value_name = "TOOL")]
    break_tool: Option<String>,
}

impl Demo {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        if let Some(name) = &self.break_tool {
            stead::products::catalogue().find(name, None, None)?;
        }
        let progress = Progress::new(terminal);
        progress.now("Starting a service and a sandbox");
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
                "Try it yourself: `stead dev` starts Stead with a sandbox and prints commands to paste.",
            );
            Ok(())
        } else {
            Err(Failure::Reported)
        }
    }
}
