#![doc = include_str!("docs.md")]

mod bindings;
mod classify;
mod columns;
mod errors;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod guards;
mod namespace;
mod object_type;
mod product;
mod query;
mod readable;
mod reader;
mod result;
pub mod scopes;
mod settings;
mod sql;
mod statement;
mod tools;

pub use product::PRODUCT;
pub use result::{
    Column, Partition, ResultColumn, ResultMetadata, ResultSet, Rows, StatementResult,
};
pub use tools::*;
