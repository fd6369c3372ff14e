#![doc = include_str!("docs.md")]

mod address;
mod aliases;
mod answer;
mod attachment;
mod charset;
mod classify;
mod compose;
mod content;
mod errors;
mod format;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod guards;
mod html;
mod invisible;
mod label_names;
mod mail;
mod message;
mod origins;
mod page;
mod part;
mod person;
mod person_field;
mod preview;
mod product;
mod readable;
pub mod scopes;
mod signature;
mod tools;

pub use address::Address;
pub use attachment::Attachment;
pub use compose::{BodyType, NewAttachment};
pub use format::{MessageFormat, ThreadFormat};
pub use mail::{Mail, Message};
pub use message::{MailHeader, ReadableMail};
pub use person::{ContactPoint, Person, PersonName, PersonOrganization, PersonPhoto};
pub use person_field::PersonField;
pub use product::PRODUCT;
pub use tools::*;
