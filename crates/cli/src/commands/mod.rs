//! The commands, one file each: its arguments, and what it does.

mod bench_server;
mod call;
mod connect;
mod connections;
mod credentials;
mod demo;
mod dev;
mod keys;
mod reference;
mod serve;
mod tools;

use clap::Subcommand;

use crate::{failure::Outcome, terminal::Terminal};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Dev(dev::Dev),
    Demo(demo::Demo),
    Serve(serve::Serve),
    Keys(keys::Keys),
    Credentials(credentials::Credentials),
    Connections(connections::Connections),
    Connect(connect::Connect),
    Call(call::Call),
    Tools(tools::Tools),
    #[command(hide = true)]
    Reference(reference::Reference),
    #[command(hide = true)]
    BenchServer(bench_server::BenchServer),
}

impl Command {
    /// Runs the command.
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        match self {
            Self::Dev(command) => command.run(terminal).await,
            Self::Demo(command) => command.run(terminal).await,
            Self::Serve(command) => command.run(terminal).await,
            Self::Keys(command) => {
                command.run(terminal);
                Ok(())
            }
            Self::Credentials(command) => command.run(terminal).await,
            Self::Connections(command) => command.run(terminal).await,
            Self::Connect(command) => command.run(terminal).await,
            Self::Call(command) => command.run(terminal).await,
            Self::Tools(command) => command.run(terminal),
            Self::Reference(command) => command.run(terminal),
            Self::BenchServer(command) => command.run(terminal).await,
        }
    }
}
