//! The lines that `stead dev` prints while it runs: one for each call and each change of an account.

use std::{collections::HashMap, future};

use serde_json::{Value, json};
use stead::Platform;
use stead_core::{
    api::Paging,
    resource::{Account, ListConnections, ReadAccount},
};

use super::{
    live::{Call, Happening, Happenings},
    printer::Printer,
};
use crate::{failure::Outcome, terminal::Terminal};

/// Prints what happens until the end, and calls `keep` before each line.
pub(super) async fn print(
    happenings: Option<Happenings>,
    platform: &Platform,
    terminal: &Terminal,
    printer: &mut Printer,
    keep: impl Fn() -> Outcome,
) -> Outcome {
    let Some(mut happenings) = happenings else {
        return future::pending().await;
    };
    let names = connection_names(platform).await;
    while let Some(happening) = happenings.recv().await {
        keep()?;
        let line = match happening {
            Happening::Call(call) => {
                terminal.event_line(&as_json(&call), || Some(in_words(&call, terminal)))
            }
            Happening::Event { name, data } => {
                let connection = data["connection_id"]
                    .as_str()
                    .and_then(|id| names.get(id))
                    .map_or("", String::as_str);
                let identifier = data["identifier"].as_str().unwrap_or_default();
                let account = platform
                    .environment()
                    .send(ReadAccount::new(connection, identifier))
                    .await
                    .ok();
                let event = Event {
                    name: &name,
                    data: &data,
                    connection,
                    account: account.as_ref(),
                };
                terminal.event_line(&event.as_json(), || event.in_words())
            }
        };
        if let Some(line) = line {
            printer.print(line);
        }
    }
    Ok(())
}

/// The names of the connections by ID. `dev` creates all connections at its start.
async fn connection_names(platform: &Platform) -> HashMap<String, String> {
    let page = platform
        .environment()
        .send(ListConnections::new().page(Paging::new(None, 100)))
        .await;
    page.map(|page| page.items)
        .unwrap_or_default()
        .into_iter()
        .map(|connection| {
            (
                connection.id.to_string(),
                connection.connection_name.to_string(),
            )
        })
        .collect()
}

fn milliseconds(call: &Call) -> f64 {
    // One decimal is precise enough.
    (call.micros as f64 / 100.0).round() / 10.0
}

fn as_json(call: &Call) -> Value {
    json!({
        "event": "call",
        "tool": call.tool,
        "version": call.version,
        "connection_name": call.connection,
        "identifier": call.identifier,
        "outcome": call.outcome,
        "milliseconds": milliseconds(call),
    })
}

fn in_words(call: &Call, terminal: &Terminal) -> String {
    let what = match call.tool.as_str() {
        "proxy" => format!("proxy {} {}", call.connection, call.version),
        tool => tool.to_owned(),
    };
    let outcome = match call.outcome.as_str() {
        "ok" => terminal.green("ok"),
        kind => terminal.red(kind),
    };
    let user = terminal.dim(&format!("for {}", call.identifier));
    format!("{what} {outcome} {} ms  {user}", milliseconds(call))
}

/// An event with what is known of its account.
struct Event<'a> {
    name: &'a str,
    data: &'a Value,
    connection: &'a str,
    account: Option<&'a Account>,
}

impl Event<'_> {
    fn as_json(&self) -> Value {
        let mut event = json!({ "event": self.name });
        if let (Some(event), Some(data)) = (event.as_object_mut(), self.data.as_object()) {
            event.extend(data.clone());
            if !self.connection.is_empty() {
                event.insert(String::from("connection_name"), self.connection.into());
            }
            if let Some(user) = self.product_user() {
                event.insert(String::from("product_user"), user.into());
            }
        }
        event
    }

    /// `None` if people don't need to know it.
    fn in_words(&self) -> Option<String> {
        let (connection, user) = (self.connection, self.data["identifier"].as_str()?);
        let reason = self.data["reason"]
            .as_str()
            .map(|reason| format!(" ({})", reason.replace('_', " ")))
            .unwrap_or_default();
        Some(match self.name {
            "account.activated" | "account.reauthorized" => {
                let known = self
                    .product_user()
                    .map(|name| format!(" as {name}"))
                    .unwrap_or_default();
                let missing = match self
                    .account
                    .map_or(0, |account| account.missing_scopes.len())
                {
                    0 => "",
                    _ => ", without some permissions",
                };
                format!("{user} connected {connection}{known}{missing}")
            }
            "account.needs_reauthorization" => {
                format!("{user} must reconnect {connection}{reason}")
            }
            "account.verification_required" => {
                format!("{user} came back; your application must confirm {connection}")
            }
            "account.disconnected" => format!("{connection} of {user} was disconnected"),
            "account.imported" => format!("{connection} of {user} was imported"),
            "account.suspended" => format!("{connection} of {user} was suspended"),
            "account.resumed" => format!("{connection} of {user} was resumed"),
            "account.refresh_degraded" => {
                format!("Stead couldn't refresh the token of {user} for {connection}")
            }
            "account.reauthorization_due" => {
                format!("{user} must reconnect {connection} within three days")
            }
            "authorization.denied" => format!("{user} didn't allow it"),
            "authorization.failed" => format!("{user} couldn't connect{reason}"),
            _ => return None,
        })
    }

    fn product_user(&self) -> Option<&str> {
        self.account?.product_user.as_deref()
    }
}
