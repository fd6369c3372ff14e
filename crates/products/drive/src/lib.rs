#![doc = include_str!("docs.md")]
#![doc = stead_google::setup!("the **Google Drive API**")]

mod errors;
mod file_id;
mod list;
mod mask;
mod order;
mod product;
mod query;
pub mod scopes;
mod tools;

pub use product::PRODUCT;
pub use tools::*;
