//! The service ends at every write and around every token request, once for each class of tokens.

use std::time::Duration;

use anyhow::{Result, bail};
use http::Method;
use serde_json::json;

use crate::{
    Options,
    books::Behaviour,
    check::{self, Allowed},
    connections::{CONNECTIONS, Connection, User, connection},
    report::Report,
    stage::Stage,
    time::now,
};

/// Longest wait for the end of a process whose failpoint is armed.
const END: Duration = Duration::from_secs(20);
/// Longest time for which an account whose refresh was cut may be out after the restart.
const OUT: Duration = Duration::from_secs(10);
/// The same where the tokens are lost: a refusal that is not expected of the product is confirmed by a second one, 10 s
/// later at the earliest.
const CONFIRMED: Duration = Duration::from_secs(30);

/// What is done while a failpoint is armed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// A refresh that succeeds.
    Refresh,
    /// A refresh that the product refuses: the user ended the grant.
    RefreshRefused,
    /// A refresh whose token endpoint is out of order.
    RefreshFails,
    /// A refresh whose client the product refuses.
    ClientRefused,
    /// A link is made.
    Link,
    /// The user opens the link.
    Start,
    /// The user comes back.
    Exchange,
    /// The user comes back having refused.
    Deny,
    /// The application confirms.
    Verify,
    Suspend,
    Disconnect,
    /// The same, and the product is told.
    Revoke,
    /// The same, and the product's revocation endpoint is out of order.
    RevokeFails,
    CreateConnection,
    DeleteConnection,
    IssueToken,
}
use Deed::{
    ClientRefused, CreateConnection, DeleteConnection, Deny, Disconnect, Exchange, IssueToken,
    Link, Refresh, RefreshFails, RefreshRefused, Revoke, RevokeFails, Start, Suspend, Verify,
};

/// Each place with what reaches it, and whether a response that was read there may be lost where the token rotates: before
/// the first durable write nothing can keep it.
const PLACES: &[(Deed, &str, bool)] = &[
    (Refresh, "refresh.claim:before", false),
    (Refresh, "refresh.claim:after", false),
    (Refresh, "token.send:before", false),
    (Refresh, "token.read:after", true),
    (Refresh, "refresh.keep:before", true),
    (Refresh, "refresh.keep:after", false),
    (Refresh, SPOOLED, false),
    (RefreshRefused, "refresh.died:before", false),
    (RefreshRefused, "refresh.died:after", false),
    (RefreshFails, "refresh.failed:before", false),
    (RefreshFails, "refresh.failed:after", false),
    (ClientRefused, "connection.health:before", false),
    (ClientRefused, "connection.health:after", false),
    (Link, "link.create:before", false),
    (Link, "link.create:after", false),
    (Start, "authorization.start:before", false),
    (Start, "authorization.start:after", false),
    (Exchange, "authorization.return:before", false),
    (Exchange, "authorization.return:after", false),
    (Exchange, "token.send:before", false),
    (Exchange, "token.read:after", false),
    (Exchange, "exchange.keep:before", false),
    (Exchange, "exchange.keep:after", false),
    (Deny, "authorization.end:before", false),
    (Deny, "authorization.end:after", false),
    (Verify, "authorization.activate:before", false),
    (Verify, "authorization.activate:after", false),
    (Suspend, "account.suspend:before", false),
    (Suspend, "account.suspend:after", false),
    (Disconnect, "account.disconnect:before", false),
    (Disconnect, "account.disconnect:after", false),
    (Revoke, "outbox.claim:before", false),
    (Revoke, "outbox.claim:after", false),
    (RevokeFails, "outbox.retry:before", false),
    (RevokeFails, "outbox.retry:after", false),
    (Revoke, "outbox.end:before", false),
    (Revoke, "outbox.end:after", false),
    (CreateConnection, "connection.create:before", false),
    (CreateConnection, "connection.create:after", false),
    (DeleteConnection, "connection.delete:before", false),
    (DeleteConnection, "connection.delete:after", false),
    (IssueToken, "token.issue:before", false),
    (IssueToken, "token.issue:after", false),
];

/// The store takes nothing, and the process ends as soon as the tokens are in the spool.
const SPOOLED: &str = "spool.put:after";

