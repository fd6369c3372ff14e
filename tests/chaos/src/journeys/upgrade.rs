//! Runs two versions of the service side by side on one PostgreSQL, as in a rolling update.

use std::{collections::BTreeMap, time::Duration};

use anyhow::{Context as _, Result, ensure};
use http::Method;
use serde_json::{Value, json};

use crate::{
    Options,
    books::Behaviour,
    check::{self, Allowed},
    connections::{CONNECTIONS, NAMES},
    events::{self, Follower},
    http_client::Parts,
    load::{self, Load},
    report::Report,
    service::{Service, Setup},
    stage::{Stage, free_port},
    time::{now, seconds},
};

/// A schema change that a newer version could make, with the row that tells older versions to ignore it.
const EXPANDS: &str = "
    ALTER TABLE account ADD COLUMN made_up BIGINT NOT NULL DEFAULT 0;
    CREATE TABLE made_up (id TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL);
    CREATE INDEX made_up_by_body ON made_up (body);
    INSERT INTO stead_schema_expansion (version, applied_at) SELECT
        GREATEST((SELECT MAX(version) FROM stead_schema), (SELECT MAX(version) FROM stead_schema_expansion)) + 1, now()";
/// A body member that neither version knows, as a newer version would write it.
const MEMBER: &str = r#""made_up":{"kept":[true,null]}"#;
/// The table whose rows get that member. Most other rows have a MAC, so the service would refuse rows that SQL changed.
const TABLE: &str = "account";

pub(crate) async fn run(stage: &mut Stage, options: &Options, report: &mut Report) -> Result<()> {
    stage.books.behave(Behaviour {
        lifetime: Duration::from_secs(60),
        token_delay: Duration::from_millis(20),
        refuses: None,
    });
    let follower = Follower::start(stage).await?;
    stage.populate(&NAMES, 6).await?;
    let load = Load::start(stage, 6, 12, options.seed);
    stage.database.rows(EXPANDS).context("it does not expand")?;
    stage.database.rows(&format!(
        "UPDATE {TABLE} SET version = version + 1, body = left(body, -1) || ',{MEMBER}}}'"
    ))?;
    let before = marked(stage)?;
    // An older version must start on a schema that a newer one expanded.
    let setup = Setup {
        port: free_port()?,
        instance: "-again",
        ..stage.service.setup.clone()
    };
    setup.arm(&[])?;
    let again = Service::start(setup, &stage.http).await?;
    report.fact("an older one starts on the expanded schema", "yes");
    stage.others.push(again);

    let began = now();
    let mut journeys = 0;
    while began.elapsed() < Duration::from_secs(60 * options.minutes) {
        if let Err(error) = journey(stage, journeys).await {
            report.violation(format!("journey {journeys}: {error:#}"));
        }
        journeys += 1;
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let said = load.stop().await;
    report.fact("under load for", seconds(began.elapsed()));
    report.fact("calls", load::counts(&said));
    report.fact("journeys with a step at each in turn", journeys);
    let finally: usize = said
        .iter()
        .filter(|(said, _)| said.ends_with(load::FINAL) || *said == load::NO_RESPONSE)
        .map(|(_, count)| count)
        .sum();
    report.fact("errors that are not retryable", finally);
    report.holds(
        finally == 0,
        format!("{finally} errors that are not retryable"),
    );

    let count = before.len();
    let before = marked(stage)?;
    write_all(stage).await?;
    let after = marked(stage)?;
    let written = after.keys().filter(|id| after.get(*id) > before.get(*id));
    let written = written.count();
    report.fact(
        "bodies of a newer version, still whole, written by the older at the end",
        format!("{count}, {}, {written}", after.len()),
    );
    report.holds(
        count > 0 && after.len() == count && written == count,
        format!(
            "of {count} bodies {} keep the member, {written} were written",
            after.len()
        ),
    );
    check::accounts(stage, Allowed::Nothing, report).await?;
    events::came(stage, follower, report).await
}

/// Connects and disconnects a user. Each request goes to the next service.
async fn journey(stage: &Stage, number: usize) -> Result<()> {
    let connection = &CONNECTIONS[number % CONNECTIONS.len()];
    let user = stage
        .connect(connection, &format!("journey-{number}"))
        .await?;
    let account = user.account();
    let steps = [
        (Method::GET, user.path("thing"), 200),
        (Method::POST, format!("{account}/refresh"), 200),
        (Method::POST, format!("{account}/suspend"), 200),
        (Method::POST, format!("{account}/resume"), 200),
        (Method::GET, account.clone(), 200),
        (Method::DELETE, account, 200),
    ];
    for (method, path, expected) in steps {
        let reply = stage.call(method.clone(), &path, None).await?;
        ensure!(
            reply.status == expected || reply.is_retryable(),
            "{method} {path}: {}",
            reply.says()
        );
    }
    Ok(())
}

/// The versions of the rows that have the member.
fn marked(stage: &Stage) -> Result<BTreeMap<String, u64>> {
    let rows = stage.database.rows(&format!(
        "SELECT id || ' ' || version FROM {TABLE} WHERE position('{MEMBER}' IN body) > 0"
    ))?;
    let read = rows.iter().map(|row| {
        let (id, version) = row.split_once(' ').context("a row has no version")?;
        Ok((id.to_owned(), version.parse()?))
    });
    read.collect()
}

/// Lets the older version write every account, connection and webhook that existed before.
async fn write_all(stage: &Stage) -> Result<()> {
    let url = stage.service.setup.url();
    let send = async |method: Method, path: String, json: Option<Value>| {
        let parts = Parts {
            bearer: Some(&stage.bearer),
            json,
            ..Parts::default()
        };
        let reply = stage
            .http
            .send(method, &format!("{url}{path}"), parts)
            .await?;
        ensure!(reply.status == 200, "{path}: {}", reply.says());
        Ok(reply.json())
    };
    for user in &stage.users {
        for change in ["suspend", "resume"] {
            send(Method::POST, format!("{}/{change}", user.account()), None).await?;
        }
    }
    for connection in &CONNECTIONS {
        for disabled in [true, false] {
            let path = format!("/v1/connections/{}", connection.name);
            send(Method::PATCH, path, Some(json!({ "disabled": disabled }))).await?;
        }
    }
    let webhooks = send(Method::GET, String::from("/v1/webhooks"), None).await?;
    for webhook in webhooks["items"].as_array().into_iter().flatten() {
        let path = format!(
            "/v1/webhooks/{}",
            webhook["id"].as_str().unwrap_or_default()
        );
        send(
            Method::PATCH,
            path,
            Some(json!({ "description": "of the older one" })),
        )
        .await?;
    }
    Ok(())
}
