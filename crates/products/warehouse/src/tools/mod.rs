//! The tools, one per file.

mod cancel_query;
mod execute_query;
mod get_columns;
mod get_query_partition;
mod get_query_status;
mod get_referential_constraints;
mod get_schemata;
mod get_table_constraints;
mod get_tables;
mod show_databases_schemas;
mod show_grants;
mod show_imported_exported_keys;
mod show_primary_keys;
mod show_warehouses;

mod bindings;
mod namespace;
mod object_type;
mod query;

pub use cancel_query::CancelQuery;
pub use execute_query::ExecuteQuery;
pub use get_columns::GetColumns;
pub use get_query_partition::GetQueryPartition;
pub use get_query_status::GetQueryStatus;
pub use get_referential_constraints::GetReferentialConstraints;
pub use get_schemata::GetSchemata;
pub use get_table_constraints::GetTableConstraints;
pub use get_tables::GetTables;
pub use show_databases_schemas::{ContainerType, ShowDatabasesSchemas};
pub use show_grants::{GrantView, ShowGrants};
pub use show_imported_exported_keys::{KeyDirection, ShowImportedExportedKeys};
pub use show_primary_keys::ShowPrimaryKeys;
pub use show_warehouses::ShowWarehouses;