pub(crate) async fn run(stage: &mut Stage, options: &Options, report: &mut Report) -> Result<()> {
    let mut killed = 0;
    let mut starts = Vec::new();
    for (number, (deed, place, may_lose)) in PLACES.iter().enumerate() {
        for class in classes(*deed, options.smoke) {
            let identifier = format!("{number}-{place}").replace([':', '.'], "-");
            let step = one(stage, *deed, place, class, &identifier, *may_lose, report);
            if let Err(error) = step.await {
                report.violation(format!("{place} ({}): {error:#}", class.name));
                stage.service.setup.disarm()?;
                if stage.service.has_ended() {
                    stage.restart().await?;
                }
                continue;
            }
            killed += 1;
            starts.push(stage.service.started_in);
        }
    }
    report.fact("ends at a place", killed);
    report.times(starts);
    check::accounts(stage, Allowed::Unread, report).await
}

/// What concerns the tokens is tried with every class.
fn classes(deed: Deed, smoke: bool) -> Vec<&'static Connection> {
    match deed {
        Refresh | Exchange | Verify if !smoke => CONNECTIONS.iter().collect(),
        Refresh => ["stable", "learned", "strict"].map(connection).to_vec(),
        // One refusal ends it.
        RefreshRefused => vec![connection("strict")],
        // The only product here whose tokens can be revoked.
        Revoke | RevokeFails => vec![connection("signed-in")],
        _ => vec![connection("stable")],
    }
}

async fn one(
    stage: &mut Stage,
    deed: Deed,
    place: &str,
    class: &'static Connection,
    identifier: &str,
    may_lose: bool,
    report: &mut Report,
) -> Result<()> {
    // What comes before the deed.
    let existing = matches!(
        deed,
        Refresh
            | RefreshRefused
            | RefreshFails
            | ClientRefused
            | Suspend
            | Disconnect
            | Revoke
            | RevokeFails
    );
    let user = if existing {
        Some(stage.connect(class, identifier).await?)
    } else {
        None
    };
    let opened = match deed {
        Exchange | Deny | Verify => Some(stage.open_link(class, identifier).await?),
        _ => None,
    };
    let mut grant = None;
    let mut back = String::new();
    if let Some(opened) = &opened {
        let (path, number) = stage.consent(class, opened);
        back = path;
        grant = Some(number);
        if deed == Verify {
            stage.browse(Method::GET, &back, &opened.cookie).await?;
        }
    }
    let link = match deed {
        Start => stage.link(class, identifier).await?.json()["link"]
            .as_str()
            .unwrap_or_default()
            .replace(&stage.service.setup.url(), ""),
        _ => String::new(),
    };
    if deed == RefreshRefused
        && let Some(user) = &user
    {
        stage.books.revoke(&format!("refresh-{}-1", user.grant));
    }
    let refuses = match deed {
        RefreshFails | RevokeFails => Some((503, "temporarily_unavailable")),
        ClientRefused => Some((401, "invalid_client")),
        _ => None,
    };
    stage.books.behave(Behaviour {
        refuses,
        ..Behaviour::default()
    });
    if deed == DeleteConnection {
        create_connection(stage, identifier).await?;
    }

    let line = format!("{place}=abort");
    match place {
        SPOOLED => stage
            .service
            .setup
            .arm(&[&line, "refresh.keep:before=fail"])?,
        _ => stage.service.setup.arm(&[&line])?,
    }
    let account = user.as_ref().map(User::account).unwrap_or_default();
    let done = match deed {
        RefreshRefused => match &user {
            Some(user) => stage.read(user).await,
            None => bail!("no user"),
        },
        Refresh | RefreshFails | ClientRefused => {
            stage
                .call(Method::POST, &format!("{account}/refresh"), None)
                .await
        }
        Link => stage.link(class, identifier).await,
        Start => stage.browse(Method::POST, &link, "").await,
        Exchange => {
            let cookie = opened.as_ref().map_or("", |opened| &opened.cookie);
            stage.browse(Method::GET, &back, cookie).await
        }
        Deny => {
            let (opened, denied) = (opened.as_ref(), back.split("&code").next());
            let path = format!("{}&error=access_denied", denied.unwrap_or_default());
            let cookie = opened.map_or("", |opened| &opened.cookie);
            stage.browse(Method::GET, &path, cookie).await
        }
        Verify => {
            let id = opened.as_ref().map_or("", |opened| &opened.authorization);
            stage.verify(id, identifier).await
        }
        Suspend => {
            stage
                .call(Method::POST, &format!("{account}/suspend"), None)
                .await
        }
        Disconnect => stage.call(Method::DELETE, &account, None).await,
        Revoke | RevokeFails => {
            let path = format!("{account}?revoke_at_product=true");
            stage.call(Method::DELETE, &path, None).await
        }
        CreateConnection => create_connection(stage, identifier).await,
        DeleteConnection => {
            let path = format!("/v1/connections/{}", name_of(identifier));
            stage.call(Method::DELETE, &path, None).await
        }
        IssueToken => stage.issue_token().await,
    };
    // A revocation is made behind the response.
    if let Ok(reply) = done
        && !matches!(deed, Revoke | RevokeFails)
    {
        bail!("it was not reached: the service says {}", reply.says());
    }
    let status = stage.service.ended(END).await?;
    stage.kills.push((0, now()));
    stage.books.behave(Behaviour::default());
    stage.service.setup.disarm()?;
    if status.success() {
        bail!("the service ended with {status}");
    }
    stage.restart().await?;
    let committed = place.ends_with(":after");
    after(
        stage, deed, committed, class, identifier, user, opened, grant, report,
    )
    .await?;
    if deed == Refresh
        && let Some(user) = stage.users.last()
    {
        // The lease of the process that is gone keeps no one out.
        let limit = if may_lose { CONFIRMED } else { OUT };
        let decided = check::decided(stage, user, limit).await;
        report.expect(&format!("{place} ({})", class.name), decided);
        let reason = check::reason(stage, user).await;
        report.holds(
            may_lose || reason == "active",
            format!("{place} ({}): {reason}", class.name),
        );
    }
    Ok(())
}

