//! Kills services and restarts PostgreSQL at random times under load.

use std::{collections::BTreeSet, time::Duration};

use anyhow::Result;

use crate::{
    Options,
    books::Behaviour,
    check::{self, Allowed},
    connections::NAMES,
    events::{self, Follower},
    fault::postgres,
    load::{self, Load},
    report::Report,
    stage::Stage,
    time::Chance,
};

/// Callers that refresh with each call while PostgreSQL restarts.
const CALLERS: usize = 48;
/// How long after PostgreSQL's restart every account can be refreshed again.
const BACK: Duration = Duration::from_secs(5);
/// The longest time that a refresh takes.
const UNDER_WAY: Duration = Duration::from_secs(2);
/// Accounts that are being refreshed, each with the owner of its lease.
const LEASES: &str = "SELECT id || ' ' || (body::jsonb -> 'lease' ->> 'owner') FROM account
    WHERE body::jsonb -> 'lease' ->> 'owner' IS NOT NULL";

/// Kills one service after another. If they share PostgreSQL, also restarts PostgreSQL and checks the events.
pub(crate) async fn kills(stage: &mut Stage, options: &Options, report: &mut Report) -> Result<()> {
    let services = stage.services().count();
    let is_shared = stage.database.server().is_some();
    // The long form starts few refreshes, so that the rotating accounts survive the kills.
    let (kills, each, refreshes, life) = match (is_shared, options.smoke) {
        (false, true) => (10, 6, 4, 8),
        (true, true) => (4, 3, 6, 20),
        (false, false) => (200, 100, 24, 120),
        (true, false) => (200, 50, 24, 120),
    };
    let mut chance = Chance::new(options.seed);
    stage.books.behave(Behaviour {
        lifetime: Duration::from_secs(life),
        token_delay: Duration::from_millis(20),
        refuses: None,
    });
    let follower = match is_shared {
        true => Some(Follower::start(stage).await?),
        false => None,
    };
    stage.populate(&NAMES, each).await?;
    let load = Load::start(stage, 8, refreshes, options.seed);
    let mut starts = Vec::new();
    for number in 0..kills {
        let moment = Duration::from_millis(chance.below(900) as u64);
        tokio::time::sleep(moment).await;
        let killed = chance.below(services);
        let moment = stage.service_mut(killed).kill().await?;
        stage.kills.push((killed, moment));
        if is_shared && number % 10 == 1 {
            restart(stage, number / 10).await?;
        }
        stage.restart_one(killed).await?;
        starts.push(stage.service_mut(killed).started_in);
    }
    report.fact("under load", load::counts(&load.stop().await));
    report.times(starts);
    check::accounts(stage, Allowed::Unread, report).await?;
    match follower {
        Some(follower) => events::came(stage, follower, report).await,
        None => Ok(()),
    }
}

/// Restarts PostgreSQL while every call requests a refresh. All accounts must work again soon after.
pub(crate) async fn restarts(
    stage: &mut Stage,
    options: &Options,
    report: &mut Report,
) -> Result<()> {
    let (restarts, accounts) = if options.smoke { (2, 60) } else { (10, 200) };
    stage.populate(&["strict"], accounts).await?;
    stage.books.behave(Behaviour {
        token_delay: Duration::from_millis(20),
        ..Behaviour::default()
    });
    let mut chance = Chance::new(options.seed);
    for number in 0..restarts {
        let load = Load::start(stage, CALLERS, 1, options.seed + number as u64);
        let moment = 500 + chance.below(500) as u64;
        tokio::time::sleep(Duration::from_millis(moment)).await;
        restart(stage, number).await?;
        let said = load.stop().await;
        report.fact(format!("restart {number}"), load::counts(&said));
        let last = said.keys().filter(|said| said.ends_with(load::FINAL));
        let last: Vec<_> = last.collect();
        report.holds(last.is_empty(), format!("callers are told {last:?}"));
        tokio::time::sleep(BACK).await;
        let held: BTreeSet<String> = stage.database.rows(LEASES)?.into_iter().collect();
        tokio::time::sleep(UNDER_WAY).await;
        for lease in stage.database.rows(LEASES)? {
            report.holds(
                !held.contains(&lease),
                format!("after restart {number} no one ends the refresh of {lease}"),
            );
        }
    }
    check::accounts(stage, Allowed::Nothing, report).await
}

/// Restarts PostgreSQL, in turn by a crash and normally.
async fn restart(stage: &Stage, number: usize) -> Result<()> {
    let how = ["immediate", "fast"][number % 2];
    postgres(stage, move |server| {
        server.down(how);
        server.up();
    })
    .await
}
