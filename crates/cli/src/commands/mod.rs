//! The commands. Each file has a command's arguments and its code.

mod account_tokens;
mod accounts;
mod approvals;
mod audit;
mod backup;
mod call;
mod completions;
mod connect;
mod connections;
mod credentials;
mod curl;
#[cfg(feature = "sandbox")]
mod demo;
#[cfg(feature = "sandbox")]
mod dev;
mod doctor;
mod events;
mod executions;
mod keys;
mod man;
mod mcp;
mod mcp_sessions;
mod members;
mod openapi;
mod policies;
mod read;
mod reference;
mod serve;
mod store;
mod tools;
mod webhooks;

use clap::{ArgMatches, FromArgMatches, Subcommand};

use crate::{
    derived,
    failure::{Failure, Outcome},
    logs::More,
    terminal::Terminal,
};

/// A command that is written by hand, or one that follows from an operation.
#[derive(Debug)]
pub(crate) enum Any {
    ByHand(Box<Command>),
    Derived(Box<derived::Given>),
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[cfg(feature = "sandbox")]
    Dev(dev::Dev),
    #[cfg(feature = "sandbox")]
    Demo(demo::Demo),
    Serve(Box<serve::Serve>),
    Keys(keys::Keys),
    Credentials(credentials::Credentials),
    Members(members::Members),
    Connections(connections::Connections),
    Accounts(accounts::Accounts),
    Audit(audit::Audit),
    AccountTokens(account_tokens::AccountTokens),
    McpSessions(mcp_sessions::McpSessions),
    Mcp(Box<mcp::Mcp>),
    #[command(name = "policy")]
    Policies(policies::Policies),
    Approvals(approvals::Approvals),
    Webhooks(webhooks::Webhooks),
    Backup(backup::Backup),
    Store(store::Store),
    Doctor(doctor::Doctor),
    Connect(connect::Connect),
    Call(call::Call),
    Read(read::Read),
    Tools(tools::Tools),
    Events(events::Events),
    Executions(executions::Executions),
    #[command(name = "openapi")]
    OpenApi(openapi::OpenApi),
    Completions(completions::Completions),
    Man(man::Man),
    #[command(hide = true)]
    Reference(reference::Reference),
}

impl FromArgMatches for Any {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        Ok(match derived::take(matches)? {
            Some(given) => Self::Derived(Box::new(given)),
            None => Self::ByHand(Box::new(Command::from_arg_matches_mut(matches)?)),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for Any {
    fn augment_subcommands(command: clap::Command) -> clap::Command {
        derived::add(&Command::augment_subcommands(command))
    }

    fn augment_subcommands_for_update(command: clap::Command) -> clap::Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        Command::has_subcommand(name) || derived::has(name)
    }
}

impl Any {
    /// The layer with which it reads the platform's traces, in addition to the log.
    pub(crate) fn layer(&mut self) -> Option<More> {
        match self {
            Self::ByHand(command) => command.layer(),
            Self::Derived(_) => None,
        }
    }

    /// Whether its output reports environment variables that no option reads.
    pub(crate) fn names_unknown_variables(&self) -> bool {
        matches!(self.by_hand(), Some(Command::Doctor(_)))
    }

    /// Takes the failure of the settings file, if the command reports it among others.
    pub(crate) fn take_refused_settings(&mut self, failure: Failure) -> Outcome {
        match self {
            Self::ByHand(command) => match &mut **command {
                Command::Doctor(doctor) => {
                    doctor.refused_settings = Some(failure);
                    Ok(())
                }
                _ => Err(failure),
            },
            Self::Derived(_) => Err(failure),
        }
    }

    /// Whether it runs without a person at its terminal.
    pub(crate) fn is_serve(&self) -> bool {
        matches!(self.by_hand(), Some(Command::Serve(_)))
    }

    fn by_hand(&self) -> Option<&Command> {
        match self {
            Self::ByHand(command) => Some(command),
            Self::Derived(_) => None,
        }
    }

    /// Runs the command.
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        match self {
            Self::ByHand(command) => command.run(terminal).await,
            Self::Derived(given) => given.run(terminal).await,
        }
    }
}

impl Command {
    fn layer(&mut self) -> Option<More> {
        match self {
            #[cfg(feature = "sandbox")]
            Self::Dev(command) => Some(command.layer()),
            _ => None,
        }
    }

    async fn run(self, terminal: &Terminal) -> Outcome {
        match self {
            #[cfg(feature = "sandbox")]
            Self::Dev(command) => command.run(terminal).await,
            #[cfg(feature = "sandbox")]
            Self::Demo(command) => command.run(terminal).await,
            Self::Serve(command) => command.run(terminal).await,
            Self::Keys(command) => command.run(terminal).await,
            Self::Credentials(command) => command.run(terminal).await,
            Self::Members(command) => command.run(terminal).await,
            Self::Connections(command) => command.run(terminal).await,
            Self::Webhooks(command) => command.run(terminal).await,
            Self::Accounts(command) => command.run(terminal).await,
            Self::Audit(command) => command.run(terminal).await,
            Self::AccountTokens(command) => command.run(terminal).await,
            Self::Mcp(command) => command.run(terminal).await,
            Self::McpSessions(command) => command.run(terminal).await,
            Self::Policies(command) => command.run(terminal).await,
            Self::Approvals(command) => command.run(terminal).await,
            Self::Backup(command) => command.run(terminal).await,
            Self::Store(command) => command.run(terminal).await,
            Self::Doctor(command) => command.run(terminal).await,
            Self::Connect(command) => command.run(terminal).await,
            Self::Call(command) => command.run(terminal).await,
            Self::Read(command) => command.run(terminal).await,
            Self::Tools(command) => command.run(terminal),
            Self::Events(command) => command.run(terminal).await,
            Self::Executions(command) => command.run(terminal).await,
            Self::OpenApi(command) => {
                command.run(terminal);
                Ok(())
            }
            Self::Completions(command) => {
                command.run(terminal);
                Ok(())
            }
            Self::Man(command) => command.run(terminal),
            Self::Reference(command) => command.run(terminal),
        }
    }
}
