//! Commits each change but tells the service that the commit failed, as if the database's response got lost.

use anyhow::Result;
use http::Method;

use crate::{
    check::{self, Allowed},
    connections::CONNECTIONS,
    report::Report,
    stage::Stage,
};

/// The changes of a whole journey. Each one is reported as failed once.
const CHANGES: [&str; 7] = [
    "link.create",
    "authorization.start",
    "authorization.return",
    "exchange.keep",
    "authorization.activate",
    "refresh.claim",
    "refresh.keep",
];

pub(crate) async fn run(stage: &mut Stage, report: &mut Report) -> Result<()> {
    let lines: Vec<String> = CHANGES
        .iter()
        .map(|name| format!("{name}:after=fail@1"))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut failed = 0;
    for connection in &CONNECTIONS {
        // A failpoint forgets its count when it's passed while the file doesn't name it.
        stage.service.setup.arm(&[])?;
        let before = stage.connect(connection, "before").await?;
        let path = format!("{}/refresh", before.account());
        stage.call(Method::POST, &path, None).await?;
        stage.service.setup.arm(&lines)?;
        let connected = stage.connect(connection, "user").await;
        let Some(user) = report.expect(connection.name, connected) else {
            continue;
        };
        let path = format!("{}/refresh", user.account());
        let refreshed = stage.call(Method::POST, &path, None).await?;
        report.holds(
            refreshed.status == 200,
            format!("{}: a refresh: {}", user.account(), refreshed.says()),
        );
        stage.users.push(user);
        failed += stage.service.setup.disarm()?.lines().count();
    }
    report.fact("commits reported as failed", failed);
    let expected = CHANGES.len() * CONNECTIONS.len();
    report.holds(
        failed == expected,
        format!("{failed} of {expected} changes were reported as failed"),
    );
    check::accounts(stage, Allowed::Nothing, report).await
}
