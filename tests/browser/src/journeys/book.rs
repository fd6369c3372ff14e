//! Pages of the book.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result, bail};

use crate::{look::look, stage::Stage};

const BOOK: &str = "target/book";
/// One page of each kind: with a picture, with tabs, with a long table of contents, generated.
const PAGES: [&str; 4] = [
    "index",
    "start/quickstart",
    "help/troubleshooting",
    "reference/errors",
];
/// The largest size of a page in bytes. The theme has scripts, and an index for the search.
const LIMIT: u64 = 1_500_000;

/// A server of the folder. Dropping it stops the server.
struct Server(Child, String);

impl Server {
    fn start() -> Result<Self> {
        let mut child = Command::new("python3")
            .args([
                "-u",
                "-m",
                "http.server",
                "0",
                "--bind",
                "127.0.0.1",
                "--directory",
                BOOK,
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start python3")?;
        let out = child.stdout.take().context("no output")?;
        let mut said = String::new();
        BufReader::new(out).read_line(&mut said)?;
        let port = said
            .split_whitespace()
            .skip_while(|word| *word != "port")
            .nth(1);
        let url = format!("http://127.0.0.1:{}", port.context("no port")?);
        Ok(Self(child, url))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) async fn run(stage: &Stage<'_>) -> Result<()> {
    if !Path::new(BOOK).join("index.html").exists() {
        bail!("{BOOK} isn't built; run `cargo xtask book`");
    }
    let server = Server::start()?;
    for page in PAGES {
        stage
            .browser
            .go(&format!("{}/{page}.html", server.1))
            .await?;
        for fault in look(stage, &page.replace('/', "-"), LIMIT).await? {
            stage.fault(fault);
        }
    }
    Ok(())
}
