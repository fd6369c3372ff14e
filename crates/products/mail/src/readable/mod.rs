//! The readable views of the results: short, without base64 or HTML.

mod attachment;
mod mail;
mod mails;
mod people;
mod quoted;
mod threads;

pub(crate) use attachment::AttachmentView;
pub(crate) use mail::OneMail;
pub(crate) use mails::{MailsView, ThreadView};
pub(crate) use people::{ContactsView, FoundPeopleView};
pub(crate) use threads::ThreadsView;
