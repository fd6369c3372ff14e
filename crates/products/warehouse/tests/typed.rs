//! A typed call is a call by name.

use stead_testkit::suite::typed;
use stead_warehouse::{
    CancelQuery, ExecuteQuery, GetColumns, GetQueryPartition, GetQueryStatus,
    GetReferentialConstraints, GetSchemata, GetTableConstraints, GetTables, ShowDatabasesSchemas,
    ShowGrants, ShowImportedExportedKeys, ShowPrimaryKeys, ShowWarehouses,
};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");

#[test]
fn the_structs_are_what_the_schemas_say() {
    typed::<ExecuteQuery>(FIXTURES);
    typed::<GetQueryStatus>(FIXTURES);
    typed::<GetQueryPartition>(FIXTURES);
    typed::<CancelQuery>(FIXTURES);
    typed::<GetSchemata>(FIXTURES);
    typed::<GetTables>(FIXTURES);
    typed::<GetColumns>(FIXTURES);
    typed::<GetTableConstraints>(FIXTURES);
    typed::<GetReferentialConstraints>(FIXTURES);
    typed::<ShowDatabasesSchemas>(FIXTURES);
    typed::<ShowWarehouses>(FIXTURES);
    typed::<ShowGrants>(FIXTURES);
    typed::<ShowPrimaryKeys>(FIXTURES);
    typed::<ShowImportedExportedKeys>(FIXTURES);
}
