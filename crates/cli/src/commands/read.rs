//! `stead read`: reads the omitted part of a result by its handle.

use std::{fs, path::PathBuf};

use clap::Args;
use serde_json::json;
use stead_core::resource::{ByteRange, ResultFile};

use crate::{
    failure::{Failure, Outcome},
    target::Target,
    terminal::Terminal,
};

/// Read the omitted part of a result of `stead call`.
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// Handle from left_out in the result.
    handle: String,

    /// Only these bytes, such as 0-65535, 65536-, or -100 for the last hundred.
    #[arg(long, value_name = "BYTES", value_parser = range, allow_hyphen_values = true)]
    range: Option<ByteRange>,

    /// File to write. The default is standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    target: Target,
}

fn range(text: &str) -> Result<ByteRange, String> {
    ByteRange::parse(text)
        .ok_or_else(|| String::from("expected a range of bytes such as 0-65535, 65536- or -100"))
}

impl Read {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let target = self.target.open().await?;
        let actions = target.stead.actions();
        let file = actions.read_result(&self.handle, self.range).await;
        target.close().await;
        let file = file?;
        if let Some(path) = &self.output {
            fs::write(path, &file.content).map_err(|error| {
                Failure::configuration(
                    format!("can't write {}: {error}", path.display()),
                    "Give another file with --output.",
                )
            })?;
        }
        match &self.output {
            _ if terminal.json() => terminal.result_json(&described(&file)),
            None => terminal.bytes(&file.content),
            Some(path) => {
                let (bytes, kind) = (file.content.len(), &file.media_type);
                terminal.note(format_args!(
                    "{bytes} bytes of {kind} in {}",
                    path.display()
                ));
            }
        }
        Ok(())
    }
}

/// The result for a program. It has the content if that is text.
fn described(file: &ResultFile) -> serde_json::Value {
    json!({
        "name": file.name, "media_type": file.media_type, "size": file.size, "offset": file.offset,
        "bytes": file.content.len(), "etag": file.etag, "execution_id": file.execution_id, "text": file.text(),
    })
}
