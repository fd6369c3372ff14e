//! Starts the binary, as people do.

use std::{
    path::{Path, PathBuf},
    process::{Output, Stdio},
};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    net::TcpListener,
    process::{Child, Command},
};

/// The email address of the first owner of an empty service.
pub(crate) const FIRST_OWNER: &str = "olivia@example.com";

/// A running `stead dev` or `stead serve`.
#[derive(Debug)]
pub(crate) struct Service {
    /// The URL, without a slash at its end.
    pub(crate) url: String,
    /// The output of `stead dev`. For `stead serve`, it has the link that invites the first owner, as `invitation`.
    pub(crate) facts: Value,
    binary: PathBuf,
    /// The variables with which commands reach its database.
    variables: Vec<(&'static str, String)>,
    _process: Child,
}

impl Service {
    /// A service with its sandbox.
    ///
    /// # Errors
    /// If it doesn't start.
    pub(crate) async fn dev(binary: &Path) -> Result<Self> {
        let free = "127.0.0.1:0";
        let mut process = Command::new(binary)
            .args(["dev", "--json", "--listen", free, "--sandbox-listen", free])
            .args(["--proxy-listen", free])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        let output = process.stdout.take().context("it has no output")?;
        let mut lines = BufReader::new(output).lines();
        let first = lines.next_line().await?.context("stead dev ended")?;
        let facts: Value = serde_json::from_str(&first).context(first)?;
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let url = facts["url"].as_str().context("stead dev prints no url")?;
        Ok(Self {
            url: url.to_owned(),
            facts,
            binary: binary.to_owned(),
            variables: Vec::new(),
            _process: process,
        })
    }

    /// An empty service, with its database and these settings in `folder`.
    ///
    /// # Errors
    /// If it doesn't start.
    pub(crate) async fn serve(binary: &Path, folder: &Path, settings: &str) -> Result<Self> {
        let key = Command::new(binary)
            .args(["keys", "generate"])
            .output()
            .await?;
        let key = String::from_utf8(key.stdout)?.trim().to_owned();
        // The address of the pages must be known before the start, so this picks a free port.
        let port = TcpListener::bind("127.0.0.1:0").await?.local_addr()?.port();
        let url = format!("http://127.0.0.1:{port}");
        let config = folder.join("stead.toml");
        std::fs::write(&config, settings)?;
        let variables = vec![
            ("STEAD_KEY", key),
            ("STEAD_PUBLIC_URL", url.clone()),
            (
                "STEAD_DATABASE",
                folder.join("stead.db").display().to_string(),
            ),
            ("STEAD_CONFIG", config.display().to_string()),
            (
                "STEAD_PRODUCT_CLIENT_SECRET",
                String::from("sandbox-secret"),
            ),
        ];
        let mut process = Command::new(binary)
            .args([
                "serve",
                "--create",
                "--listen",
                &format!("127.0.0.1:{port}"),
            ])
            .envs(variables.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let output = process.stderr.take().context("it has no output")?;
        let mut lines = BufReader::new(output).lines();
        while let Some(line) = lines.next_line().await? {
            if line.contains("stead members invite") {
                tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
                let mut service = Self {
                    url,
                    facts: Value::Null,
                    binary: binary.to_owned(),
                    variables,
                    _process: process,
                };
                let invite = [
                    "members",
                    "invite",
                    FIRST_OWNER,
                    "--role",
                    "owner",
                    "--quiet",
                ];
                let link = service.run(&invite).await?;
                service.facts = serde_json::json!({ "invitation": link.trim() });
                return Ok(service);
            }
        }
        bail!("stead serve ended without saying how the first owner is made")
    }

    /// Runs a command on its database, and returns the output.
    ///
    /// # Errors
    /// If the command fails.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Result<String> {
        let output = self.output(arguments).await?;
        if !output.status.success() {
            bail!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The same for a command that may fail.
    ///
    /// # Errors
    /// If it doesn't start.
    pub(crate) async fn output(&self, arguments: &[&str]) -> Result<Output> {
        let mut command = Command::new(&self.binary);
        command.args(arguments).envs(self.variables.iter().cloned());
        Ok(command.output().await?)
    }

    /// A fact from its output.
    ///
    /// # Errors
    /// If it didn't print that fact.
    pub(crate) fn fact(&self, name: &str) -> Result<&str> {
        self.facts[name]
            .as_str()
            .with_context(|| format!("{name} is not printed"))
    }
}

/// Returns the output of `curl`.
///
/// # Errors
/// If it fails.
pub(crate) async fn curl(arguments: &[&str]) -> Result<String> {
    let output = Command::new("curl")
        .arg("-sS")
        .args(arguments)
        .output()
        .await?;
    if !output.status.success() {
        bail!("curl: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