/// What the application finds after the restart: what was committed is there, and everything can go on.
#[expect(clippy::too_many_arguments, reason = "all that the deed was made of")]
async fn after(
    stage: &mut Stage,
    deed: Deed,
    committed: bool,
    class: &'static Connection,
    identifier: &str,
    user: Option<User>,
    opened: Option<crate::stage::Opened>,
    grant: Option<usize>,
    report: &mut Report,
) -> Result<()> {
    match deed {
        Refresh | RefreshFails | ClientRefused => stage.users.extend(user),
        RefreshRefused => {
            let Some(user) = user else { return Ok(()) };
            let decided = check::decided(stage, &user, OUT).await;
            report.expect("a refused refresh", decided);
        }
        Link | Start | Exchange | Deny => {
            // The user tries again, and it goes well. What was begun before does not stand in the way.
            let again = stage.connect(class, identifier).await;
            stage.users.extend(report.expect("a second try", again));
        }
        Verify => {
            let id = opened
                .map(|opened| opened.authorization)
                .unwrap_or_default();
            let reply = stage.verify(&id, identifier).await?;
            report.holds(
                reply.status == 200,
                format!(
                    "verify, sent again after a commit ({committed}): {}",
                    reply.says()
                ),
            );
            if reply.status == 200 {
                stage.users.push(User {
                    connection: class,
                    identifier: identifier.to_owned(),
                    grant: grant.unwrap_or_default(),
                });
            } else {
                let again = stage.connect(class, identifier).await;
                stage.users.extend(report.expect("a second try", again));
            }
        }
        Suspend | Disconnect | Revoke | RevokeFails => {
            let Some(user) = user else { return Ok(()) };
            let state = check::reason(stage, &user).await;
            let expected = match (deed, committed) {
                (Revoke | RevokeFails, _) => "disconnected",
                (_, false) => "active",
                (Suspend, true) => "suspended",
                _ => "disconnected",
            };
            report.holds(
                state.starts_with(expected),
                format!("{deed:?}, committed {committed}: it is {state}"),
            );
            if deed == Suspend {
                let path = format!("{}/resume", user.account());
                stage.call(Method::POST, &path, None).await?;
                stage.users.push(user);
            }
        }
        CreateConnection | DeleteConnection => {
            let path = format!("/v1/connections/{}", name_of(identifier));
            let found = stage.call(Method::GET, &path, None).await?.status == 200;
            report.holds(
                found == (committed == (deed == CreateConnection)),
                format!("{deed:?}, committed {committed}: there {found}"),
            );
        }
        IssueToken => {
            let reply = stage.issue_token().await?;
            report.holds(reply.status == 200, format!("a token: {}", reply.says()));
        }
    }
    Ok(())
}

fn name_of(identifier: &str) -> String {
    identifier.chars().take(40).collect()
}

async fn create_connection(stage: &Stage, identifier: &str) -> Result<crate::http_client::Reply> {
    let new = json!({
        "connection_name": name_of(identifier),
        "product": "warehouse",
        "client_id": "another",
        "client_secret": "secret",
        "settings": { "account": "orga-one" },
    });
    stage.call(Method::POST, "/v1/connections", Some(new)).await
}

#[cfg(test)]
mod tests;
