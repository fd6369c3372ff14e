//! `stead call`: runs one tool as a user.

use std::path::Path;

use clap::{Args, ValueEnum};
use serde_json::Value;
use stead::Error;
use stead_core::{
    resource::{ExecuteRequest, Execution},
    results::View,
    tool::numbers::inexact,
};

use super::curl;
use crate::{
    exit::Exit,
    failure::{Failure, Flags, Outcome},
    progress::Progress,
    secrets,
    target::{OpenTarget, Target},
    terminal::Terminal,
};

const FLAGS: Flags = &[
    ("/connection_name", "--connection", ""),
    ("/identifier", "--identifier", ""),
    ("/tool_version", "--tool-version", ""),
    ("/idempotency_key", "--idempotency-key", ""),
    ("/fields", "--fields", ""),
    ("/max_bytes", "--max-bytes", ""),
];

/// Run a tool as a user, and print its result.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// Tool to run. `stead tools` lists all tools.
    tool: String,

    /// Connection to use.
    #[arg(long, value_name = "NAME")]
    connection: String,

    /// Your application's own ID of the user.
    #[arg(long)]
    identifier: String,

    /// Input: a JSON object, @FILE, or - for standard input.
    #[arg(long, value_name = "JSON|@FILE|-", default_value = "{}")]
    input: String,

    /// Version of the tool, a date. The default is the newest.
    #[arg(long, value_name = "DATE")]
    tool_version: Option<String>,

    /// Print the requests instead of sending them. Stead sends only reads that the tool needs to continue.
    #[arg(long)]
    dry_run: bool,

    /// Print the requests of a dry run as curl commands for the proxy. They use your variables $STEAD_URL and $TOKEN.
    #[arg(long)]
    curl: bool,

    /// Idempotency key. Within 24 hours, a repeated call with the same key doesn't write again.
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,

    /// Members of the result to print, such as messages.subject,items[].id.
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    fields: Vec<String>,

    /// View of the result: the product's own, or a short one for people and models.
    #[arg(long, value_enum, default_value_t)]
    view: Form,

    /// Most bytes of the result. Stead truncates long texts first, then lists.
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u64>,

    #[command(flatten)]
    target: Target,
}

/// [`View`] on the command line.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum Form {
    /// The product's own result.
    #[default]
    Full,
    /// A short result, if the tool has one.
    Readable,
}

impl From<Form> for View {
    fn from(form: Form) -> Self {
        match form {
            Form::Full => Self::Full,
            Form::Readable => Self::Readable,
        }
    }
}

impl Call {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let input = input(&self.input)?;
        let mut request = ExecuteRequest::new(&self.connection, &self.identifier, input);
        request.tool_version = self.tool_version;
        request.dry_run = self.dry_run || self.curl;
        request.result.fields = self.fields;
        request.result.view = self.view.into();
        request.result.max_bytes = self.max_bytes;
        request.idempotency_key = self.idempotency_key;
        let target = self.target.open().await?;
        let progress = Progress::new(terminal);
        progress.now(&self.tool);
        let execution = match target
            .stead
            .actions()
            .execute_tool_with(&self.tool, request)
            .await
        {
            Err(error) => Err(with_link(&target, error).await),
            done => done,
        };
        drop(progress);
        target.close().await;
        let execution = execution.map_err(|error| Failure::from(error).with_flags(FLAGS))?;
        if self.curl {
            let plan = execution.json()?;
            terminal.result(curl::commands(&plan, &self.connection, &self.identifier)?);
        } else {
            terminal.either(&execution, || pretty(&execution));
        }
        for warning in &execution.warnings {
            if !terminal.json() {
                terminal.error(format_args!("warning: {}", warning.message));
            }
        }
        for one in &execution.left_out {
            if !terminal.json() {
                terminal.error(format_args!("{one}: stead read {}", one.handle));
            }
        }
        Ok(())
    }
}

/// Adds a link if the user must act. If the service requires a `verify_url` for each link, it adds the command that
/// creates the link.
async fn with_link(target: &OpenTarget, error: Error) -> Error {
    let Some(request) = error.authorization_request().cloned() else {
        return error;
    };
    let scopes = request
        .scopes
        .iter()
        .map(|scope| format!(" --scope {scope}"));
    let command = format!(
        "stead connect {} {}{} --verify-url URL",
        request.connection_name,
        request.identifier,
        scopes.collect::<String>()
    );
    match target
        .stead
        .actions()
        .authorization_link_with(request.into())
        .await
    {
        Ok(made) => error.with_authorization_link(made.link),
        Err(_) => error.with_context("create a link", command),
    }
}

fn input(text: &str) -> Outcome<Value> {
    let file = match text {
        "-" => Some("-"),
        text => text.strip_prefix('@'),
    };
    let read = file
        .map(|file| secrets::read_text(Path::new(file), Exit::Input))
        .transpose()?;
    let text = read.as_deref().unwrap_or(text);
    if let Some(rounded) = inexact(text).first() {
        return Err(Failure::new(
            Exit::Input,
            format!("a number in the input would be rounded: {rounded}"),
            "Send it as a string.",
        ));
    }
    serde_json::from_str(text).map_err(|error| {
        Failure::new(
            Exit::Input,
            format!("the input isn't JSON: {error}"),
            "Give a JSON object, @FILE, or - for standard input.",
        )
    })
}

/// The data, indented for people.
fn pretty(execution: &Execution) -> String {
    serde_json::from_str::<Value>(execution.data.get())
        .and_then(|data| serde_json::to_string_pretty(&data))
        .unwrap_or_else(|_| execution.data.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_json_or_refused() {
        assert_eq!(input(r#"{"a":1}"#).unwrap()["a"], 1);
        assert_eq!(input("{").unwrap_err().exit(), Exit::Input);
        assert_eq!(input("@/nonexistent").unwrap_err().exit(), Exit::Input);
    }
}
