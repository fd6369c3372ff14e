//! The service ends at every write and around every token request, once for each class of tokens.

use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use http::Method;
use serde_json::json;

use crate::{
    Options,
    books::Behaviour,
    check::{self, Allowed},
    connections::{CONNECTIONS, Connection, User, connection},
    http_client::Reply,
    report::Report,
    stage::Stage,
    time::now,
    visitors::Opened,
};

/// Longest wait until a process with an armed failpoint exits.
const END: Duration = Duration::from_secs(20);
/// After the restart, an account with an interrupted refresh works again within this time.
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

/// Each change, or place, with what reaches it. The process ends before the commit of a change and after it.
const PLACES: &[(Deed, &str)] = &[
    (Refresh, "refresh.claim"),
    (Refresh, "token.send:before"),
    (Refresh, "token.read:after"),
    (Refresh, "refresh.keep"),
    (Refresh, SPOOLED),
    (RefreshRefused, "refresh.died"),
    (RefreshFails, "refresh.failed"),
    (ClientRefused, "connection.health"),
    (Link, "link.create"),
    (Start, "authorization.start"),
    (Exchange, "authorization.return"),
    (Exchange, "token.send:before"),
    (Exchange, "token.read:after"),
    (Exchange, "exchange.keep"),
    (Deny, "authorization.end"),
    (Verify, "authorization.activate"),
    (Suspend, "account.suspend"),
    (Disconnect, "account.disconnect"),
    (Revoke, "outbox.claim"),
    (RevokeFails, "outbox.retry"),
    (Revoke, "outbox.end"),
    (CreateConnection, "connection.create"),
    (DeleteConnection, "connection.delete"),
    (IssueToken, "token.issue"),
];
/// The store takes nothing, and the process ends as soon as the tokens are in the spool.
const SPOOLED: &str = "spool.put:after";
/// Where a response that was read may be lost if the token rotates: before the first durable write nothing can keep it.
const MAY_LOSE: [&str; 2] = ["token.read:after", "refresh.keep:before"];

fn places() -> impl Iterator<Item = (Deed, String)> {
    PLACES.iter().flat_map(|(deed, name)| {
        let sides: &[&str] = match name.contains(':') {
            true => &[""],
            false => &[":before", ":after"],
        };
        sides
            .iter()
            .map(move |side| (*deed, format!("{name}{side}")))
    })
}

pub(crate) async fn run(stage: &mut Stage, options: &Options, report: &mut Report) -> Result<()> {
    let mut starts = Vec::new();
    for (number, (deed, place)) in places().enumerate() {
        for class in classes(deed, options.smoke) {
            let identifier = format!("{number}-{place}").replace([':', '.'], "-");
            let mut case = Case {
                deed,
                place: &place,
                class,
                identifier,
                user: None,
                opened: None,
                back: String::new(),
                grant: 0,
            };
            if let Err(error) = case.run(stage, report).await {
                report.violation(format!("{place} ({}): {error:#}", class.name));
                stage.service.setup.disarm()?;
                if stage.service.has_ended() {
                    stage.restart().await?;
                }
                continue;
            }
            starts.push(stage.service.started_in);
        }
    }
    report.fact("ends at a place", starts.len());
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

/// One deed, cut off at one place.
struct Case<'a> {
    deed: Deed,
    place: &'a str,
    class: &'static Connection,
    identifier: String,
    /// Where the account exists before.
    user: Option<User>,
    /// Where a link was opened before.
    opened: Option<Opened>,
    /// The path with which the browser comes back, and the grant that it brings.
    back: String,
    grant: usize,
}

