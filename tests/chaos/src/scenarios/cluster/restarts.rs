//! PostgreSQL is started again while services refresh every account: no account may be out for long after it.

use std::{collections::BTreeSet, path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, Result};

use crate::{
    Options,
    books::Behaviour,
    check::{self, Allowed},
    database::blocking,
    load::{self, Load},
    report::Report,
    stage::Stage,
    time::Chance,
};

const SERVERS: usize = 3;
const CALLERS: usize = 48;
/// Every account can be refreshed again so soon after the server is back.
const BACK: Duration = Duration::from_secs(5);
/// A refresh that is under way has ended after this.
const UNDER_WAY: Duration = Duration::from_secs(2);
/// Accounts with the refresh that holds each.
const LEASES: &str = "SELECT id || ' ' || (body::jsonb -> 'lease' ->> 'owner') FROM account
    WHERE body::jsonb -> 'lease' ->> 'owner' IS NOT NULL";

pub(crate) async fn run(options: &Options, report: &mut Report) -> Result<()> {
    let (restarts, accounts) = if options.smoke { (2, 60) } else { (10, 200) };
    let binary: &Path = &options.binary;
    let services = [(binary, 0); SERVERS];
    let Some(mut stage) = Stage::cluster(&services).await? else {
        report.left_out = Some(String::from("PostgreSQL is not installed"));
        return Ok(());
    };
    stage.populate(&["strict"], accounts).await?;
    stage.books.behave(Behaviour {
        token_delay: Duration::from_millis(20),
        ..Behaviour::default()
    });
    let server = stage.database.server().map(Arc::clone);
    let server = server.context("the stage has no server")?;
    let mut chance = Chance::new(options.seed);
    let mut cut = 0;
    for number in 0..restarts {
        // Each call asks for a refresh.
        let load = Load::start(&stage, CALLERS, 1, options.seed + number);
        let moment = 500 + chance.below(500) as u64;
        tokio::time::sleep(Duration::from_millis(moment)).await;
        let (server, how) = (
            Arc::clone(&server),
            ["immediate", "fast"][number as usize % 2],
        );
        blocking(move || {
            server.down(how);
            server.up();
        })
        .await?;
        let said = load.stop().await;
        cut += said.values().sum::<usize>() - said.get("200").copied().unwrap_or_default();
        let internal: Vec<_> = said
            .keys()
            .filter(|said| said.ends_with(load::FINAL))
            .collect();
        report.holds(
            internal.is_empty(),
            format!("callers are told {internal:?}"),
        );
        tokio::time::sleep(BACK).await;
        let held: BTreeSet<String> = stage.database.rows(LEASES)?.into_iter().collect();
        tokio::time::sleep(UNDER_WAY).await;
        for lease in stage.database.rows(LEASES)? {
            report.holds(
                !held.contains(&lease),
                format!("after restart {number} ({how}) no one ends the refresh of {lease}"),
            );
        }
    }
    report.fact(
        "restarts, accounts, services",
        format!("{restarts}, {accounts}, {SERVERS}"),
    );
    report.fact("calls that failed meanwhile", cut);
    check::accounts(&stage, Allowed::Nothing, report).await
}
