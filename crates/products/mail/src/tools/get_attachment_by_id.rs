//! Downloads an attachment, by the stable id of its part or by the product's id, which changes.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stead_core::{
    Error, ErrorKind, Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, RequiredScopes, Response, Tool},
};
use stead_google::decode_base64;

use crate::{Attachment, content::Content, part::Part, readable::AttachmentView, scopes};

/// Download an attachment as base64 in `data`. Base64 needs four bytes for every three.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct GetAttachmentById {
    /// Id of the mail.
    #[schemars(length(min = 1))]
    pub message_id: String,
    /// Id of the attachment from `readable` of a mail, such as `part:1`. The product's own id also works, but changes with
    /// every read.
    #[schemars(length(min = 1))]
    pub attachment_id: String,
    /// File name for the result. With the product's own id, it tells attachments of the same size apart.
    #[schemars(length(min = 1))]
    pub file_name: Option<String>,
}

/// Most parts that an error or a warning lists.
const LISTED: usize = 20;

/// An attachment with its content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AttachmentContent {
    /// Stable id: `part:` and the part's id. If the part isn't known, the id from the call.
    pub attachment_id: String,
    /// File name without folders.
    pub file_name: String,
    /// MIME type.
    pub mime_type: String,
    /// Size in bytes.
    pub size: u64,
    /// Content in standard base64.
    pub data: String,
}

impl Tool for GetAttachmentById {
    const NAME: &'static str = "mail_get_attachment_by_id";
    const EFFECT: Effect = Effect::Read;
    const SCOPES: RequiredScopes = scopes::ATTACHMENTS;
    type Output = AttachmentContent;
    const READABLE: Option<ReadableView> = ReadableView::some::<AttachmentView>();

    /// Calls `users.messages.get` for name and type, then `users.messages.attachments.get` (Gmail API).
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

        // The id is from an earlier read. The product still accepts it, but only the content's size tells which part it is.
        // If the product refuses it, don't guess: returning another file under this name would be worse than an error.
        let response = io
            .send(self.request(&self.attachment_id).accept(&[400, 404]))
            .await?;
        if !response.is_success() {
            let reason = "the mail has no attachment with this id; the product's own ids change with every read";
            return Err(not_found(reason, &message));
        }
        let bytes = content(&response)?;
        let fitting: Vec<Part<'_>> = parts
            .into_iter()
            .filter(|part| part.attachment_id().is_some() && part.size() == bytes.len() as u64)
            .collect();
        match fitting.as_slice() {
            [] => Err(not_found(
                "this id belongs to an attachment of another mail",
                &message,
            )),
            [one] => Ok(recognized(*one, &bytes)),
            several => Ok(match self.named(several) {
                Some(one) => recognized(one, &bytes),
                None => self.unknown(&bytes),
            }),
        }
    }
}

impl GetAttachmentById {
    fn request(&self, attachment_id: &str) -> ApiRequest {
        ApiRequest::get(["messages", &self.message_id, "attachments", attachment_id])
    }

    /// The content of a part, from the message or by a separate request.
    async fn fetch(&self, io: Io<'_>, part: Part<'_>) -> Result<Output> {
        let content = match part.attachment_id() {
            Some(id) => Some(content(&io.send(self.request(id)).await?)?),
            None => part.content(),
        };
        let is_missing = content.is_none();
        let bytes = content.unwrap_or_default();
        check_size(&bytes, part.size())?;
        let file_name = self.file_name.clone().or_else(|| part.file_name());
        let output = result(&part.stable_id(), file_name, &part.mime_type(), &bytes);
        Ok(if is_missing {
            output.warn("content_missing", without_content(part))
        } else {
            output
        })
    }

    /// The part with the caller's file name, if there is exactly one.
    fn named<'a>(&self, parts: &[Part<'a>]) -> Option<Part<'a>> {
        let is_named =
            |part: &&Part<'_>| self.file_name.is_some() && part.file_name() == self.file_name;
        let mut named = parts.iter().filter(is_named);
        match (named.next(), named.next()) {
            (Some(one), None) => Some(*one),
            _ => None,
        }
    }

    /// Content that could belong to several parts.
    fn unknown(&self, bytes: &[u8]) -> Output {
        result(&self.attachment_id, None, "application/octet-stream", bytes).warn(
            "part_unknown",
            "the id is from an earlier read of the mail, so the attachment's name and type aren't known",
        )
    }
}

/// Content whose part was found by its size.
fn recognized(part: Part<'_>, bytes: &[u8]) -> Output {
    let id = part.stable_id();
    let message = format!(
        "the id is from an earlier read of the mail; going by its size, this is {id}, so the result has that part's name and type"
    );
    result(&id, part.file_name(), &part.mime_type(), bytes).warn("recognized_by_size", message)
}

fn result(attachment_id: &str, file_name: Option<String>, mime_type: &str, bytes: &[u8]) -> Output {
    let file_name = file_name.unwrap_or_else(|| default_name(mime_type).to_owned());
    Output::from(json!({
        "attachment_id": attachment_id,
        "file_name": file_name,
        "mime_type": mime_type,
        "size": bytes.len(),
        "data": STANDARD.encode(bytes),
    }))
}

/// Explains why a part has no content. The product returns an attached mail as parts, without bytes of its own.
fn without_content(part: Part<'_>) -> String {
    let inner: Vec<Attachment> = part
        .tree()
        .into_iter()
        .skip(1)
        .filter(|inner| !inner.is_container())
        .map(Attachment::of)
        .collect();
    if inner.is_empty() {
        return String::from("the product returned no content for this part");
    }
    format!(
        "the product can't return this attached mail as a whole; use one of its parts: {}; or read the mail that contains it with the format raw",
        listed(&inner)
    )
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

/// The content in a response of `users.messages.attachments.get`: `{size, data}`.
fn content(response: &Response) -> Result<Vec<u8>> {
    let body: Value = response.json()?;
    let bytes = body["data"].as_str().and_then(decode_base64);
    let bytes = bytes.ok_or_else(|| {
        Error::new(
            ErrorKind::ProductProtocolError,
            "the attachment's content isn't base64",
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
        format!("the attachment has {decoded} bytes, but the product declared {declared}"),
    ))
}

/// An error that lists the attachments with the same ids as the readable form.
fn not_found(reason: &str, message: &Value) -> Error {
    let attachments = Content::of(Part::root(message)).attachments;
    let hint = if attachments.is_empty() {
        String::from("it has no attachments")
    } else {
        format!("use one of: {}", listed(&attachments))
    };
    Error::new(ErrorKind::ProductNotFound, format!("{reason}; {hint}"))
}

fn listed(attachments: &[Attachment]) -> String {
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
    listed.join("; ")
}
