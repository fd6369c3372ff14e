//! `stead events`: reads events.

use std::pin::pin;

use clap::Args;
use futures_util::StreamExt as _;
use stead_core::resource::Event;

use crate::{
    failure::{Flags, Outcome},
    target::Target,
    terminal::{Terminal, time},
};

const FLAGS: Flags = &[("/after", "--after", ""), ("/types", "--type", "")];

/// Show events, oldest first. With --json, each event is one line.
#[derive(Debug, Args)]
pub(crate) struct Events {
    /// Follow new events until you interrupt the command. To start with older ones, use --after.
    #[arg(long, short)]
    follow: bool,

    /// Only events after this cursor of an event or a page.
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,

    /// Only events of this type, such as account.activated or 'account.*'. You can repeat this option.
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,

    /// Only events about this connection and its accounts.
    #[arg(long, value_name = "NAME")]
    connection: Option<String>,

    /// Only events about this user.
    #[arg(long, value_name = "USER")]
    identifier: Option<String>,

    #[command(flatten)]
    target: Target,
}

impl Events {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let target = self.target.open().await?;
        let outcome = self.print(target.stead.events(), terminal).await;
        target.close().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }

    async fn print(&self, events: stead::Events, terminal: &Terminal) -> Outcome {
        let mut events = events.types(self.types.iter().cloned());
        if let Some(name) = &self.connection {
            events = events.connection(name);
        }
        if let Some(identifier) = &self.identifier {
            events = events.identifier(identifier);
        }
        if let Some(cursor) = &self.after {
            events = events.after(cursor);
        }
        if self.follow {
            let events = match self.after {
                Some(_) => events,
                None => events.latest(),
            };
            let mut pages = pin!(events.follow());
            while let Some(page) = pages.next().await {
                let page = page?;
                warn(page.gap, terminal);
                if !print_all(&page.items, terminal) {
                    break;
                }
            }
            return Ok(());
        }
        let mut any = false;
        loop {
            let page = events.read().await?;
            warn(page.gap, terminal);
            any |= !page.items.is_empty();
            if !print_all(&page.items, terminal) || !page.more {
                break;
            }
            events = events.after(page.cursor);
        }
        if !any {
            terminal.note("No events match.");
        }
        Ok(())
    }
}

fn warn(gap: bool, terminal: &Terminal) {
    if gap {
        terminal.error("Events after this cursor are missing. Either they have expired, or an older database was restored.");
    }
}

/// Whether the reader still reads.
fn print_all(events: &[Event], terminal: &Terminal) -> bool {
    events.iter().all(|event| {
        if terminal.json() {
            return terminal.line(serde_json::to_string(event).unwrap_or_default());
        }
        let time = time(event.timestamp);
        let facts = ["connection_name", "identifier", "reason"];
        let facts: Vec<&str> = facts.iter().filter_map(|name| event.text(name)).collect();
        let line = format!("{time}  {:<29}  {}", event.event_type, facts.join(" "));
        terminal.line(terminal.fit(line.trim_end()))
    })
}
