#![doc = include_str!("docs.md")]

mod append;
mod blocks;
mod classify;
mod columns;
mod cut;
mod data_source;
mod decoration;
mod errors;
mod filter;
mod id;
mod limits;
mod more;
mod new_page;
mod page_parent;
mod product;
mod properties;
mod query;
mod readable;
mod resource;
mod rich_text;
mod rows;
pub mod scopes;
mod settings;
mod sort;
mod tools;
mod version;
mod write;

pub use blocks::{Block, ChildBlock};
pub use decoration::{CoverKind, ExternalFile, IconKind, PageCover, PageIcon};
pub use id::Id;
pub use page_parent::PageParent;
pub use product::PRODUCT;
pub use properties::Properties;
pub use resource::{
    DataSource, Database, Page, Parent, SavedBlock, SavedComment, TextRun, UserRef,
};
pub use rich_text::{Annotations, Equation, RichText, RichTextKind, Text};
pub use rows::Rows;
pub use sort::{Direction, Sort, Timestamp};
pub use tools::*;
