//! The port [`Store`], and the stores of Stead. To write your own, start from `examples/custom_store.rs`, and test it
//! with the crate `stead-testkit`.

pub use stead_core::store::{
    Batch, Column, ColumnKind, Commit, Found, Index, Key, List, MemoryStore, Row, Store, TABLES,
    Table, Value, Versioned, Write,
};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use stead_store::*;
