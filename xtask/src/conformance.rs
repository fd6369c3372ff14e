//! `cargo xtask conformance` builds the binary `stead`, and runs `tests/conformance` with it and the products' own
//! descriptions.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::shell;

/// How to get the descriptions if they're missing.
const WHERE: &str = "\
They are public, and not part of this repository:
  google/{gmail.v1,people.v1,calendar.v3,drive.v3,sheets.v4}.json
      PyPI google-api-python-client 2.202.0, googleapiclient/discovery_cache/documents
  notion/notion-mcp-server-{1.9.1,2.5.2}-openapi.json
      npm @notionhq/notion-mcp-server 1.9.1 and 2.5.2, scripts/notion-openapi.json
  notion/notion-official-openapi.json
      developers.notion.com/openapi.json, as of 2026-03
  snowflake/sqlapi.yaml
      github.com/snowflakedb/snowflake-rest-api-specs at 42671a9
Put them into one folder and name it: cargo xtask conformance --descriptions FOLDER";

/// Whether the descriptions are in the default folder.
pub(crate) fn found() -> bool {
    default_folder().is_dir()
}

/// Checks everything, and prints the findings.
///
/// # Errors
/// If something doesn't conform, or the descriptions are missing.
pub(crate) fn run(folder: Option<&str>) -> Result<()> {
    let folder = folder.map_or_else(default_folder, PathBuf::from);
    let folder = std::path::absolute(folder)?;
    if !folder.is_dir() {
        bail!(
            "there are no descriptions in {}\n\n{WHERE}",
            folder.display()
        );
    }
    shell::build()?;
    let mut command = shell::command("target/debug/stead-conformance target/debug/stead");
    shell::succeed(command.arg(folder), "not everything conforms")
}

fn default_folder() -> PathBuf {
    let root = shell::root();
    root.parent().unwrap_or(Path::new("/")).join("shared/api")
}
