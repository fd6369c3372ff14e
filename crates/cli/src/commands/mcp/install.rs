//! `stead mcp install`: configures an agent's client.

use std::{fs, path::PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use crate::{
    failure::{Failure, Outcome},
    terminal::Terminal,
};

/// The environment variable that holds the token of a session.
const TOKEN: &str = "STEAD_MCP_TOKEN";

/// Print the configuration that connects a client to Stead's tools. With --write, add it to the client's file.
#[derive(Debug, Args)]
pub(super) struct Install {
    /// The client.
    #[arg(value_enum)]
    client: Client,

    /// URL of the service.
    #[arg(long, env = "STEAD_URL", value_name = "URL")]
    url: String,

    /// Name of the server in the client.
    #[arg(long, default_value = "stead")]
    name: String,

    /// Add it to the client's file. The previous file is kept with the suffix .before-stead.
    #[arg(long)]
    write: bool,

    /// File to write, instead of the client's own.
    #[arg(long, value_name = "FILE", requires = "write")]
    file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Client {
    /// Claude Code, for this folder: .mcp.json
    Claude,
    /// Cursor, for this user: ~/.cursor/mcp.json
    Cursor,
    /// VS Code, for this folder: .vscode/mcp.json
    Vscode,
    /// Codex, for this user: ~/.codex/config.toml
    Codex,
}

impl Client {
    /// The client's file, in the home folder or in this folder.
    fn file(self) -> Outcome<PathBuf> {
        let home = |path: &str| {
            std::env::home_dir()
                .map(|home| home.join(path))
                .ok_or_else(|| {
                    Failure::configuration(
                        "this user has no home folder",
                        "Give the client's file with --file.",
                    )
                })
        };
        match self {
            Self::Claude => Ok(PathBuf::from(".mcp.json")),
            Self::Cursor => home(".cursor/mcp.json"),
            Self::Vscode => Ok(PathBuf::from(".vscode/mcp.json")),
            Self::Codex => home(".codex/config.toml"),
        }
    }

    /// The name of the member with all servers, and this server's entry.
    fn server(self, url: &str) -> (&'static str, Value) {
        let with = |bearer: &str| json!({ "Authorization": format!("Bearer {bearer}") });
        match self {
            Self::Claude => (
                "mcpServers",
                json!({ "type": "http", "url": url, "headers": with("${STEAD_MCP_TOKEN}") }),
            ),
            Self::Cursor => (
                "mcpServers",
                json!({ "url": url, "headers": with("${env:STEAD_MCP_TOKEN}") }),
            ),
            Self::Vscode => (
                "servers",
                json!({ "type": "http", "url": url, "headers": with("${env:STEAD_MCP_TOKEN}") }),
            ),
            Self::Codex => (
                "mcp_servers",
                json!({ "url": url, "bearer_token_env_var": TOKEN }),
            ),
        }
    }

    /// The file's text with this server added.
    fn merged(self, before: &str, name: &str, url: &str) -> Result<String, String> {
        let (member, server) = self.server(url);
        if self == Self::Codex {
            return merged_toml(before, name, url);
        }
        let mut all: Value = match before.trim() {
            "" => json!({}),
            text => serde_json::from_str(text).map_err(|error| error.to_string())?,
        };
        let all_members = all.as_object_mut().ok_or("it isn't a JSON object")?;
        let servers = all_members
            .entry(member)
            .or_insert_with(|| Value::Object(Map::new()));
        let servers = servers
            .as_object_mut()
            .ok_or_else(|| format!("its {member} isn't an object"))?;
        servers.insert(name.to_owned(), server);
        Ok(format!("{all:#}\n"))
    }
}

/// Keeps the text and its comments. Refuses a second table with this name.
fn merged_toml(before: &str, name: &str, url: &str) -> Result<String, String> {
    let table: toml::Table = before.parse().map_err(|error| format!("{error}"))?;
    let known = table
        .get("mcp_servers")
        .and_then(|servers| servers.get(name));
    if known.is_some() {
        return Err(format!(
            "it already has a server named {name:?}; choose another --name"
        ));
    }
    let blank = if before.is_empty() || before.ends_with("\n\n") {
        ""
    } else {
        "\n"
    };
    let name = Value::from(name);
    let url = Value::from(url);
    Ok(format!(
        "{before}{blank}[mcp_servers.{name}]\nurl = {url}\nbearer_token_env_var = \"{TOKEN}\"\n"
    ))
}

impl Install {
    pub(super) fn run(self, terminal: &Terminal) -> Outcome {
        let url = format!("{}/mcp", self.url.trim_end_matches('/'));
        let file = match &self.file {
            Some(file) => file.clone(),
            None => self.client.file()?,
        };
        let wrong = |why: &dyn std::fmt::Display| {
            Failure::configuration(
                format!("{}: {why}", file.display()),
                "Nothing was written. Without --write, the command prints the configuration.",
            )
        };
        let before = match fs::read_to_string(&file) {
            Ok(text) if self.write => text,
            Err(error) if self.write && error.kind() != std::io::ErrorKind::NotFound => {
                return Err(wrong(&error));
            }
            _ => String::new(),
        };
        let merged = self.client.merged(&before, &self.name, &url);
        let merged = merged.map_err(|why| wrong(&why))?;
        if !self.write {
            terminal.result(merged.trim_end());
            terminal.note(format_args!("Add it to {}.", file.display()));
        } else {
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder).map_err(|error| wrong(&error))?;
            }
            if !before.is_empty() {
                let mut kept = file.clone().into_os_string();
                kept.push(".before-stead");
                fs::write(kept, &before).map_err(|error| wrong(&error))?;
            }
            fs::write(&file, merged).map_err(|error| wrong(&error))?;
            terminal.note(format_args!("Wrote {}.", file.display()));
        }
        terminal.note(format_args!(
            "The client reads the session token from the environment variable {TOKEN}. Create one with `stead mcp-sessions create`."
        ));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://stead.example.com/mcp";

    #[test]
    fn installing_keeps_the_other_content_of_the_file() {
        let before = r#"{"theme": "dark", "mcpServers": {"other": {"command": "x"}}}"#;
        let merged = Client::Cursor.merged(before, "stead", URL).unwrap();
        let merged: Value = serde_json::from_str(&merged).unwrap();
        assert_eq!(merged["theme"], "dark");
        assert_eq!(merged["mcpServers"]["other"]["command"], "x");
        assert_eq!(merged["mcpServers"]["stead"]["url"], URL);
        let before = "# mine\nmodel = \"x\"\n";
        let merged = Client::Codex.merged(before, "stead", URL).unwrap();
        assert!(merged.starts_with(before), "{merged}");
        let table: toml::Table = merged.parse().unwrap();
        assert_eq!(table["mcp_servers"]["stead"]["url"].as_str(), Some(URL));
        assert!(Client::Codex.merged(&merged, "stead", URL).is_err());
    }

    #[test]
    fn a_file_that_cannot_be_read_is_not_touched() {
        for (client, before) in [
            (Client::Claude, "{ // comment\n}"),
            (Client::Vscode, "[]"),
            (Client::Vscode, r#"{"servers": []}"#),
            (Client::Codex, "model = "),
        ] {
            assert!(client.merged(before, "stead", URL).is_err(), "{before}");
        }
    }

    #[test]
    fn no_token_is_written() {
        for client in Client::value_variants() {
            let merged = client.merged("", "stead", URL).unwrap();
            assert!(merged.contains(TOKEN) && merged.contains(URL), "{merged}");
        }
    }
}
