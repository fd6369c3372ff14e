//! Times, prints and counts the steps of the demo.

use std::time::Duration;

use serde::Serialize;
use stead_core::ports::Runtime;

use crate::{failure::Failure, progress::Progress, target::Stack, terminal::Terminal};

/// The steps so far. Each one is printed when it ends.
pub(super) struct Report<'a> {
    terminal: &'a Terminal,
    progress: &'a Progress,
    runtime: &'a dyn Runtime,
    steps: Vec<Step>,
    changes: Vec<String>,
    began: Duration,
    /// Width of the longest name.
    name_width: usize,
}

/// One step of the demo.
#[derive(Debug, Serialize)]
struct Step {
    name: String,
    is_tool: bool,
    good: bool,
    milliseconds: f64,
    /// The result, or why it failed.
    detail: String,
}

/// The outcome of the demo.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    tools_good: usize,
    tools: usize,
    milliseconds: f64,
    /// The steps that failed.
    failed: Vec<String>,
    /// Not in the JSON, because each one was already printed.
    #[serde(skip)]
    steps: Vec<Step>,
    /// The tools' changes in the sandbox.
    changes: Vec<String>,
}

impl<'a> Report<'a> {
    pub(super) fn new(terminal: &'a Terminal, progress: &'a Progress, stack: &'a Stack) -> Self {
        Self {
            terminal,
            progress,
            runtime: stack.platform.environment().runtime(),
            steps: Vec::new(),
            changes: Vec::new(),
            began: stack.platform.environment().runtime().monotonic(),
            name_width: stack
                .platform
                .environment()
                .catalogue()
                .newest()
                .map(|tool| tool.entry().name().len())
                .max()
                .unwrap_or_default(),
        }
    }

    /// Starts a part of the demo.
    pub(super) fn part(&self, title: &str) {
        self.progress.print_above(|| {
            self.terminal
                .note(format_args!("\n{}", self.terminal.bold(title)));
        });
    }

    /// Runs a step, and returns whether it succeeded.
    pub(super) async fn step(
        &mut self,
        name: &str,
        work: impl Future<Output = Result<String, String>>,
    ) -> bool {
        self.take(name, false, work).await
    }

    /// Runs and counts the step of a tool.
    pub(super) async fn tool(
        &mut self,
        name: &str,
        work: impl Future<Output = Result<String, String>>,
    ) -> bool {
        self.take(name, true, work).await
    }

    /// Prints what the tools changed in the sandbox.
    pub(super) fn changes(&mut self, changes: Vec<String>) {
        if !changes.is_empty() {
            self.part("Changed in the sandbox");
        }
        for change in &changes {
            self.progress
                .print_above(|| self.terminal.note(format_args!("  {change}")));
        }
        self.changes = changes;
    }

    /// All steps, counted.
    pub(super) fn end(self) -> Summary {
        let tools = self.steps.iter().filter(|step| step.is_tool);
        Summary {
            tools: tools.clone().count(),
            tools_good: tools.filter(|step| step.good).count(),
            milliseconds: milliseconds(self.runtime.monotonic().saturating_sub(self.began)),
            failed: self
                .steps
                .iter()
                .filter(|step| !step.good)
                .map(|step| step.name.clone())
                .collect(),
            steps: self.steps,
            changes: self.changes,
        }
    }

    async fn take(
        &mut self,
        name: &str,
        is_tool: bool,
        work: impl Future<Output = Result<String, String>>,
    ) -> bool {
        self.progress.now(name);
        let before = self.runtime.monotonic();
        let outcome = work.await;
        let step = Step {
            name: name.to_owned(),
            is_tool,
            good: outcome.is_ok(),
            milliseconds: milliseconds(self.runtime.monotonic().saturating_sub(before)),
            detail: outcome.unwrap_or_else(|reason| reason),
        };
        self.progress.print_above(|| self.print(&step));
        let good = step.good;
        self.steps.push(step);
        good
    }

    fn print(&self, step: &Step) {
        if self.terminal.json() {
            return self.terminal.event(step, || None);
        }
        let sign = if step.good {
            self.terminal.green("ok  ")
        } else {
            self.terminal.red("FAIL")
        };
        let width = self.name_width;
        let line = self.terminal.fit(&format!(
            "  {sign} {:<width$} {:>6.0} ms  {}",
            step.name, step.milliseconds, step.detail
        ));
        if step.good {
            self.terminal.note(line);
        } else {
            self.terminal.result(line);
        }
    }
}

impl Summary {
    /// Whether every step succeeded.
    pub(super) fn good(&self) -> bool {
        self.steps.iter().all(|step| step.good) && self.tools > 0
    }

    /// The last line.
    pub(super) fn conclusion(&self) -> String {
        let Self {
            tools_good, tools, ..
        } = self;
        let seconds = self.milliseconds / 1000.0;
        let failed = match self.failed.as_slice() {
            [] => String::new(),
            failed => format!("; failed: {}", failed.join(", ")),
        };
        format!("{tools_good} of {tools} tools worked in {seconds:.1} s{failed}")
    }
}

/// A failure in one line.
pub(super) fn in_words(failure: impl Into<Failure>) -> String {
    match failure.into() {
        Failure::Stead { error, .. } => error.to_string(),
        Failure::CommandLine { what, .. } => what,
        Failure::Reported => String::from("the step failed"),
    }
}

fn milliseconds(duration: Duration) -> f64 {
    // One decimal is precise enough.
    (duration.as_secs_f64() * 10_000.0).round() / 10.0
}
