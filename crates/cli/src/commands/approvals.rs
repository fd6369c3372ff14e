//! `stead approvals`: calls that need a person's approval, at a service or in the database.

use clap::{Args, Subcommand, ValueEnum};
use stead::{
    Stead,
    resource::{Approval, ApprovalDecision, ApprovalFilter, ApprovalState},
};
use stead_core::resource::{ApproveCall, DenyCall, ListApprovals, ReadApproval};

use crate::{
    failure::{Flags, Outcome},
    target::Target,
    terminal::{Terminal, time},
};

const FLAGS: Flags = &[("/reason", "--reason", "")];

/// Approvals: calls that a policy holds until a person approves them.
#[derive(Debug, Args)]
pub(crate) struct Approvals {
    #[command(subcommand)]
    command: ApprovalsCommand,
    #[command(flatten)]
    target: Target,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum State {
    Pending,
    Approved,
    Denied,
    Used,
    Expired,
}

#[derive(Debug, Subcommand)]
enum ApprovalsCommand {
    /// List approvals, newest first.
    List {
        /// Only approvals in this state.
        #[arg(long, value_enum)]
        state: Option<State>,
    },
    /// Print an approval with the exact arguments of its call, as JSON.
    Show {
        /// ID of the approval.
        approval_id: String,
    },
    /// Approve the call. It can be made once.
    Approve {
        /// ID of the approval.
        approval_id: String,
        /// The reason. Stead shows it in the approval.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Deny the call.
    Deny {
        /// ID of the approval.
        approval_id: String,
        /// The reason. Stead shows it in the approval.
        #[arg(long)]
        reason: Option<String>,
    },
}

impl Approvals {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let target = self.target.open().await?;
        let outcome = self.command.run(&target.stead, terminal).await;
        target.close().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }
}

impl ApprovalsCommand {
    async fn run(self, stead: &Stead, terminal: &Terminal) -> Outcome {
        match self {
            Self::List { state } => {
                let mut filter = ApprovalFilter::default();
                filter.state = state.map(|state| match state {
                    State::Pending => ApprovalState::Pending,
                    State::Approved => ApprovalState::Approved,
                    State::Denied => ApprovalState::Denied,
                    State::Used => ApprovalState::Used,
                    State::Expired => ApprovalState::Expired,
                });
                list(
                    &stead
                        .list(ListApprovals::new().filter(filter))
                        .page_size(100)
                        .all()
                        .await?,
                    terminal,
                );
            }
            Self::Show { approval_id } => {
                terminal.result_json(&stead.send(ReadApproval::new(&approval_id)).await?);
            }
            Self::Approve {
                approval_id,
                reason,
            } => {
                let approval = stead
                    .send(ApproveCall::new(&approval_id, decision(reason)))
                    .await?;
                terminal.either(&approval, || {
                    format!(
                        "Approved until {}. The call can be made once.",
                        time(approval.expires_at)
                    )
                });
            }
            Self::Deny {
                approval_id,
                reason,
            } => {
                let approval = stead
                    .send(DenyCall::new(&approval_id, decision(reason)))
                    .await?;
                terminal.either(&approval, || String::from("Denied."));
            }
        }
        Ok(())
    }
}

fn decision(reason: Option<String>) -> ApprovalDecision {
    reason.map_or_else(ApprovalDecision::default, ApprovalDecision::because)
}

fn list(all: &[Approval], terminal: &Terminal) {
    if terminal.json() {
        terminal.result_json(&all);
    } else if all.is_empty() {
        terminal.note("There are no approvals.");
    } else {
        let rows = all.iter().map(|one| {
            let method = one.method.as_deref().unwrap_or_default();
            let raw = || format!("{method} {}", one.path.as_deref().unwrap_or_default());
            [
                one.approval_id.to_string(),
                one.state.name().to_owned(),
                one.tool.clone().unwrap_or_else(raw),
                one.identifier.to_string(),
                one.asked_by
                    .id
                    .clone()
                    .unwrap_or_else(|| one.asked_by.kind.clone()),
                time(one.expires_at),
            ]
        });
        let titles = ["ID", "STATE", "CALL", "IDENTIFIER", "ASKED BY", "UNTIL"];
        terminal.table(titles, rows.collect());
    }
}
