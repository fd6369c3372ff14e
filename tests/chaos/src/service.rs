//! Starts, kills, signals and watches the real binary from outside.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use tokio::process::{Child, Command};

use crate::{
    http_client::{HttpClient, Parts},
    time::{now, until},
};

/// The longest wait for a start.
const START: Duration = Duration::from_secs(40);

/// How to start a service.
#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) binary: PathBuf,
    /// The folder of the database, the settings and the logs.
    pub(crate) folder: PathBuf,
    pub(crate) key: String,
    pub(crate) port: u16,
    /// The port of the public URL, which all services of one database share.
    pub(crate) public_port: u16,
    /// The settings file.
    pub(crate) settings: PathBuf,
    /// The suffix of the service's files. It's empty for the first service of a folder.
    pub(crate) instance: &'static str,
    /// The URL of the database, unless it's a file in the folder.
    pub(crate) database_url: Option<String>,
    /// How wrong its clock is, in seconds.
    pub(crate) clock: i64,
    /// Options of the shell's `ulimit` that limit file descriptors.
    pub(crate) descriptors: Option<&'static str>,
}

impl Setup {
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The URL that users' browsers open.
    pub(crate) fn public_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.public_port)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.join("data/stead.db")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.join(format!("service{}.log", self.instance))
    }

    fn failpoints(&self) -> PathBuf {
        self.folder.join(format!("failpoints{}", self.instance))
    }

    /// Sets what happens at the failpoints from now on.
    pub(crate) fn arm(&self, lines: &[&str]) -> Result<()> {
        let written = self.folder.join(format!("failpoints{}.new", self.instance));
        let mut text = lines.join("\n") + "\n";
        if self.clock != 0 {
            text += &format!("clock={}\n", self.clock);
        }
        fs::write(&written, text)?;
        // Rename the file, so that the service never reads half of it.
        fs::rename(written, self.failpoints())?;
        Ok(())
    }

    /// Disarms all failpoints. Returns those that the service has reached.
    pub(crate) fn disarm(&self) -> Result<String> {
        self.arm(&[])?;
        let path = self
            .folder
            .join(format!("failpoints{}.reached", self.instance));
        let reached = fs::read_to_string(&path).unwrap_or_default();
        let _ = fs::remove_file(path);
        Ok(reached)
    }

    /// The failpoints that the service has reached since the last call of `disarm`.
    pub(crate) fn reached(&self) -> String {
        let path = format!("failpoints{}.reached", self.instance);
        fs::read_to_string(self.folder.join(path)).unwrap_or_default()
    }

    /// A command of the binary, for this database.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut limits = String::from("trap '' XFSZ; ");
        if let Some(descriptors) = self.descriptors {
            limits += &format!("ulimit {descriptors}; ");
        }
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(limits + "exec \"$0\" \"$@\"")
            .arg(&self.binary)
            .args(arguments)
            .env("STEAD_PUBLIC_URL", self.public_url())
            .env("STEAD_KEY", &self.key)
            .env("STEAD_CONFIG", &self.settings)
            .env("STEAD_FAILPOINTS", self.failpoints())
            .env("STEAD_LISTEN", format!("127.0.0.1:{}", self.port))
            .kill_on_drop(true);
        match &self.database_url {
            None => command.env("STEAD_DATABASE", self.database()),
            // Each service has its own spool, as if it ran on its own machine.
            Some(url) => command.env("STEAD_DATABASE_URL", url).env(
                "STEAD_SPOOL_DIR",
                self.folder.join(format!("spool{}", self.instance)),
            ),
        };
        command
    }
}

#[derive(Debug)]
pub(crate) struct Service {
    child: Child,
    pub(crate) setup: Setup,
    /// How long the start took until the service was ready.
    pub(crate) started_in: Duration,
}

impl Service {
    /// Starts the service and waits until it's ready.
    pub(crate) async fn start(setup: Setup, http: &HttpClient) -> Result<Self> {
        let mut service = Self::spawn(setup)?;
        let began = now();
        loop {
            if service.readiness(http).await == Some(200) {
                break;
            }
            if let Some(status) = service.child.try_wait()? {
                bail!(
                    "the service ended with {status}: {}",
                    tail(&service.setup.log())
                );
            }
            if began.elapsed() > START {
                bail!("the service is not ready: {}", tail(&service.setup.log()));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        service.started_in = began.elapsed();
        Ok(service)
    }

    /// Starts the service without waiting.
    pub(crate) fn spawn(setup: Setup) -> Result<Self> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(setup.log())?;
        let child = setup
            .command(&["serve"])
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cannot start the service")?;
        Ok(Self {
            child,
            setup,
            started_in: Duration::ZERO,
        })
    }

    /// The status of `/readyz`. `None` if no response comes.
    pub(crate) async fn readiness(&self, http: &HttpClient) -> Option<u16> {
        let url = format!("{}/readyz", self.setup.url());
        let asked = http.send(http::Method::GET, &url, Parts::default());
        let reply = tokio::time::timeout(Duration::from_secs(10), asked).await;
        Some(reply.ok()?.ok()?.status)
    }

    /// Kills the process. Returns when that was.
    pub(crate) async fn kill(&mut self) -> Result<Instant> {
        self.child.start_kill().context("it had ended")?;
        self.child.wait().await?;
        Ok(now())
    }

    /// Waits until the process exits. Returns its exit status.
    pub(crate) async fn ended(&mut self, limit: Duration) -> Result<ExitStatus> {
        let status = tokio::time::timeout(limit, self.child.wait()).await;
        Ok(status.with_context(|| format!("it goes on after {} s", limit.as_secs()))??)
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) -> Result<()> {
        let id = self.child.id().context("it has ended")?;
        let line = format!("kill -s {name} {id}");
        let status = std::process::Command::new("sh")
            .args(["-c", &line])
            .status()?;
        if !status.success() {
            bail!("{line}: {status}");
        }
        Ok(())
    }

    pub(crate) fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// The resident memory in MiB. `None` if the system doesn't report it.
    pub(crate) fn resident_mib(&self) -> Option<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()?)).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib / 1024.0)
    }

    /// The number of open file descriptors. `None` if the system doesn't report it.
    pub(crate) fn descriptors(&self) -> Option<usize> {
        let folder = fs::read_dir(format!("/proc/{}/fd", self.child.id()?)).ok()?;
        Some(folder.count())
    }
}

/// The last lines of a file, for a message.
pub(crate) fn tail(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(8)..].join(" | ")
}

/// Waits until the service is ready, or isn't. Returns how long that took.
pub(crate) async fn ready(
    service: &Service,
    http: &HttpClient,
    expected: bool,
    limit: Duration,
) -> Result<Duration> {
    let what = if expected {
        "readyz is 200"
    } else {
        "readyz is not 200"
    };
    let looked = until(what, limit, async || {
        let is_ready = service.readiness(http).await == Some(200);
        (is_ready == expected).then_some(())
    });
    Ok(looked.await?.1)
}
