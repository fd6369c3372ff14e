//! `cargo xtask shells`: the programs that a newcomer has and that the tests of the journeys start.

use anyhow::{Result, bail};

use crate::{
    install::{Program, missing_after_install},
    shell,
};

/// The shells, and what the pasted lines call.
const PROGRAMS: [Program; 3] = [
    Program::new("bash"),
    Program::new(OPTIONAL),
    Program::new("curl"),
];
/// Without it the journeys are pasted into the other shell only.
const OPTIONAL: &str = "zsh";

/// Installs what is missing, where this user may. What cannot be installed is named; with `all` it is a failure.
///
/// # Errors
/// When something is still missing then that the tests cannot do without.
pub(crate) fn run(all: bool) -> Result<()> {
    match missing_after_install(&PROGRAMS).as_slice() {
        [] => Ok(()),
        [OPTIONAL] if !all => {
            shell::left_out(&format!("journeys in {OPTIONAL}, which is not installed"))
        }
        missing => bail!(
            "install {}, into which the tests paste the journeys of README and `stead dev`",
            missing.join(", ")
        ),
    }
}
