//! Changes the host or the client of a connection, and aborts the service at every write of that change.

use std::time::Duration;

use anyhow::{Result, ensure};
use futures_util::{StreamExt as _, stream};
use http::Method;
use serde_json::{Value, json};

use crate::{
    Options, check,
    connections::connection,
    load::{self, Load},
    report::Report,
    stage::Stage,
    time::{now, seconds, until},
};

/// The longest wait until every account says that its client changed.
const SWEPT: Duration = Duration::from_secs(15);
/// The longest wait for calls after a restart.
const RESUMED: Duration = Duration::from_secs(30);

pub(crate) async fn run(stage: &mut Stage, options: &Options, report: &mut Report) -> Result<()> {
    let accounts = if options.smoke { 12 } else { 300 };
    let mut places = vec![
        "connection.change:after=abort",
        "connection.reauthorize:before=abort",
    ];
    if !options.smoke {
        places.extend([
            "connection.change:before=abort",
            "connection.reauthorize:after=abort",
            "connection.ended_epoch:before=abort",
            "connection.ended_epoch:after=abort",
        ]);
    }
    let to_host = json!({ "settings": { "account": "orgb-two" } });
    let to_client = json!({ "client_id": "another-client", "client_secret": "secret" });
    for (what, change) in [("host", to_host), ("client", to_client)] {
        for place in &places {
            // Give each case a new stage.
            *stage = Stage::open(&options.binary, None, false).await?;
            stage.populate(&["stable"], accounts).await?;
            one(stage, options.seed, what, &change, place, report).await?;
        }
    }
    Ok(())
}

async fn one(
    stage: &mut Stage,
    seed: u64,
    what: &str,
    change: &Value,
    place: &str,
    report: &mut Report,
) -> Result<()> {
    let load = Load::start(stage, 4, 4, seed);
    stage.service.setup.arm(&[place])?;
    let path = format!("/v1/connections/{}", connection("stable").name);
    let first = stage.call(Method::PATCH, &path, Some(change.clone())).await;
    // The service may reach the place after it responds, or never if no account is left to write.
    let ended = stage.service.ended(Duration::from_secs(10)).await.is_ok();
    if !ended {
        report.fact(
            format!("{what}, {place}"),
            format!(
                "not reached; the service says {}",
                first.map_or_else(|error| error.to_string(), |reply| reply.says())
            ),
        );
        stage.service.kill().await?;
    }
    stage.service.setup.disarm()?;
    stage.restart().await?;
    // Keep calling for a while: a half-finished change must not send a credential to the wrong host.
    load.next(stage.users.len().max(50), RESUMED).await?;
    let said = load.stop().await;
    let reply = stage
        .call(Method::PATCH, &path, Some(change.clone()))
        .await?;
    ensure!(
        reply.status == 200,
        "the change, repeated: {}",
        reply.says()
    );
    for user in &stage.users {
        stage.read(user).await?;
    }
    let began = now();
    let shared: &Stage = stage;
    let ends: Vec<String> = stream::iter(stage.users.clone())
        .map(|user| async move {
            let mut last = String::new();
            let expected = "needs_reauthorization client_changed";
            let looked = until(expected, SWEPT, async || {
                last = check::reason(shared, &user).await;
                (last == expected).then_some(())
            });
            match looked.await {
                Ok(_) => String::new(),
                Err(_) => format!("{what}, {place}: {} ends as {last}", user.account()),
            }
        })
        .buffer_unordered(16)
        .collect()
        .await;
    let strays = stage.books.state().strays.clone();
    report.fact(
        format!("{what}, {place}"),
        format!(
            "{} accounts, {} credentials at a wrong host, all decided after {}; under load {}",
            stage.users.len(),
            strays.len(),
            seconds(began.elapsed()),
            load::counts(&said)
        ),
    );
    if let Some(stray) = strays.first() {
        report.violation(format!(
            "{what}, {place}: {} credentials at a wrong host, the first a {} of {}, by {}",
            strays.len(),
            stray.what,
            stray.belongs,
            stray.presented
        ));
    }
    let wrong: Vec<&String> = ends.iter().filter(|end| !end.is_empty()).collect();
    if let Some(first) = wrong.first() {
        report.violation(format!("{first}, and {} like it", wrong.len() - 1));
    }
    Ok(())
}
