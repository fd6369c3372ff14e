//! All callers of one account arrive at five services at the same time, just after its access token expired.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Result;
use futures_util::future::join_all;

use crate::{
    books::Behaviour,
    connections::connection,
    load,
    report::Report,
    stage::Stage,
    time::{now, seconds},
};

const CALLERS: usize = 1000;
/// Stead treats a younger token as just issued and doesn't refresh it.
const OLD: Duration = Duration::from_millis(5500);

pub(crate) async fn run(stage: &Stage, report: &mut Report) -> Result<()> {
    stage.books.behave(Behaviour {
        lifetime: Duration::from_secs(1),
        ..Behaviour::default()
    });
    let user = stage.connect(connection("strict"), "user").await?;
    tokio::time::sleep(OLD).await;
    stage.books.behave(Behaviour {
        token_delay: Duration::from_millis(500),
        ..Behaviour::default()
    });
    let before = stage.books.state().grants[user.grant].refreshes.len();
    let began = now();
    // `read` sends each request to the next service.
    let calls = (0..CALLERS).map(|_| async {
        match stage.read(&user).await {
            Ok(reply) => reply.says(),
            Err(error) => format!("{error:#}"),
        }
    });
    let mut said: BTreeMap<String, usize> = BTreeMap::new();
    for one in join_all(calls).await {
        *said.entry(one).or_default() += 1;
    }
    let took = began.elapsed();
    let (asked, families) = {
        let state = stage.books.state();
        let families = state.grants.iter().filter(|grant| grant.dead).count();
        (state.grants[user.grant].refreshes.len() - before, families)
    };
    report.fact("callers", CALLERS);
    report.fact("they read", load::counts(&said));
    report.fact("all have a response after", seconds(took));
    report.fact("token requests", asked);
    report.fact("families revoked", families);
    report.holds(asked == 1, format!("{asked} token requests, and not 1"));
    report.holds(families == 0, format!("{families} families are revoked"));
    report.holds(
        said.get("200") == Some(&CALLERS),
        format!("not every call succeeds: {}", load::counts(&said)),
    );
    Ok(())
}
