#![doc = include_str!("docs.md")]

mod classify;
mod content;
mod errors;
mod file;
mod file_id;
mod guards;
mod list;
mod mask;
mod order;
mod product;
mod query;
mod readable;
pub mod scopes;
mod tools;

pub use content::ConvertTo;
pub use file::{Capabilities, File, FileUser, Shortcut};
pub use list::Files;
pub use product::PRODUCT;
pub use tools::*;
