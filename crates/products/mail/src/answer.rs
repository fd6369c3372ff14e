//! A reply: its recipients, its thread, its subject, and the mail that it quotes.

use serde_json::Value;
use stead_core::{
    Error, ErrorKind, Result,
    tool::{ApiRequest, Call, Io},
};
use stead_google::items;

use crate::{
    Address,
    address::{decode_words, parse_addresses},
    aliases::own_addresses,
    compose::{Answered, BodyType, address_text},
    content::Content,
    html::HIDDEN,
    message::taken_in,
    part::Part,
    scopes,
};

/// The mail that a reply answers.
pub(crate) struct Original {
    message: Value,
    /// The user's own addresses, if they matter for the recipients.
    own: Vec<String>,
}

/// The recipients of a reply.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Recipients {
    pub(crate) to: Vec<String>,
    pub(crate) cc: Vec<String>,
}

/// Which mail to answer.
pub(crate) enum Which<'a> {
    /// The mail with this id.
    Message(&'a str),
    /// The newest mail in this thread that someone else wrote.
    NewestOf(&'a str),
}

/// Reads the mail to answer. Its text is needed only if the reply quotes it.
pub(crate) async fn read(
    call: &Call,
    io: &Io<'_>,
    which: Which<'_>,
    quotes: bool,
    to_all: bool,
) -> Result<Original> {
    let needed = if quotes {
        scopes::ATTACHMENTS
    } else {
        scopes::MESSAGES
    };
    if !call.has_scope(needed) || quotes && call.has_scope(scopes::HEADERS_ONLY) {
        let message = match quotes {
            true => {
                "the user hasn't allowed reading the mail that the reply quotes; set `quote` to false, or create a link that \
                 asks for this permission"
            }
            false => {
                "the user hasn't allowed reading the mail that the reply answers; create a link that asks for this permission"
            }
        };
        return Err(Error::new(ErrorKind::ScopeMissing, message)
            .with_required_scopes(needed.0.iter().copied()));
    }
    let format = if quotes { "full" } else { "metadata" };
    let own = match (to_all, &which) {
        (false, Which::Message(_)) => Vec::new(),
        _ => own_addresses(call, io).await?,
    };
    let message = match which {
        Which::Message(id) => {
            let request = ApiRequest::get(["messages", id]).query("format", format);
            io.send(request).await?.json()?
        }
        Which::NewestOf(thread) => {
            let request = ApiRequest::get(["threads", thread]).query("format", format);
            let mut thread: Value = io.send(request).await?.json()?;
            newest_of_another(items(&mut thread, "messages"), &own)?
        }
    };
    Ok(Original { message, own })
}

/// The newest mail that isn't the user's own; if all are, the newest one.
fn newest_of_another(mut messages: Vec<Value>, own: &[String]) -> Result<Value> {
    messages.retain(|message| !has_label(message, "DRAFT"));
    messages.sort_by_key(taken_in);
    let is_others = |message: &Value| {
        !has_label(message, "SENT")
            && !addresses(message, "From")
                .iter()
                .any(|from| is_own(from, own))
    };
    let place = messages.iter().rposition(is_others);
    let place = place.or(messages.len().checked_sub(1));
    place
        .map(|place| messages.swap_remove(place))
        .ok_or_else(|| {
            let message = "the thread has no mail to reply to, only drafts";
            Error::new(ErrorKind::ProductNotFound, message)
        })
}

impl Original {
    #[cfg(test)]
    pub(crate) fn new(message: Value, own: Vec<String>) -> Self {
        Self { message, own }
    }

    /// Id of its thread.
    pub(crate) fn thread_id(&self) -> Option<&str> {
        self.message["threadId"].as_str()
    }

    /// The headers that put the reply into its thread; `None` if the mail has no `Message-ID`.
    pub(crate) fn answered(&self) -> Option<Answered> {
        let header = |name: &str| Part::root(&self.message).header(name).unwrap_or_default();
        let message_id = message_ids(header("Message-ID")).pop()?;
        let mut references = message_ids(header("References"));
        if references.is_empty() {
            // RFC 5322, 3.6.4: only if it names a single mail.
            references = message_ids(header("In-Reply-To"));
            references.truncate(if references.len() == 1 { 1 } else { 0 });
        }
        references.retain(|one| *one != message_id);
        Some(Answered {
            message_id,
            references,
        })
    }

    /// Its subject with `Re: `. Gmail needs the same subject to keep the reply in the thread.
    pub(crate) fn subject(&self) -> String {
        let subject = Part::root(&self.message)
            .header("Subject")
            .unwrap_or_default();
        let subject: String = decode_words(subject)
            .chars()
            .map(|one| if one.is_control() { ' ' } else { one })
            .collect();
        let subject = subject.trim();
        match subject.get(..3) {
            Some(first) if first.eq_ignore_ascii_case("re:") => subject.to_owned(),
            _ => format!("Re: {subject}").trim_end().to_owned(),
        }
    }

    /// The sender, or everyone. A reply to the user's own mail goes to its recipients.
    pub(crate) fn recipients(&self, to_all: bool) -> Recipients {
        let of = |name: &str| addresses(&self.message, name);
        let is_mine = has_label(&self.message, "SENT")
            || of("From").iter().any(|from| is_own(from, &self.own));
        let mut senders = of("Reply-To");
        if senders.is_empty() {
            senders = of("From");
        }
        let (to, cc) = match (is_mine, to_all) {
            (false, false) => (senders, Vec::new()),
            (false, true) => ([senders, of("To")].concat(), of("Cc")),
            (true, false) => (of("To"), Vec::new()),
            (true, true) => (of("To"), of("Cc")),
        };
        let mut seen = Vec::new();
        let mut texts = |list: Vec<Address>| -> Vec<String> {
            let fresh = list.into_iter().filter(|one| {
                let email = one.email.as_deref().unwrap_or_default().to_lowercase();
                let is_new = !email.is_empty() && !is_own(one, &self.own) && !seen.contains(&email);
                seen.push(email);
                is_new
            });
            fresh.filter_map(|one| address_text(&one)).collect()
        };
        Recipients {
            to: texts(to),
            cc: texts(cc),
        }
    }

    /// The reply's text, followed by the mail that it answers.
    pub(crate) fn quoted_below(&self, body: &str, body_type: BodyType) -> String {
        let root = Part::root(&self.message);
        let text = Content::of(root)
            .text
            .unwrap_or_default()
            .replace(HIDDEN, "");
        let from = root.header("From").map(decode_words).unwrap_or_default();
        let introduction = match root.header("Date") {
            Some(date) => format!("On {}, {from} wrote:", date.trim()),
            None => format!("{from} wrote:"),
        };
        match body_type {
            BodyType::Text => {
                let lines = text
                    .trim_end()
                    .lines()
                    .map(|line| match line.starts_with('>') {
                        true => format!(">{line}"),
                        false => format!("> {line}").trim_end().to_owned(),
                    });
                let lines: Vec<String> = lines.collect();
                format!("{body}\n\n{introduction}\n{}\n", lines.join("\n"))
            }
            BodyType::Html => {
                let lines: Vec<String> = text.trim_end().lines().map(escaped).collect();
                format!(
                    "{body}<br><div class=\"gmail_quote\"><div>{}</div><blockquote style=\"margin:0 0 0 .8ex;border-left:1px solid \
                     #ccc;padding-left:1ex\">{}</blockquote></div>",
                    escaped(&introduction),
                    lines.join("<br>\n")
                )
            }
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn has_label(message: &Value, label: &str) -> bool {
    let mut labels = message["labelIds"].as_array().into_iter().flatten();
    labels.any(|one| one == label)
}

fn addresses(message: &Value, name: &str) -> Vec<Address> {
    let headers = Part::root(message).headers();
    let headers = headers.filter(|(one, _)| one.eq_ignore_ascii_case(name));
    headers
        .flat_map(|(_, value)| parse_addresses(value))
        .collect()
}

fn is_own(address: &Address, own: &[String]) -> bool {
    let email = address.email.as_deref().unwrap_or_default();
    own.iter().any(|one| one.eq_ignore_ascii_case(email))
}

/// The ids in a header, each in angle brackets. Other text isn't copied into the reply.
fn message_ids(header: &str) -> Vec<String> {
    let words = header
        .split(['<', ' ', '\t', '\r', '\n'])
        .filter_map(|word| word.strip_suffix('>'));
    let is_id = |word: &&str| {
        word.contains('@')
            && word
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'>')
    };
    words
        .filter(is_id)
        .map(|word| format!("<{word}>"))
        .collect()
}
