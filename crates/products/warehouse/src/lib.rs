#![doc = include_str!("docs.md")]

mod errors;
mod product;
mod reader;
pub mod scopes;
mod settings;
mod sql;
mod statement;
mod tools;

pub use product::PRODUCT;
pub use tools::{
    CancelQuery, ContainerType, ExecuteQuery, GetColumns, GetQueryPartition, GetQueryStatus,
    GetReferentialConstraints, GetSchemata, GetTableConstraints, GetTables, GrantView,
    KeyDirection, ShowDatabasesSchemas, ShowGrants, ShowImportedExportedKeys, ShowPrimaryKeys,
    ShowWarehouses,
};
