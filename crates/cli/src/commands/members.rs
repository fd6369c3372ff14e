//! `stead members`: the people who may sign in to the dashboard.

use clap::{Args, Subcommand, ValueEnum};
use secrecy::ExposeSecret as _;
use stead::Stead;
use stead_core::resource::{
    ChangeMember, IssuedMemberLink, ListMembers, Member, MemberChange, MemberReset, NewMember,
    ResetMember, Role as MemberRole,
};

use crate::{
    failure::{Failure, Flags, Outcome},
    target::{IfMissing, OpenTarget, Target},
    terminal::{Terminal, time},
};

const FLAGS: Flags = &[("/email", "EMAIL", ""), ("/name", "--name", "")];

/// People who may sign in to the dashboard.
#[derive(Debug, Args)]
pub(crate) struct Members {
    #[command(subcommand)]
    command: MembersCommand,
}

#[derive(Debug, Subcommand)]
enum MembersCommand {
    /// List all members.
    List {
        #[command(flatten)]
        target: Target,
    },
    /// Invite a member, and print the link to set a password. It works once, for 24 hours. Stead doesn't send a mail.
    Invite {
        /// Email address.
        #[arg(value_name = "EMAIL")]
        email: String,
        /// Role of the member.
        #[arg(long, value_enum)]
        role: Role,
        /// Name of the person.
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        target: Target,
    },
    /// Disable a member. Their sessions end immediately.
    Disable {
        /// Email address or ID.
        #[arg(value_name = "EMAIL")]
        member: String,
        #[command(flatten)]
        target: Target,
    },
    /// Enable a disabled member.
    Enable {
        /// Email address or ID.
        #[arg(value_name = "EMAIL")]
        member: String,
        #[command(flatten)]
        target: Target,
    },
    /// Remove a member's password, and print the link to set a new one. It works once, for 24 hours.
    ResetPassword {
        /// Email address or ID.
        #[arg(value_name = "EMAIL")]
        member: String,
        /// Also remove the second factor, for a member who lost the device.
        #[arg(long)]
        second_factor: bool,
        #[command(flatten)]
        target: Target,
    },
}

/// A member's role.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Role {
    /// Everything, including credentials and members.
    Owner,
    /// Change connections, accounts and webhooks, and run tools.
    Operator,
    /// View everything except credentials and members. Can't change anything.
    Viewer,
}

impl From<Role> for MemberRole {
    fn from(role: Role) -> Self {
        match role {
            Role::Owner => Self::Owner,
            Role::Operator => Self::Operator,
            Role::Viewer => Self::Viewer,
        }
    }
}

impl Members {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let target = self.command.open().await?;
        let outcome = self.command.run(&target.stead, terminal).await;
        target.close().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }
}

impl MembersCommand {
    /// What prints a link needs the public URL.
    async fn open(&self) -> Outcome<OpenTarget> {
        match self {
            Self::List { target } | Self::Disable { target, .. } | Self::Enable { target, .. } => {
                target.open_without_links(IfMissing::Refuse).await
            }
            Self::Invite { target, .. } | Self::ResetPassword { target, .. } => {
                target.open_the_only_one(IfMissing::Refuse).await
            }
        }
    }

    async fn run(self, stead: &Stead, terminal: &Terminal) -> Outcome {
        match self {
            Self::List { .. } => list(
                &stead.list(ListMembers::new()).page_size(100).all().await?,
                terminal,
            ),
            Self::Invite {
                email, role, name, ..
            } => {
                let mut new = NewMember::new(email, role.into());
                new.name = name;
                show_link(&stead.send(new).await?, terminal);
            }
            Self::Disable { member, .. } => {
                let change = MemberChange::default().disabled(true);
                let changed = stead
                    .send(ChangeMember::new(&id_of(stead, member).await?, change))
                    .await?;
                terminal.note(format_args!("Disabled {}.", changed.email));
            }
            Self::Enable { member, .. } => {
                let change = MemberChange::default().disabled(false);
                let changed = stead
                    .send(ChangeMember::new(&id_of(stead, member).await?, change))
                    .await?;
                terminal.note(format_args!("Enabled {}.", changed.email));
            }
            Self::ResetPassword {
                member,
                second_factor,
                ..
            } => {
                let how = MemberReset::default().second_factor(second_factor);
                let id = id_of(stead, member).await?;
                show_link(&stead.send(ResetMember::new(&id, how)).await?, terminal);
            }
        }
        Ok(())
    }
}

/// The id of a member who is named by it, or by an e-mail address.
async fn id_of(stead: &Stead, named: String) -> Outcome<String> {
    if !named.contains('@') {
        return Ok(named);
    }
    let all = stead.list(ListMembers::new()).page_size(100).all().await?;
    let email = named.trim().to_lowercase();
    let found = all.iter().find(|member| member.email == email);
    found
        .map(|member| member.member_id.to_string())
        .ok_or_else(|| {
            Failure::usage(
                format!("no member has the email address {named}"),
                "`stead members list` shows all members.",
            )
        })
}

fn show_link(issued: &IssuedMemberLink, terminal: &Terminal) {
    terminal.either(issued, || issued.link.expose_secret().to_owned());
    if let Some(end) = issued.member.link_expires_at {
        terminal.note(format_args!(
            "Give this link to {}. It works once, until {}.",
            issued.member.email,
            time(end)
        ));
    }
}

fn signs_in_with(member: &Member) -> String {
    let methods = member.sign_in_with.iter().map(|method| method.name());
    match methods.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => String::from("nothing yet"),
        methods => methods,
    }
}

fn list(all: &[Member], terminal: &Terminal) {
    if terminal.json() {
        return terminal.result_json(&all);
    }
    if all.is_empty() {
        return terminal
            .note("There are no members yet. `stead members invite EMAIL --role owner` creates the first owner.");
    }
    let rows = all.iter().map(|member| {
        let last = member.last_sign_in_at;
        [
            member.email.clone(),
            member.role.name().to_owned(),
            member.status.name().to_owned(),
            signs_in_with(member),
            last.map_or_else(|| String::from("never"), time),
            member.member_id.to_string(),
        ]
    });
    terminal.table(
        [
            "EMAIL",
            "ROLE",
            "STATUS",
            "SIGNS IN WITH",
            "LAST SIGN-IN",
            "ID",
        ],
        rows.collect(),
    );
}
