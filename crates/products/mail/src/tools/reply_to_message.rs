//! Replies to a mail.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_core::{
    Error, ErrorKind, Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Io, Output, RequiredScopes, Tool},
};

use crate::{
    BodyType, Message, NewAttachment,
    aliases::check_sender,
    answer::{self, Original, Which},
    compose::{self, Letter},
    scopes,
    signature::signed,
};

/// Reply to a mail as the user, in its thread. The reply leaves immediately and can't be taken back.
///
/// Give `message_id`, or `thread_id` to answer the newest mail that someone else wrote in the thread. Stead adds the
/// recipient, the subject and the quoted mail.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct ReplyToMessage {
    /// Text of the reply, without the quoted mail. Stead doesn't change it.
    pub body: String,
    /// Id of the mail to answer.
    #[schemars(length(min = 1))]
    pub message_id: Option<String>,
    /// Id of the thread to answer, instead of `message_id`.
    #[schemars(length(min = 1))]
    pub thread_id: Option<String>,
    /// Whether `body` is `text` or `html`; `text` when absent.
    pub body_type: Option<BodyType>,
    /// Also reply to the other recipients of the mail; false when absent.
    pub reply_all: Option<bool>,
    /// Recipients instead of those that Stead finds in the mail.
    #[schemars(length(min = 1))]
    #[schemars(extend("x-commas" = true))]
    pub to: Option<Vec<String>>,
    /// Further recipients of a copy.
    #[schemars(extend("x-commas" = true))]
    pub cc: Option<Vec<String>>,
    /// Recipients of a copy whom the others don't see.
    #[schemars(extend("x-commas" = true))]
    pub bcc: Option<Vec<String>>,
    /// Add the mail below the reply, as mail programs do; true when absent.
    pub quote: Option<bool>,
    /// Another address of the user to send from. It must be set up in Gmail.
    pub from: Option<String>,
    /// Add the user's signature from Gmail below the text; false when absent.
    pub include_signature: Option<bool>,
    /// Files to attach, up to about 3.5 MB in all.
    pub attachments: Option<Vec<NewAttachment>>,
}

impl Tool for ReplyToMessage {
    const NAME: &'static str = "mail_reply_to_message";
    const EFFECT: Effect = Effect::Write;
    const SCOPES: RequiredScopes = scopes::SENDING;
    type Output = Message;

    fn check(&self) -> Result<()> {
        let mut violations = Violations::default();
        if self.message_id.is_some() == self.thread_id.is_some() {
            let message = "a reply needs either message_id or thread_id";
            violations.add("", "oneOf", message);
        }
        let to = self.to.as_deref().unwrap_or_default();
        let cc = self.cc.as_deref().unwrap_or_default();
        let letter = self.letter(to, cc, "", &self.body);
        violations.read(letter.compose());
        violations.finish()
    }

    /// Calls `users.messages.get` or `users.threads.get`, then `users.messages.send`. It calls
    /// `users.settings.sendAs.list` if it needs the user's own addresses or signature (Gmail API). Gmail doesn't recognise
    /// a second mail, so Stead never repeats the last request.
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let quotes = self.quote.unwrap_or(true);
        let which = match (&self.message_id, &self.thread_id) {
            (Some(id), _) => Which::Message(id),
            (None, thread) => Which::NewestOf(thread.as_deref().unwrap_or_default()),
        };
        let to_all = self.reply_all == Some(true) && self.to.is_none();
        let from = self.from.as_deref();
        let signature = check_sender(call, &io, from, self.include_signature).await?;
        let original = answer::read(call, &io, which, quotes, to_all).await?;
        let body_type = self.body_type.unwrap_or_default();
        let body = signed(&self.body, body_type, signature.as_deref());
        let body = match quotes {
            true => original.quoted_below(&body, body_type).into(),
            false => body,
        };
        let mail = self.compose(&original, to_all, &body)?;
        let mut message = compose::message(&mail);
        message["threadId"] = json!(original.thread_id());
        let sent = io
            .send(ApiRequest::post(["messages", "send"]).json(&message))
            .await?;
        let output = Output::from(sent);
        Ok(match original.answered() {
            Some(_) => output,
            None => {
                let message = "the mail has no Message-ID, so programs of other recipients may show the reply outside its thread";
                output.warn("not_threaded", message)
            }
        })
    }
}

impl ReplyToMessage {
    fn compose(&self, original: &Original, to_all: bool, body: &str) -> Result<Vec<u8>> {
        let mut recipients = original.recipients(to_all);
        if let Some(to) = &self.to {
            recipients.to.clone_from(to);
            recipients.cc.clear();
        }
        recipients.cc.extend(self.cc.iter().flatten().cloned());
        if recipients.to.is_empty() {
            let message =
                "the mail has no address that a reply can go to; give the recipients in `to`";
            return Err(Error::new(ErrorKind::ProductConflict, message));
        }
        let (subject, answered) = (original.subject(), original.answered());
        let letter = Letter {
            answers: answered.as_ref(),
            ..self.letter(&recipients.to, &recipients.cc, &subject, body)
        };
        letter.compose()
    }

    fn letter<'a>(
        &'a self,
        to: &'a [String],
        cc: &'a [String],
        subject: &'a str,
        body: &'a str,
    ) -> Letter<'a> {
        Letter {
            from: self.from.as_deref(),
            to,
            cc,
            bcc: self.bcc.as_deref().unwrap_or_default(),
            reply_to: None,
            subject,
            body,
            body_type: self.body_type.unwrap_or_default(),
            attachments: self.attachments.as_deref().unwrap_or_default(),
            answers: None,
        }
    }
}
