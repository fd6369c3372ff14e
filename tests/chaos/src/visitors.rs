//! Users who open links in their browsers, consent at the product and come back.

use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use http::Method;
use serde_json::json;

use crate::{
    connections::{Connection, User},
    http_client::{Parts, Reply},
    stage::Stage,
};

/// A link that a browser has opened.
pub(crate) struct Opened {
    pub(crate) authorization: String,
    pub(crate) cookie: String,
    /// The callback path with its state, but without a code.
    callback: String,
    scope: String,
}

impl Stage {
    /// Sends a browser's request. All browsers of a run share an address, which the service rate-limits, so a request
    /// that it limits is sent again after `Retry-After`.
    pub(crate) async fn browse(&self, method: Method, path: &str, cookie: &str) -> Result<Reply> {
        let url = format!("{}{path}", self.next_url());
        loop {
            let parts = Parts {
                cookie: Some(cookie),
                ..Parts::default()
            };
            let reply = self.http.send(method.clone(), &url, parts).await?;
            match reply.header("retry-after").parse() {
                Ok(seconds) if reply.status == 429 => {
                    tokio::time::sleep(Duration::from_secs(seconds)).await;
                }
                _ => return Ok(reply),
            }
        }
    }

    /// Creates a link. The response has its URL and the authorization ID.
    pub(crate) async fn link(&self, connection: &Connection, identifier: &str) -> Result<Reply> {
        let new = json!({
            "connection_name": connection.name,
            "identifier": identifier,
            "verify_url": "https://app.example/back",
        });
        self.call(Method::POST, "/v1/authorization-links", Some(new))
            .await
    }

    /// Creates a link and opens it in a browser.
    pub(crate) async fn open_link(
        &self,
        connection: &Connection,
        identifier: &str,
    ) -> Result<Opened> {
        let reply = self.link(connection, identifier).await?;
        ensure!(reply.status == 201, "no link: {}", reply.text());
        let made = reply.json();
        let link = made["link"].as_str().unwrap_or_default();
        let path = link.strip_prefix(&self.service.setup.public_url());
        let path = path.with_context(|| format!("the link leads to {link}"))?;
        let started = self.browse(Method::POST, path, "").await?;
        ensure!(started.status == 303, "not started: {}", started.text());
        let cookie = started.header("set-cookie").split(';').next();
        let location = url::Url::parse(started.header("location"))?;
        let parameter = |name: &str| {
            let mut pairs = location.query_pairs();
            let found = pairs.find(|(found, _)| found == name);
            found
                .map(|(_, value)| value.into_owned())
                .unwrap_or_default()
        };
        let redirect = url::Url::parse(&parameter("redirect_uri"))?;
        Ok(Opened {
            authorization: made["authorization_id"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            cookie: cookie.unwrap_or_default().to_owned(),
            callback: format!("{}?state={}", redirect.path(), parameter("state")),
            scope: parameter("scope"),
        })
    }

    /// Lets the user consent. Returns the callback path and the number of the grant.
    pub(crate) fn consent(&self, connection: &Connection, opened: &Opened) -> (String, usize) {
        let Connection {
            class,
            client,
            host,
            ..
        } = connection;
        let (code, grant) = self.books.consent(*class, client, host, &opened.scope);
        (format!("{}&code={code}", opened.callback), grant)
    }

    /// The application confirms the user who came back.
    pub(crate) async fn verify(&self, authorization: &str, identifier: &str) -> Result<Reply> {
        let path = format!("/v1/authorizations/{authorization}/verify");
        let body = json!({ "identifier": identifier });
        self.call(Method::POST, &path, Some(body)).await
    }

    /// Connects the account of a new user.
    pub(crate) async fn connect(
        &self,
        connection: &'static Connection,
        identifier: &str,
    ) -> Result<User> {
        let opened = self.open_link(connection, identifier).await?;
        let (path, grant) = self.consent(connection, &opened);
        let back = self.browse(Method::GET, &path, &opened.cookie).await?;
        let failed = back.header("location").contains("/connect/failed");
        ensure!(
            back.status == 303 && !failed,
            "no callback: {}",
            back.header("location")
        );
        let verified = self.verify(&opened.authorization, identifier).await?;
        ensure!(verified.status == 200, "not verified: {}", verified.text());
        Ok(User {
            connection,
            identifier: identifier.to_owned(),
            grant,
        })
    }
}
