//! `stead audit`: who changed what, at a service or in a database.

use clap::{Args, Subcommand};
use serde_json::Value;
use stead::Stead;
use stead_core::resource::{
    AuditEntry, AuditFilter, AuditHead, ExpectedAudit, ListAuditEntries, VerifyAudit,
};

use crate::{
    exit::Exit,
    failure::{Failure, Outcome},
    target::Target,
    terminal::{Terminal, time},
};

const TAMPERED: &str = "Something other than Stead changed the database. Compare it with a backup, and with the heads that you stored.";

/// Read the audit log: who changed connections, accounts, credentials, keys and webhooks.
#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    /// List entries, newest first.
    List {
        /// Only this action, such as connection.changed, or connection.* for all actions on connections.
        #[arg(long)]
        action: Option<String>,
        /// Only changes by this actor: an application's client ID, `operator` or `stead`.
        #[arg(long)]
        actor: Option<String>,
        /// Only changes of the target with this ID.
        #[arg(long, value_name = "ID")]
        target: Option<String>,
        /// Most entries to show. 0 shows all.
        #[arg(long, default_value_t = 50, value_name = "NUMBER")]
        limit: usize,
        #[command(flatten)]
        at: Target,
    },
    /// Check the whole log. Reports the first entry that was changed or is missing, and rows that Stead didn't write.
    ///
    /// Prints the head of the log. Store it elsewhere, and pass it to a later run with `--expect`. That run then finds
    /// out if entries were removed or rewritten.
    Verify {
        /// Head that an earlier run printed.
        #[arg(long, value_name = "NUMBER:HASH", value_parser = head)]
        expect: Option<AuditHead>,
        #[command(flatten)]
        at: Target,
    },
}

/// A head as an argument.
fn head(text: &str) -> Result<AuditHead, String> {
    text.parse().map_err(|error: stead::Error| {
        let violation = error.violation_list().first();
        violation.map_or_else(|| error.to_string(), |one| one.message.clone())
    })
}

impl Audit {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let (AuditCommand::List { at, .. } | AuditCommand::Verify { at, .. }) = &self.command;
        let target = at.open().await?;
        let outcome = self.command.run(&target.stead, terminal).await;
        target.close().await;
        outcome
    }
}

impl AuditCommand {
    async fn run(self, stead: &Stead, terminal: &Terminal) -> Outcome {
        match self {
            Self::List {
                action,
                actor,
                target,
                limit,
                ..
            } => {
                let mut filter = AuditFilter::default();
                filter.action = action;
                filter.actor = actor;
                filter.target = target;
                let limit = if limit == 0 { usize::MAX } else { limit };
                list(&read(stead, &filter, limit).await?, terminal);
                Ok(())
            }
            Self::Verify { expect, .. } => verify(stead, expect, terminal).await,
        }
    }
}

/// As many entries as asked, page by page.
async fn read(stead: &Stead, filter: &AuditFilter, limit: usize) -> Outcome<Vec<AuditEntry>> {
    let mut entries = Vec::new();
    let mut token = None;
    loop {
        let mut list = stead
            .list(ListAuditEntries::new().filter(filter.clone()))
            .page_size(100);
        if let Some(token) = token {
            list = list.page_token(token);
        }
        let page = list.await?;
        entries.extend(page.items);
        token = page.next_page_token;
        if token.is_none() || entries.len() >= limit {
            entries.truncate(limit);
            return Ok(entries);
        }
    }
}

fn list(entries: &[AuditEntry], terminal: &Terminal) {
    if terminal.json() {
        return terminal.result_json(&entries);
    }
    if entries.is_empty() {
        return terminal.note("No entries match.");
    }
    let rows = entries.iter().map(|entry| {
        let facts = entry.facts.iter();
        let facts: Vec<String> = facts.map(|(name, fact)| shown(name, fact)).collect();
        [
            entry.number.to_string(),
            time(entry.at),
            entry
                .actor
                .id
                .clone()
                .unwrap_or_else(|| entry.actor.kind.clone()),
            entry.action.clone(),
            entry.target.id.clone(),
            facts.join(" "),
        ]
    });
    terminal.table(
        ["NUMBER", "AT", "ACTOR", "ACTION", "TARGET", "FACTS"],
        rows.collect(),
    );
}

/// A fact in a table: texts without quotes, lists with commas.
fn shown(name: &str, fact: &Value) -> String {
    let plain = |fact: &Value| {
        fact.as_str()
            .map_or_else(|| fact.to_string(), str::to_owned)
    };
    let text = match fact {
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        one => plain(one),
    };
    format!("{name}={text}")
}

async fn verify(stead: &Stead, expect: Option<AuditHead>, terminal: &Terminal) -> Outcome {
    let found = stead
        .send(VerifyAudit::new().expected(ExpectedAudit::new(expect)))
        .await?;
    if terminal.json() {
        terminal.result_json(&found);
    }
    if let Some(row) = found.suspect_rows.first() {
        for row in &found.suspect_rows {
            terminal.note(format_args!(
                "row {} of the table {}: {}",
                row.id, row.table, row.message
            ));
        }
        if found.fault.is_none() {
            return Err(Failure::new(
                Exit::Failed,
                format!(
                    "Stead didn't write row {} of the table {}: {}",
                    row.id, row.table, row.message
                ),
                TAMPERED,
            ));
        }
    }
    let Some(fault) = found.fault else {
        match &found.head {
            _ if terminal.json() => {}
            None => terminal.note("The log is empty."),
            Some(head) => {
                terminal.result(head);
                terminal.note(format_args!(
                    "All {} entries are intact. Store the line above elsewhere, and pass it to a later run with `--expect`.",
                    head.number
                ));
            }
        }
        return Ok(());
    };
    Err(Failure::new(
        Exit::Failed,
        format!(
            "the audit log is broken at entry {}: {}",
            fault.number, fault.message
        ),
        TAMPERED,
    ))
}
