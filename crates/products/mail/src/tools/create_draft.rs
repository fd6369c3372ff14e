//! Writes a draft.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stead_core::{
    Result, Setters,
    tool::{ApiRequest, Call, Effect, Io, Output, RequiredScopes, Tool},
};

use crate::{
    BodyType, Message, NewAttachment,
    aliases::check_sender,
    answer::{self, Which},
    compose::{self, Letter},
    scopes,
    signature::signed,
};

/// Write a draft that the user can check, change and send in Gmail. It sends nothing.
///
/// With `reply_to_message_id`, the draft answers that mail. Its recipient, subject and thread then come from the mail,
/// unless you give others.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new)]
#[serde(deny_unknown_fields)]
pub struct CreateDraft {
    /// Recipients, such as `ada@example.com` or `Ada Lovelace <ada@example.com>`.
    #[schemars(extend("x-commas" = true))]
    pub to: Option<Vec<String>>,
    /// Subject, in one line.
    pub subject: Option<String>,
    /// Text of the mail. Stead doesn't change it.
    pub body: Option<String>,
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
    /// Id of a mail that the draft answers.
    #[schemars(length(min = 1))]
    pub reply_to_message_id: Option<String>,
    /// Files to attach, up to about 3.5 MB in all.
    pub attachments: Option<Vec<NewAttachment>>,
}

/// A draft (Gmail API, `Draft`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CreatedDraft {
    /// Id of the draft. It isn't the id of its mail.
    pub id: String,
    /// Its mail. The mail's id changes if the draft changes.
    pub message: Option<Message>,
}

impl Tool for CreateDraft {
    const NAME: &'static str = "mail_create_draft";
    const EFFECT: Effect = Effect::Write;
    const SCOPES: RequiredScopes = scopes::DRAFTING;
    type Output = CreatedDraft;

    fn check(&self) -> Result<()> {
        self.letter().compose().map(drop)
    }

    /// Calls `users.drafts.create`. Before that, it calls `users.messages.get` for a reply, and
    /// `users.settings.sendAs.list` for `from` and the signature (Gmail API).
    async fn run(&self, call: &Call, io: Io<'_>) -> Result<Output> {
        let from = self.from.as_deref();
        let signature = check_sender(call, &io, from, self.include_signature).await?;
        let letter = self.letter();
        let letter = Letter {
            body: &signed(letter.body, letter.body_type, signature.as_deref()),
            ..letter
        };
        let message = match &self.reply_to_message_id {
            None => compose::message(&letter.compose()?),
            Some(id) => {
                let original = answer::read(call, &io, Which::Message(id), false, false).await?;
                let (answered, recipients) = (original.answered(), original.recipients(false));
                let subject = original.subject();
                let letter = Letter {
                    to: if self.to.is_some() {
                        letter.to
                    } else {
                        &recipients.to
                    },
                    subject: if self.subject.is_some() {
                        letter.subject
                    } else {
                        &subject
                    },
                    answers: answered.as_ref(),
                    ..letter
                };
                let mut message = compose::message(&letter.compose()?);
                message["threadId"] = json!(original.thread_id());
                message
            }
        };
        let request = ApiRequest::post(["drafts"]).json(&json!({ "message": message }));
        Ok(io.send(request).await?.into())
    }
}

impl CreateDraft {
    fn letter(&self) -> Letter<'_> {
        Letter {
            from: self.from.as_deref(),
            to: self.to.as_deref().unwrap_or_default(),
            cc: self.cc.as_deref().unwrap_or_default(),
            bcc: self.bcc.as_deref().unwrap_or_default(),
            reply_to: self.reply_to.as_deref(),
            subject: self.subject.as_deref().unwrap_or_default(),
            body: self.body.as_deref().unwrap_or_default(),
            body_type: self.body_type.unwrap_or_default(),
            attachments: self.attachments.as_deref().unwrap_or_default(),
            answers: None,
        }
    }
}
