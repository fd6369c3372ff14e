//! Runs `stead dev`: the service with its sandbox, and a user who opens links and consents.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use ureq::{Agent, Body, ResponseExt as _, config::AutoHeaderValue, http};
use url::Url;

use crate::check::request::Request;

/// The user's name in the sandbox.
const SANDBOX_USER: &str = "ada@example.com";

/// The running service. Dropping it stops the service.
pub(super) struct Service {
    _process: Process,
    agent: Agent,
    url: String,
    sandbox_url: String,
    identifier: String,
    /// The application's `Authorization` header.
    bearer: String,
}

/// The process. Dropping it kills the process.
struct Process(Child);

impl Process {
    /// Starts the process. Returns the line that it prints when it's ready.
    fn start(stead: &Path) -> Result<(Self, String)> {
        let mut command = Command::new(stead);
        command
            .args(["dev", "--json", "--listen", "127.0.0.1:0"])
            .args(["--sandbox-listen", "127.0.0.1:0"])
            .stdout(Stdio::piped());
        let mut process = Self(command.spawn()?);
        let output = process.0.stdout.take().context("it has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        if line.is_empty() {
            bail!("it ended before it was ready: {}", process.0.wait()?);
        }
        Ok((process, line))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A response from the proxy.
pub(super) struct Received {
    pub(super) status: u16,
    pub(super) text: String,
}

impl Service {
    /// Starts the binary `stead` and requests a token for the application.
    pub(super) fn start(stead: &Path) -> Result<Self> {
        let (process, line) = Process::start(stead)
            .with_context(|| format!("cannot start {} dev", stead.display()))?;
        let facts: Value = serde_json::from_str(&line)
            .with_context(|| format!("stead dev prints other than JSON: {line}"))?;
        let fact = |name: &str| {
            let value = facts[name].as_str().map(str::to_owned);
            value.with_context(|| format!("stead dev does not print {name}"))
        };
        let mut service = Self {
            _process: process,
            agent: Agent::config_builder()
                .http_status_as_error(false)
                // Send only the headers that the journey and the product define.
                .accept(AutoHeaderValue::None)
                .build()
                .into(),
            url: fact("url")?,
            sandbox_url: fact("sandbox_url")?,
            identifier: fact("identifier")?,
            bearer: String::new(),
        };
        let token = service.form(
            &format!("{}/oauth/token", service.url),
            &[
                ("grant_type", "client_credentials"),
                ("client_id", &fact("client_id")?),
                ("client_secret", &fact("client_secret")?),
            ],
        )?;
        let token: Value = serde_json::from_str(&token.text)?;
        let token = token["access_token"]
            .as_str()
            .context("there is no token")?;
        service.bearer = format!("Bearer {token}");
        Ok(service)
    }

    /// Connects the user's account: opens the link, continues, and allows everything.
    pub(super) fn connect(&self, connection: &str) -> Result<()> {
        let body = json!({"connection_name": connection, "identifier": self.identifier});
        let request = http::Request::post(format!("{}/v1/authorization-links", self.url))
            .header("content-type", "application/json")
            .header("authorization", &self.bearer)
            .body(body.to_string())?;
        let response = page(self.agent.run(request)?)?;
        let link: Value = serde_json::from_str(&response.text)?;
        let link = link["link"]
            .as_str()
            .with_context(|| format!("there is no link: {}", response.text))?;
        let explanation = page(self.agent.get(link).call()?)?;
        let consent = self.form(explanation.form_action()?.as_str(), &[])?;
        let choices = [
            ("user", SANDBOX_USER),
            ("scope", "all"),
            ("action", "allow"),
        ];
        let end = self.form(consent.form_action()?.as_str(), &choices)?;
        if end.status != 200 {
            bail!("after the consent, {} responds {}", end.url, end.status);
        }
        Ok(())
    }

    /// Sends a request through the proxy.
    pub(super) fn send(&self, connection: &str, request: &Request) -> Result<Received> {
        let address = format!(
            "{}/proxy/{connection}/{}{}",
            self.url, self.identifier, request.target
        );
        let mut built = http::Request::builder()
            .method(request.verb.as_str())
            .uri(address)
            .header("authorization", &self.bearer);
        for (name, value) in &request.headers {
            built = built.header(name, value);
        }
        let response = match &request.body {
            Some(body) => {
                let built = built.header("content-type", "application/json");
                self.agent.run(built.body(body.to_string())?)?
            }
            None => self.agent.run(built.body(())?)?,
        };
        let page = page(response)?;
        Ok(Received {
            status: page.status,
            text: page.text,
        })
    }

    /// The requests that reached the sandbox, oldest first.
    pub(super) fn log(&self) -> Result<Vec<Value>> {
        let address = format!("{}/sandbox/log", self.sandbox_url);
        let page = page(self.agent.get(address).call()?)?;
        Ok(serde_json::from_str(&page.text)?)
    }

    fn form(&self, address: &str, fields: &[(&str, &str)]) -> Result<Page> {
        let origin = Url::parse(address)?.origin().ascii_serialization();
        let request = self.agent.post(address).header("origin", origin);
        // The sandbox accepts a form only as a browser's navigation, not from a script.
        let request = request.header("sec-fetch-mode", "navigate");
        page(request.send_form(fields.iter().copied())?)
    }
}

/// The page after all redirects.
struct Page {
    url: Url,
    status: u16,
    text: String,
}

fn page(mut response: http::Response<Body>) -> Result<Page> {
    Ok(Page {
        url: Url::parse(&response.get_uri().to_string())?,
        status: response.status().as_u16(),
        text: response.body_mut().read_to_string()?,
    })
}

impl Page {
    /// The target of the page's first form: its `action`, or the page itself.
    fn form_action(&self) -> Result<Url> {
        let attribute = |text: &str| {
            Some(
                text.split_once("action=\"")?
                    .1
                    .split_once('"')?
                    .0
                    .to_owned(),
            )
        };
        let form = self
            .text
            .split_once("<form")
            .and_then(|(_, rest)| rest.split_once('>'))
            .map(|(form, _)| attribute(form).unwrap_or_default())
            .with_context(|| format!("{} shows no form (status {})", self.url, self.status))?;
        let action = form
            .replace("&#x2f;", "/")
            .replace("&#x27;", "'")
            .replace("&quot;", "\"")
            .replace("&amp;", "&");
        Ok(self.url.join(&action)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_posts_to_its_action_or_its_page() {
        let page = |text: &str| Page {
            url: Url::parse("http://127.0.0.1:1/connect/x").unwrap(),
            status: 200,
            text: text.to_owned(),
        };
        let named = page(r#"<form method="post" action="&#x2f;consent/r1?a=1&amp;b=2"><input>"#);
        assert_eq!(
            named.form_action().unwrap().as_str(),
            "http://127.0.0.1:1/consent/r1?a=1&b=2"
        );
        let unnamed = page(r#"<form method="post"><button>"#);
        assert_eq!(unnamed.form_action().unwrap(), unnamed.url);
        assert!(page("<p>action=\"/x\"").form_action().is_err());
    }
}
