#![doc = include_str!("docs.md")]

mod address;
mod attachment;
mod charset;
mod content;
mod errors;
mod html;
mod message;
mod part;
mod product;
pub mod scopes;
mod tools;

pub use address::Address;
pub use attachment::Attachment;
pub use message::ReadableMail;
pub use product::PRODUCT;
pub use tools::{
    FetchMails, GetAttachmentById, GetContacts, GetMessageById, GetThreadById, ListDrafts,
    ListThreads, MessageFormat, PersonField, SearchPeople, ThreadFormat,
};
