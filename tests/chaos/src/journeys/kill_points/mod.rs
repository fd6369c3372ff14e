//! Aborts the service at every write and around every token request, once for each class of tokens.

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

/// The longest wait until a process with an armed failpoint exits.
const END: Duration = Duration::from_secs(20);
/// After the restart, an account with an interrupted refresh works again within this time.
const RECOVERED: Duration = Duration::from_secs(10);
/// The same if the tokens are lost. Stead accepts an unexpected refusal only after a second one, at least 10 s later.
const CONFIRMED: Duration = Duration::from_secs(30);

/// The action that reaches a failpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    /// A refresh that succeeds.
    Refresh,
    /// A refresh that the product refuses because the user revoked the grant.
    RefreshRefused,
    /// A refresh while the token endpoint is down.
    RefreshFails,
    /// A refresh whose client the product refuses.
    ClientRefused,
    Link,
    /// The user opens the link.
    Start,
    /// The user comes back from the product.
    Exchange,
    /// The user comes back after refusing consent.
    Deny,
    /// The application confirms the user.
    Verify,
    Suspend,
    Disconnect,
    /// A disconnect that also revokes the grant at the product.
    Revoke,
    /// The same while the product's revocation endpoint is down.
    RevokeFails,
    CreateConnection,
    DeleteConnection,
    IssueToken,
}
use Action::{
    ClientRefused, CreateConnection, DeleteConnection, Deny, Disconnect, Exchange, IssueToken,
    Link, Refresh, RefreshFails, RefreshRefused, Revoke, RevokeFails, Start, Suspend, Verify,
};

/// Each change or place, and the action that reaches it. The process aborts before and after the commit of a change.
const PLACES: &[(Action, &str)] = &[
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
/// The store takes no tokens, and the process aborts as soon as they're in the spool.
const SPOOLED: &str = "spool.put:after";
/// A rotating token may be lost at these places: the service has read the response, but hasn't saved it anywhere yet.
const MAY_LOSE: [&str; 2] = ["token.read:after", "refresh.keep:before"];

fn places() -> impl Iterator<Item = (Action, String)> {
    PLACES.iter().flat_map(|(action, name)| {
        let sides: &[&str] = match name.contains(':') {
            true => &[""],
            false => &[":before", ":after"],
        };
        sides
            .iter()
            .map(move |side| (*action, format!("{name}{side}")))
    })
}

pub(crate) async fn run(stage: &mut Stage, options: &Options, report: &mut Report) -> Result<()> {
    let mut starts = Vec::new();
    for (number, (action, place)) in places().enumerate() {
        for class in classes(action, options.smoke) {
            let identifier = format!("{number}-{place}").replace([':', '.'], "-");
            let mut case = Case {
                action,
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

/// Actions that touch tokens run with every class.
fn classes(action: Action, smoke: bool) -> Vec<&'static Connection> {
    match action {
        Refresh | Exchange | Verify if !smoke => CONNECTIONS.iter().collect(),
        Refresh => ["stable", "learned", "strict"].map(connection).to_vec(),
        // For this class, one refusal is enough.
        RefreshRefused => vec![connection("strict")],
        // The only product here that can revoke tokens.
        Revoke | RevokeFails => vec![connection("signed-in")],
        _ => vec![connection("stable")],
    }
}

/// One action, aborted at one place.
struct Case<'a> {
    action: Action,
    place: &'a str,
    class: &'static Connection,
    identifier: String,
    /// The account, if the action needs one.
    user: Option<User>,
    /// The opened link, if the action needs one.
    opened: Option<Opened>,
    /// The callback path, and the grant that it brings.
    back: String,
    grant: usize,
}

impl Case<'_> {
    async fn run(&mut self, stage: &mut Stage, report: &mut Report) -> Result<()> {
        let (action, place) = (self.action, self.place);
        let path = self.prepare(stage).await?;
        let line = format!("{place}=abort");
        match place {
            SPOOLED => stage
                .service
                .setup
                .arm(&[&line, "refresh.keep:before=fail"])?,
            _ => stage.service.setup.arm(&[&line])?,
        }
        // The service revokes at the product after it responds.
        if let Ok(reply) = self.act(stage, &path).await
            && !matches!(action, Revoke | RevokeFails)
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
        if action == Refresh
            && let Some(user) = stage.users.last()
        {
            // The lease of the dead process must not block anyone.
            let may_lose = MAY_LOSE.contains(&place);
            let limit = if may_lose { CONFIRMED } else { RECOVERED };
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

    /// Prepares the action. Returns the path of the link that `Start` opens, and otherwise an empty string.
    async fn prepare(&mut self, stage: &Stage) -> Result<String> {
        let (action, class) = (self.action, self.class);
        let mut path = String::new();
        match action {
            Refresh | RefreshRefused | RefreshFails | ClientRefused | Suspend | Disconnect
            | Revoke | RevokeFails => {
                let user = stage.connect(class, &self.identifier).await?;
                if action == RefreshRefused {
                    stage.books.revoke(&format!("refresh-{}-1", user.grant));
                }
                self.user = Some(user);
            }
            Exchange | Deny | Verify => {
                let opened = stage.open_link(class, &self.identifier).await?;
                (self.back, self.grant) = stage.consent(class, &opened);
                if action == Verify {
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
        let refuses = match action {
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
        let (method, path) = match self.action {
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

    /// Checks that the restarted service has what was committed, and that everything can continue.
    async fn after(&mut self, stage: &mut Stage, report: &mut Report) -> Result<()> {
        let action = self.action;
        let committed = self.place.ends_with(":after");
        match action {
            Refresh | RefreshFails | ClientRefused => stage.users.extend(self.user.take()),
            RefreshRefused => {
                let user = self.user.as_ref().context("no user")?;
                let decided = check::decided(stage, user, RECOVERED).await;
                report.expect("a refused refresh", decided);
            }
            Link | Start | Exchange | Deny => {
                // The user tries again and succeeds. The interrupted attempt isn't in the way.
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
                let expected = match (action, committed) {
                    (Revoke | RevokeFails, _) => "disconnected",
                    (_, false) => "active",
                    (Suspend, true) => "suspended",
                    _ => "disconnected",
                };
                report.holds(
                    state.starts_with(expected),
                    format!("{action:?}, committed {committed}: it is {state}"),
                );
                if action == Suspend {
                    let path = format!("{}/resume", user.account());
                    stage.call(Method::POST, &path, None).await?;
                    stage.users.push(user);
                }
            }
            CreateConnection | DeleteConnection => {
                let path = format!("/v1/connections/{}", self.name());
                let found = stage.call(Method::GET, &path, None).await?.status == 200;
                report.holds(
                    found == (committed == (action == CreateConnection)),
                    format!("{action:?}, committed {committed}: there {found}"),
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

    /// The name of the connection that this case creates or deletes.
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
