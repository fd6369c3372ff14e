//! The service is killed at moments drawn by chance, while callers refresh and call.

use std::time::Duration;

use anyhow::Result;

use crate::{
    Options,
    books::Behaviour,
    check::{self, Allowed},
    load::{self, Load},
    report::Report,
    stage::Stage,
    time::Chance,
};

pub(crate) async fn run(options: &Options, report: &mut Report) -> Result<()> {
    // In the long form few refreshes are under way, so that the accounts that rotate outlast the kills.
    let (kills, each, refreshes, life) = if options.smoke {
        (10, 6, 4, 8)
    } else {
        (200, 100, 24, 120)
    };
    let mut chance = Chance::new(options.seed);
    let mut stage = Stage::open(&options.binary, |_| Ok(())).await?;
    stage.books.behave(Behaviour {
        lifetime: Duration::from_secs(life),
        token_delay: Duration::from_millis(20),
        refuses: None,
    });
    let names = ["stable", "signed-in", "rotating", "learned", "strict"];
    stage.populate(&names, each).await?;
    let load = Load::start(&stage, 8, refreshes, options.seed);
    let mut starts = Vec::new();
    for _ in 0..kills {
        let moment = Duration::from_millis(chance.below(900) as u64);
        tokio::time::sleep(moment).await;
        stage.restart_killed().await?;
        starts.push(stage.service.started_in);
    }
    let said = load.stop().await;
    report.fact("kills", kills);
    report.fact("under load", load::counts(&said));
    starts.sort_unstable();
    if let (Some(median), Some(longest)) = (starts.get(starts.len() / 2), starts.last()) {
        report.fact(
            "ready again after, median and longest",
            format!("{} ms, {} ms", median.as_millis(), longest.as_millis()),
        );
    }
    check::accounts(&stage, Allowed::Unread, report).await
}
