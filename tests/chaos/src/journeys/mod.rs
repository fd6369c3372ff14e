//! The journeys. Each runs on a stage and checks what must hold.

pub(crate) mod change;
pub(crate) mod deny;
pub(crate) mod disk;
pub(crate) mod hold;
pub(crate) mod idempotency;
pub(crate) mod kill_points;
pub(crate) mod load;
pub(crate) mod stop;
pub(crate) mod storm;
pub(crate) mod unknown;
pub(crate) mod upgrade;

use anyhow::Result;

use crate::{
    check::{self, Allowed},
    report::Report,
    stage::Stage,
};

/// Kills the service while it's idle, and starts it again.
pub(crate) async fn restart_killed(stage: &mut Stage, report: &mut Report) -> Result<()> {
    stage.restart_killed().await?;
    check::accounts(stage, Allowed::Nothing, report).await
}
