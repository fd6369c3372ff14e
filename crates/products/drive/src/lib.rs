#![doc = include_str!("docs.md")]

mod errors;
mod file_id;
mod mask;
mod product;
mod query;
pub mod scopes;
mod tools;

pub use product::PRODUCT;
pub use tools::{GetFileMetadata, SearchContent, SearchFiles};
