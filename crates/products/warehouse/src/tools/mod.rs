//! The tools, one per file.

stead_core::tools! {
    cancel_query::CancelQuery,
    execute_query::ExecuteQuery,
    get_columns::GetColumns,
    get_query_partition::GetQueryPartition,
    get_query_status::GetQueryStatus,
    get_referential_constraints::GetReferentialConstraints,
    get_schemata::GetSchemata,
    get_table_constraints::GetTableConstraints,
    get_tables::GetTables,
    run_select::RunSelect,
    show_databases_schemas::ShowDatabasesSchemas,
    show_grants::ShowGrants,
    show_imported_exported_keys::ShowImportedExportedKeys,
    show_primary_keys::ShowPrimaryKeys,
    show_warehouses::ShowWarehouses,
}

pub use show_databases_schemas::ContainerType;
pub use show_grants::GrantView;
pub use show_imported_exported_keys::KeyDirection;
