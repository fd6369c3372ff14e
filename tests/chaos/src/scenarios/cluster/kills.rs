//! Services are killed and the database server is started again at moments drawn by chance, under load.

use std::{sync::Arc, time::Duration};

use anyhow::{Context as _, Result};

use super::{SERVERS, five};
use crate::{
    Options,
    books::Behaviour,
    check::{self, Allowed},
    database::blocking,
    events::{self, Follower},
    load::{self, Load},
    report::Report,
    time::{Chance, now},
};

pub(crate) async fn run(options: &Options, report: &mut Report) -> Result<()> {
    // In the long form few refreshes are under way, so that the accounts that rotate outlast the kills.
    let (kills, restarts, each, refreshes, life) = if options.smoke {
        (4, 1, 3, 6, 20)
    } else {
        (200, 20, 50, 24, 120)
    };
    let Some(mut stage) = five(options, report).await? else {
        return Ok(());
    };
    let server = stage.database.server().map(Arc::clone);
    let server = server.context("the stage has no server")?;
    let mut chance = Chance::new(options.seed);
    stage.books.behave(Behaviour {
        lifetime: Duration::from_secs(life),
        token_delay: Duration::from_millis(20),
        refuses: None,
    });
    let follower = Follower::start(&stage).await?;
    let names = ["stable", "signed-in", "rotating", "learned", "strict"];
    stage.populate(&names, each).await?;
    let load = Load::start(&stage, 8, refreshes, options.seed);
    let (mut starts, mut outages) = (Vec::new(), Vec::new());
    for number in 0..kills {
        let moment = Duration::from_millis(chance.below(900) as u64);
        tokio::time::sleep(moment).await;
        let killed = chance.below(SERVERS);
        let moment = stage.service_mut(killed).kill().await?;
        stage.kills.push((killed, moment));
        if number % (kills / restarts) == 1 {
            // As a crash ends it, and in order, by turns.
            let how = match outages.len() % 2 {
                0 => "immediate",
                _ => "fast",
            };
            let began = now();
            let server = Arc::clone(&server);
            blocking(move || {
                server.down(how);
                server.up();
            })
            .await?;
            outages.push(began.elapsed());
        }
        stage.restart_one(killed).await?;
        starts.push(stage.service_mut(killed).started_in);
    }
    let said = load.stop().await;
    report.fact(
        "kills, restarts of the database server",
        format!("{kills}, {}", outages.len()),
    );
    report.fact("under load", load::counts(&said));
    for (what, times) in [
        ("ready again after", &mut starts),
        ("the server is up again after", &mut outages),
    ] {
        times.sort_unstable();
        if let (Some(median), Some(longest)) = (times.get(times.len() / 2), times.last()) {
            report.fact(
                format!("{what}, median and longest"),
                format!("{} ms, {} ms", median.as_millis(), longest.as_millis()),
            );
        }
    }
    check::accounts(&stage, Allowed::Unread, report).await?;
    events::came(&stage, follower, report).await
}
