//! Sends a mail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, RequiredScopes, Tool},
};

use crate::{
    BodyType, Message, NewAttachment,
    aliases::check_sender,
    compose::{self, Letter},
    scopes,
    signature::signed,
};

/// Send a new mail as the user. It leaves immediately and can't be taken back.
///
/// To answer a mail, use `mail_reply_to_message`. To let the user check the mail first, use `mail_create_draft`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct SendMessage {
    /// Recipients, such as `ada@example.com` or `Ada Lovelace <ada@example.com>`.
    #[setters(required)]
    #[schemars(length(min = 1))]
    #[schemars(extend("x-commas" = true))]
    pub to: Vec<String>,
    /// Subject, in one line.
    pub subject: String,
    /// Text of the mail. Stead doesn't change it.
    pub body: String,
    /// Whether `body` is `text` or `html`; `text` when absent.
    pub body_type: Option<BodyType>,
    /// Recipients of a copy.
    #[schemars(extend("x-commas" = true))]
    pub cc: Option<Vec<String>>,
    /// Recipients of a copy whom the others don't see.
    #[schemars(extend("x-commas" = true))]
    pub bcc: Option<Vec<String>>,
    /// Address for replies, if it isn't the sender's.
    pub reply_to: Option<String>,
    /// Another address of the user to send from. It must be set up in Gmail.
    pub from: Option<String>,
    /// Add the user's signature from Gmail below the text; false when absent.
    pub include_signature: Option<bool>,
    /// Files to attach, up to about 3.5 MB in all.
    pub attachments: Option<Vec<NewAttachment>>,
}

impl Tool for SendMessage {
    const NAME: &'static str = "mail_send_message";
    const EFFECT: Effect = Effect::Write;
    const SCOPES: RequiredScopes = scopes::SENDING;
    type Output = Message;

    fn check(&self) -> Result<()> {
        self.letter().compose().map(drop)
    }

    /// Calls `users.messages.send`, after `users.settings.sendAs.list` for `from` and the signature (Gmail API). Gmail
    /// doesn't recognise a second mail, so Stead never repeats the request.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let from = self.from.as_deref();
        let signature = check_sender(call, &io, from, self.include_signature).await?;
        let letter = self.letter();
        let letter = Letter {
            body: &signed(letter.body, letter.body_type, signature.as_deref()),
            ..letter
        };
        let mail = letter.compose()?;
        let request = ApiRequest::post(["messages", "send"]).json(&compose::message(&mail));
        Ok(io.send(request).await?.into())
    }
}

impl SendMessage {
    fn letter(&self) -> Letter<'_> {
        Letter {
            from: self.from.as_deref(),
            to: &self.to,
            cc: self.cc.as_deref().unwrap_or_default(),
            bcc: self.bcc.as_deref().unwrap_or_default(),
            reply_to: self.reply_to.as_deref(),
            subject: &self.subject,
            body: &self.body,
            body_type: self.body_type.unwrap_or_default(),
            attachments: self.attachments.as_deref().unwrap_or_default(),
            answers: None,
        }
    }
}
