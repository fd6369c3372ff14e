//! Several services on one PostgreSQL.

mod deny;
mod kills;
mod restarts;
mod storm;
mod upgrade;

pub(crate) use deny::run as deny;
pub(crate) use kills::run as kills;
pub(crate) use restarts::run as restarts;
pub(crate) use storm::run as storm;
pub(crate) use upgrade::run as upgrade;

use std::path::Path;

use anyhow::Result;

use crate::{Options, report::Report, stage::Stage};

/// Services of one database.
const SERVERS: usize = 5;
/// Seconds by which their clocks are wrong.
const CLOCKS: [i64; SERVERS] = [0, 30, -30, 17, -11];

/// A stage of five; nothing where PostgreSQL is not installed, which the report says then.
async fn five(options: &Options, report: &mut Report) -> Result<Option<Stage>> {
    let binary: &Path = &options.binary;
    let services = CLOCKS.map(|clock| (binary, clock));
    let stage = Stage::cluster(&services).await?;
    if stage.is_none() {
        report.left_out = Some(String::from("PostgreSQL is not installed"));
    }
    Ok(stage)
}