impl Case<'_> {
    async fn run(&mut self, stage: &mut Stage, report: &mut Report) -> Result<()> {
        let (deed, place) = (self.deed, self.place);
        let path = self.prepare(stage).await?;
        let line = format!("{place}=abort");
        match place {
            SPOOLED => stage
                .service
                .setup
                .arm(&[&line, "refresh.keep:before=fail"])?,
            _ => stage.service.setup.arm(&[&line])?,
        }
        // A revocation is made behind the response.
        if let Ok(reply) = self.act(stage, &path).await
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
        self.after(stage, report).await?;
        if deed == Refresh
            && let Some(user) = stage.users.last()
        {
            // The lease of the process that is gone keeps no one out.
            let may_lose = MAY_LOSE.contains(&place);
            let limit = if may_lose { CONFIRMED } else { OUT };
            let decided = check::decided(stage, user, limit).await;
            report.expect(&format!("{place} ({})", self.class.name), decided);
            let reason = check::reason(stage, user).await;
            report.holds(
                may_lose || reason == "active",
                format!("{place} ({}): {reason}", self.class.name),
            );
        }
        Ok(())
    }

    /// What comes before the deed; the path of a link that is not opened yet.
    async fn prepare(&mut self, stage: &Stage) -> Result<String> {
        let (deed, class) = (self.deed, self.class);
        let mut path = String::new();
        match deed {
            Refresh | RefreshRefused | RefreshFails | ClientRefused | Suspend | Disconnect
            | Revoke | RevokeFails => {
                let user = stage.connect(class, &self.identifier).await?;
                if deed == RefreshRefused {
                    stage.books.revoke(&format!("refresh-{}-1", user.grant));
                }
                self.user = Some(user);
            }
            Exchange | Deny | Verify => {
                let opened = stage.open_link(class, &self.identifier).await?;
                (self.back, self.grant) = stage.consent(class, &opened);
                if deed == Verify {
                    stage
                        .browse(Method::GET, &self.back, &opened.cookie)
                        .await?;
                }
                self.opened = Some(opened);
            }
            Start => {
                let made = stage.link(class, &self.identifier).await?.json();
                let link = made["link"].as_str().unwrap_or_default();
                path = link.replace(&stage.service.setup.url(), "");
            }
            DeleteConnection => drop(self.create_connection(stage).await?),
            Link | CreateConnection | IssueToken => {}
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
        Ok(path)
    }

    async fn act(&self, stage: &Stage, link: &str) -> Result<Reply> {
        let account = self.user.as_ref().map(User::account).unwrap_or_default();
        let cookie = self.opened.as_ref().map_or("", |opened| &opened.cookie);
        let (method, path) = match self.deed {
            RefreshRefused => {
                let user = self.user.as_ref().context("no user")?;
                return stage.read(user).await;
            }
            Link => return stage.link(self.class, &self.identifier).await,
            Start => return stage.browse(Method::POST, link, "").await,
            Exchange => return stage.browse(Method::GET, &self.back, cookie).await,
            Deny => {
                let denied = self.back.split("&code").next().unwrap_or_default();
                let path = format!("{denied}&error=access_denied");
                return stage.browse(Method::GET, &path, cookie).await;
            }
            Verify => return self.verify(stage).await,
            CreateConnection => return self.create_connection(stage).await,
            IssueToken => return stage.issue_token().await,
            Refresh | RefreshFails | ClientRefused => (Method::POST, format!("{account}/refresh")),
            Suspend => (Method::POST, format!("{account}/suspend")),
            Disconnect => (Method::DELETE, account),
            Revoke | RevokeFails => {
                let path = format!("{account}?revoke_at_product=true");
                (Method::DELETE, path)
            }
            DeleteConnection => (Method::DELETE, format!("/v1/connections/{}", self.name())),
        };
        stage.call(method, &path, None).await
    }

    /// What the application finds after the restart: what was committed is there, and everything can go on.
    async fn after(&mut self, stage: &mut Stage, report: &mut Report) -> Result<()> {
        let deed = self.deed;
        let committed = self.place.ends_with(":after");
        match deed {
            Refresh | RefreshFails | ClientRefused => stage.users.extend(self.user.take()),
            RefreshRefused => {
                let user = self.user.as_ref().context("no user")?;
                let decided = check::decided(stage, user, OUT).await;
                report.expect("a refused refresh", decided);
            }
            Link | Start | Exchange | Deny => {
                // The user tries again, and it goes well. What was begun before does not stand in the way.
                let again = stage.connect(self.class, &self.identifier).await;
                stage.users.extend(report.expect("a second try", again));
            }
            Verify => {
                let reply = self.verify(stage).await?;
                report.holds(
                    reply.status == 200,
                    format!(
                        "verify, sent again, committed {committed}: {}",
                        reply.says()
                    ),
                );
                stage.users.push(User {
                    connection: self.class,
                    identifier: self.identifier.clone(),
                    grant: self.grant,
                });
            }
            Suspend | Disconnect | Revoke | RevokeFails => {
                let user = self.user.take().context("no user")?;
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
                let path = format!("/v1/connections/{}", self.name());
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

    async fn verify(&self, stage: &Stage) -> Result<Reply> {
        let opened = self.opened.as_ref().context("no link was opened")?;
        stage.verify(&opened.authorization, &self.identifier).await
    }

    /// The name of a connection.
    fn name(&self) -> &str {
        &self.identifier[..self.identifier.len().min(40)]
    }

    async fn create_connection(&self, stage: &Stage) -> Result<Reply> {
        let new = json!({
            "connection_name": self.name(),
            "product": "warehouse",
            "client_id": "another",
            "client_secret": "secret",
            "settings": { "account": "orga-one" },
        });
        stage.call(Method::POST, "/v1/connections", Some(new)).await
    }
}

#[cfg(test)]
mod tests;
