//! One attachment of a mail: by the id of its part, which stays, or by the product's own, which does not.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    Error, ErrorKind, Result,
    tool::{ApiRequest, Call, Effect, Io, Output, RequiredScopes, Response, Tool},
};

use crate::{charset::decode_base64, content::Content, part::Part, scopes};

/// Download one attachment of a mail.
///
/// The result is `{attachment_id, file_name, mime_type, size, data}`, with the content in `data` as standard base64.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetAttachmentById {
    /// Id of the mail.
    #[schemars(length(min = 1))]
    pub message_id: String,
    /// Id of the attachment: `part:1`, as the readable form of a mail gives it, or the product's own id, which changes
    /// every time the mail is read.
    #[schemars(length(min = 1))]
    pub attachment_id: String,
    /// Name for the result. Also tells which attachment is meant where the product's own id has become invalid.
    #[schemars(length(min = 1))]
    pub file_name: Option<String>,
}

/// Candidates that an error lists at most.
const LISTED: usize = 20;

impl Tool for GetAttachmentById {
    const NAME: &'static str = "mail_get_attachment_by_id";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::ATTACHMENTS;
    type Output = Value;

    /// Gmail API, `users.messages.get` for name and type, then `users.messages.attachments.get`.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let message = ApiRequest::get(["messages", &self.message_id])
            .query("format", "full")
            .query("fields", "payload");
        let message: Value = io.send(message).await?.json()?;
        let parts = Part::root(&message).tree();

        if let Some(id) = Part::id_of_stable(&self.attachment_id) {
            let part = parts
                .iter()
                .find(|part| part.id() == id && !part.is_container());
            return match part {
                Some(part) => self.fetch(io, *part).await,
                None => Err(not_found("the mail has no such part", &message)),
            };
        }
        if let Some(part) = parts
            .iter()
            .find(|part| part.attachment_id() == Some(&self.attachment_id))
        {
            return self.fetch(io, *part).await;
        }

        // An id from an earlier reading: it may still be good, and then only name and type are unknown.
        let response = io
            .send(self.request(&self.attachment_id).accept(&[400, 404]))
            .await?;
        if response.is_success() {
            let bytes = content(&response)?;
            let part = self.the_one(&parts, |part| part.size() == bytes.len() as u64);
            return Ok(self.result(part, &bytes));
        }
        match self.the_one(&parts, |_| true) {
            Some(part) => self.fetch(io, part).await,
            None => Err(not_found(
                "this attachment id is no longer valid, and which attachment is meant is not certain",
                &message,
            )),
        }
    }
}

impl GetAttachmentById {
    fn request(&self, attachment_id: &str) -> ApiRequest {
        ApiRequest::get(["messages", &self.message_id, "attachments", attachment_id])
    }

    /// The content of a part: what came along, or what the product keeps apart.
    async fn fetch(&self, io: Io<'_>, part: Part<'_>) -> Result<Output> {
        let bytes = match part.attachment_id() {
            Some(id) => content(&io.send(self.request(id)).await?)?,
            None => part.content().unwrap_or_default(),
        };
        check_size(&bytes, part.size())?;
        Ok(self.result(Some(part), &bytes))
    }

    /// The only attachment that fits, or the only one of those with the caller's file name.
    fn the_one<'a>(&self, parts: &[Part<'a>], fits: impl Fn(Part<'_>) -> bool) -> Option<Part<'a>> {
        let kept_apart = parts.iter().filter(|part| part.attachment_id().is_some());
        let fitting: Vec<Part<'a>> = kept_apart.copied().filter(|part| fits(*part)).collect();
        if let [one] = fitting.as_slice() {
            return Some(*one);
        }
        let mut named = fitting
            .iter()
            .filter(|part| self.file_name.is_some() && part.file_name() == self.file_name);
        match (named.next(), named.next()) {
            (Some(one), None) => Some(*one),
            _ => None,
        }
    }

    fn result(&self, part: Option<Part<'_>>, bytes: &[u8]) -> Output {
        let file_name = self
            .file_name
            .clone()
            .or_else(|| part.and_then(Part::file_name));
        let mime_type =
            part.map_or_else(|| String::from("application/octet-stream"), Part::mime_type);
        let output = Output::from(json!({
            "attachment_id": part.map_or_else(|| self.attachment_id.clone(), Part::stable_id),
            "file_name": file_name.unwrap_or_else(|| default_name(&mime_type).to_owned()),
            "mime_type": mime_type,
            "size": bytes.len(),
            "data": STANDARD.encode(bytes),
        }));
        if part.is_some() {
            return output;
        }
        output.warn("part_unknown", "the id is from an earlier reading of the mail, so the attachment's own name and type are not known")
    }
}

fn default_name(mime_type: &str) -> &'static str {
    match mime_type {
        "message/rfc822" => "message.eml",
        "text/calendar" => "invite.ics",
        "text/plain" => "text.txt",
        "text/html" => "text.html",
        _ => "attachment",
    }
}

/// Content of `users.messages.attachments.get`: `{size, data}`.
fn content(response: &Response) -> Result<Vec<u8>> {
    let body: Value = response.json()?;
    let bytes = body["data"].as_str().and_then(decode_base64);
    let bytes = bytes.ok_or_else(|| {
        Error::new(
            ErrorKind::ProductProtocolError,
            "the attachment's content is not base64",
        )
    })?;
    check_size(&bytes, body["size"].as_u64().unwrap_or(bytes.len() as u64))?;
    Ok(bytes)
}

fn check_size(bytes: &[u8], declared: u64) -> Result<()> {
    let decoded = bytes.len() as u64;
    if decoded == declared {
        return Ok(());
    }
    let kind = if decoded < declared {
        ErrorKind::UpstreamTruncated
    } else {
        ErrorKind::ProductProtocolError
    };
    Err(Error::new(
        kind,
        format!("the attachment has {decoded} bytes, and the product declared {declared}"),
    ))
}

/// An error that lists the attachments as the readable form of the mail does.
fn not_found(reason: &str, message: &Value) -> Error {
    let attachments = Content::of(Part::root(message)).attachments;
    let listed: Vec<String> = attachments
        .iter()
        .take(LISTED)
        .map(|one| {
            let name = one
                .file_name
                .as_deref()
                .unwrap_or_else(|| default_name(&one.mime_type));
            format!(
                "{} ({name}, {}, {} bytes)",
                one.attachment_id, one.mime_type, one.size
            )
        })
        .collect();
    let hint = if listed.is_empty() {
        String::from("it has no attachments")
    } else {
        format!("take one of: {}", listed.join("; "))
    };
    Error::new(ErrorKind::ProductNotFound, format!("{reason}; {hint}"))
}
