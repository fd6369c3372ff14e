//! Several services on one PostgreSQL.

mod deny;
mod kills;
mod storm;

pub(crate) use deny::run as deny;
pub(crate) use kills::run as kills;
pub(crate) use storm::run as storm;

use std::path::Path;

use anyhow::Result;

use crate::{Options, report::Report, stage::Stage};

/// Services of one database.
const SERVERS: usize = 5;

/// A stage of five; nothing where PostgreSQL is not installed, which the report says then.
async fn five(options: &Options, report: &mut Report) -> Result<Option<Stage>> {
    let binaries: [&Path; SERVERS] = [&options.binary; SERVERS];
    let stage = Stage::cluster(&binaries, "").await?;
    if stage.is_none() {
        report.left_out = Some(String::from("PostgreSQL is not installed"));
    }
    Ok(stage)
}
