//! `stead completions`: completions for shells.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::{CommandLine, terminal::Terminal};

/// Print command completions for a shell.
///
/// For bash: `source <(stead completions bash)`. For zsh: write them to `_stead` in a folder of `$fpath`. For fish:
/// `stead completions fish > ~/.config/fish/completions/stead.fish`.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, terminal: &Terminal) {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut CommandLine::command(), "stead", &mut text);
        terminal.result(String::from_utf8_lossy(&text).trim_end());
    }
}
