//! `stead executions`: the history of calls.

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use stead::ErrorKind;
use stead_core::{ports::Runtime as _, resource::ExecutionRecord};

use crate::{
    failure::Outcome,
    target::Target,
    terminal::{Terminal, time},
};

/// Show the history of calls, newest first. With --json, each call is one line.
#[derive(Debug, Args)]
pub(crate) struct Executions {
    /// Only calls through this connection.
    #[arg(long, value_name = "NAME")]
    connection: Option<String>,

    /// Only calls for this user.
    #[arg(long, value_name = "USER")]
    identifier: Option<String>,

    /// Only calls of this tool. Use proxy for raw requests.
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,

    /// Only calls with this outcome: ok, or an error's kind.
    #[arg(long, value_name = "KIND")]
    outcome: Option<String>,

    /// Only calls of the application with this client ID.
    #[arg(long, value_name = "ID")]
    actor: Option<String>,

    /// Only calls that started at this time or later, such as 2026-11-21T09:30:00Z, or 2h for two hours ago.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    since: Option<Moment>,

    /// Only calls that started before this time.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    before: Option<Moment>,

    /// Most calls to show.
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: usize,

    #[command(flatten)]
    target: Target,
}

/// A time, or how long ago it was.
#[derive(Debug, Clone, Copy)]
enum Moment {
    At(Timestamp),
    Ago(SignedDuration),
}

impl Moment {
    fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::At(time) => time,
            Self::Ago(ago) => now.checked_sub(ago).unwrap_or(Timestamp::MIN),
        }
    }
}

fn moment(text: &str) -> Result<Moment, String> {
    let ago = || text.parse().map(Moment::Ago);
    text.parse()
        .map(Moment::At)
        .or_else(|_| ago())
        .map_err(|_| {
            String::from(
                "expected a time such as 2026-11-21T09:30:00Z, or how long ago, such as 2h",
            )
        })
}

impl Executions {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let target = self.target.open().await?;
        let printed = self.print(target.stead.executions(), terminal).await;
        let any = printed.as_ref().is_ok_and(|any| *any);
        let outcome = match (printed, &self.connection) {
            (Ok(false), Some(name)) => exists(&target.stead, name).await,
            (printed, _) => printed.map(drop),
        };
        target.close().await;
        if outcome.is_ok() && !any {
            terminal.note("No calls match.");
        }
        outcome
    }

    /// Prints the calls; whether there are any.
    async fn print(&self, mut executions: stead::Executions, terminal: &Terminal) -> Outcome<bool> {
        type Narrow = fn(stead::Executions, String) -> stead::Executions;
        let given: [(&Option<String>, Narrow); 5] = [
            (&self.connection, stead::Executions::connection),
            (&self.identifier, stead::Executions::identifier),
            (&self.tool, stead::Executions::tool),
            (&self.outcome, stead::Executions::outcome),
            (&self.actor, stead::Executions::actor),
        ];
        for (given, narrow) in given {
            if let Some(given) = given {
                executions = narrow(executions, given.clone());
            }
        }
        let now = stead::TokioRuntime::current()?.now();
        if let Some(since) = self.since {
            executions = executions.since(since.before(now));
        }
        if let Some(before) = self.before {
            executions = executions.before(before.before(now));
        }
        let (mut left, mut token) = (self.limit, None::<String>);
        loop {
            let mut list = executions.clone().list().page_size(100);
            if let Some(token) = token {
                list = list.page_token(token);
            }
            let page = list.await?;
            for call in page.items.iter().take(left) {
                let line = match terminal.json() {
                    true => serde_json::to_string(call).unwrap_or_default(),
                    false => terminal.fit(&in_words(call)),
                };
                if !terminal.line(line) {
                    return Ok(true);
                }
            }
            left = left.saturating_sub(page.items.len());
            token = page.next_page_token;
            if left == 0 || token.is_none() {
                break;
            }
        }
        Ok(left < self.limit || self.limit == 0)
    }
}

/// Whether a connection without calls is one. Calls of a deleted connection stay in the history, so it is asked last.
async fn exists(stead: &stead::Stead, name: &str) -> Outcome {
    match stead.connections().read(name).await {
        Err(error) if error.kind() == ErrorKind::UnknownConnection => Err(error.into()),
        // This credential may not be allowed to see the connection.
        _ => Ok(()),
    }
}

fn in_words(call: &ExecutionRecord) -> String {
    let time = time(call.started_at);
    let what = match call.tool.as_str() {
        "proxy" => format!(
            "proxy {} {}",
            call.tool_version,
            call.path.as_deref().unwrap_or_default()
        )
        .trim_end()
        .to_owned(),
        tool => tool.to_owned(),
    };
    let status = call.product_status.filter(|_| call.outcome != "ok");
    let status = status.map_or_else(String::new, |status| format!(" ({status})"));
    let milliseconds = call.duration_micros / 1_000;
    let (outcome, connection, user) = (&call.outcome, &call.connection_name, &call.identifier);
    format!("{time}  {what}  {outcome}{status}  {milliseconds} ms  {connection} {user}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_absolute_or_relative_to_now() {
        let now = "2026-11-21T12:00:00Z".parse().unwrap();
        for (given, expected) in [
            ("2026-11-21T09:30:00Z", "2026-11-21T09:30:00Z"),
            ("2h", "2026-11-21T10:00:00Z"),
            ("90m", "2026-11-21T10:30:00Z"),
        ] {
            let moment = moment(given).unwrap().before(now);
            assert_eq!(moment.to_string(), expected);
        }
        moment("yesterday").unwrap_err();
    }
}
