use std::path::Path;

use clap::Args;
use serde_json::Value;
use stead::core::resource::{ExecuteRequest, Execution};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    progress::Progress,
    reach::Reach,
    secrets,
    terminal::Terminal,
};

/// Run a tool as a user, and print its result.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// Tool to run; `stead tools` lists them.
    tool: String,

    /// Connection to use.
    #[arg(long, value_name = "NAME")]
    connection: String,

    /// Your application's own id of the user.
    #[arg(long)]
    identifier: String,

    /// Input: a JSON object, @FILE, or - for the standard input.
    #[arg(long, value_name = "JSON|@FILE|-", default_value = "{}")]
    input: String,

    /// Version of the tool, a date; the newest when absent.
    #[arg(long, value_name = "DATE")]
    tool_version: Option<String>,

    /// Print the first requests in place of sending them.
    #[arg(long)]
    dry_run: bool,

    /// Key under which a repeated call meets the product's own deduplication.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,

    #[command(flatten)]
    reach: Reach,
}

impl Call {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let request = ExecuteRequest {
            connection_name: self.connection,
            identifier: self.identifier,
            input: input(&self.input)?,
            tool_version: self.tool_version,
            dry_run: self.dry_run,
            idempotency_key: self.idempotency_key,
            ..ExecuteRequest::default()
        };
        let reached = self.reach.open().await?;
        let progress = Progress::new(terminal);
        progress.now(&self.tool);
        let execution = reached.actions.execute_tool_with(&self.tool, request).await;
        drop(progress);
        reached.close().await;
        let execution = execution?;
        terminal.either(&execution, || pretty(&execution));
        for warning in &execution.warnings {
            if !terminal.json() {
                terminal.error(format_args!("warning: {}", warning.message));
            }
        }
        Ok(())
    }
}

fn input(text: &str) -> Outcome<Value> {
    let read;
    let text = if text == "-" {
        read = secrets::read_text(Path::new("-"))?;
        &read
    } else if let Some(file) = text.strip_prefix('@') {
        read = secrets::read_text(Path::new(file))?;
        &read
    } else {
        text
    };
    serde_json::from_str(text).map_err(|error| {
        Failure::own(
            Exit::Input,
            format!("the input is no JSON: {error}"),
            "Give a JSON object, @FILE, or - for the standard input.",
        )
    })
}

/// The data for people; text that is no JSON would not have come so far.
fn pretty(execution: &Execution) -> String {
    serde_json::from_str::<Value>(execution.data.get())
        .and_then(|data| serde_json::to_string_pretty(&data))
        .unwrap_or_else(|_| execution.data.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_json_or_told() {
        assert_eq!(input(r#"{"a":1}"#).unwrap()["a"], 1);
        assert_eq!(input("{").unwrap_err().exit(), Exit::Input);
        assert_eq!(
            input("@/nonexistent").unwrap_err().exit(),
            Exit::Configuration
        );
    }
}
