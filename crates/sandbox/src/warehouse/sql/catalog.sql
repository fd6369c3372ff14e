-- The tables of the information schema and of SHOW. Each statement fills them with what its role can see.
CREATE TABLE c_databases (name TEXT, is_default TEXT, is_current TEXT, comment TEXT, created TIMESTAMP_LTZ);
CREATE TABLE c_schemas (db TEXT, name TEXT, owner TEXT, is_default TEXT, is_current TEXT, comment TEXT, created TIMESTAMP_LTZ);
CREATE TABLE c_tables (db TEXT, sch TEXT, name TEXT, kind TEXT, transient TEXT, row_count NUMBER(38,0), bytes NUMBER(38,0), retention NUMBER(38,0), comment TEXT, created TIMESTAMP_LTZ);
CREATE TABLE c_columns (db TEXT, sch TEXT, tbl TEXT, name TEXT, number NUMBER(38,0), nullable TEXT, type TEXT, length NUMBER(38,0), precision NUMBER(38,0), scale NUMBER(38,0), moment NUMBER(38,0));
CREATE TABLE c_keys (db TEXT, sch TEXT, tbl TEXT, name TEXT, kind TEXT, number NUMBER(38,0), col TEXT, other_tbl TEXT, other_col TEXT, other_key TEXT, created TIMESTAMP_LTZ);
CREATE TABLE c_warehouses (name TEXT, state TEXT, size TEXT, is_default TEXT, is_current TEXT, zero NUMBER(38,0), suspend NUMBER(38,0), created TIMESTAMP_LTZ);
CREATE TABLE c_grants (role TEXT, privilege TEXT, kind TEXT, object TEXT, created TIMESTAMP_LTZ);
CREATE TABLE c_roles (role TEXT, holder TEXT, created TIMESTAMP_LTZ);

-- SQL reference, "Snowflake Information Schema".
CREATE VIEW i_SCHEMATA AS SELECT db CATALOG_NAME, name SCHEMA_NAME, owner SCHEMA_OWNER, 'NO' IS_TRANSIENT, 'NO' IS_MANAGED_ACCESS,
  '1' RETENTION_TIME, created CREATED, created LAST_ALTERED, comment COMMENT FROM c_schemas;
CREATE VIEW i_TABLES AS SELECT db TABLE_CATALOG, sch TABLE_SCHEMA, name TABLE_NAME, 'SYSADMIN' TABLE_OWNER, kind TABLE_TYPE, transient IS_TRANSIENT,
  NULL CLUSTERING_KEY, row_count ROW_COUNT, bytes BYTES, retention RETENTION_TIME, created CREATED, created LAST_ALTERED, comment COMMENT FROM c_tables;
CREATE VIEW i_COLUMNS AS SELECT db TABLE_CATALOG, sch TABLE_SCHEMA, tbl TABLE_NAME, name COLUMN_NAME, number ORDINAL_POSITION, NULL COLUMN_DEFAULT,
  nullable IS_NULLABLE, type DATA_TYPE, length CHARACTER_MAXIMUM_LENGTH, precision NUMERIC_PRECISION, scale NUMERIC_SCALE, moment DATETIME_PRECISION,
  'NO' IS_IDENTITY, NULL COMMENT FROM c_columns;
CREATE VIEW i_TABLE_CONSTRAINTS AS SELECT db CONSTRAINT_CATALOG, sch CONSTRAINT_SCHEMA, name CONSTRAINT_NAME, db TABLE_CATALOG, sch TABLE_SCHEMA,
  tbl TABLE_NAME, kind CONSTRAINT_TYPE, 'NO' IS_DEFERRABLE, 'YES' INITIALLY_DEFERRED, 'NO' ENFORCED, 'NO' RELY, created CREATED, created LAST_ALTERED,
  NULL COMMENT FROM c_keys WHERE number = 1;
CREATE VIEW i_REFERENTIAL_CONSTRAINTS AS SELECT db CONSTRAINT_CATALOG, sch CONSTRAINT_SCHEMA, name CONSTRAINT_NAME, db UNIQUE_CONSTRAINT_CATALOG,
  sch UNIQUE_CONSTRAINT_SCHEMA, other_key UNIQUE_CONSTRAINT_NAME, 'FULL' MATCH_OPTION, 'NO ACTION' UPDATE_RULE, 'NO ACTION' DELETE_RULE, NULL COMMENT,
  created CREATED, created LAST_ALTERED FROM c_keys WHERE number = 1 AND other_tbl IS NOT NULL;

-- SHOW.
CREATE VIEW s_databases AS SELECT created created_on, name, is_default, is_current, NULL origin, 'SYSADMIN' owner, comment, NULL options,
  '1' retention_time, 'STANDARD' kind FROM c_databases;
CREATE VIEW s_schemas AS SELECT created created_on, name, is_default, is_current, db database_name, owner, comment, NULL options, '1' retention_time FROM c_schemas;
CREATE VIEW s_warehouses AS SELECT name, state, 'STANDARD' type, size, zero running, zero queued, is_default, is_current, suspend auto_suspend,
  'true' auto_resume, created created_on, 'SYSADMIN' owner, NULL comment FROM c_warehouses;
CREATE VIEW s_primary_keys AS SELECT created created_on, db database_name, sch schema_name, tbl table_name, col column_name, number key_sequence,
  name constraint_name, 'false' rely, NULL comment FROM c_keys WHERE kind = 'PRIMARY KEY';
CREATE VIEW s_foreign_keys AS SELECT created created_on, db pk_database_name, sch pk_schema_name, other_tbl pk_table_name, other_col pk_column_name,
  db fk_database_name, sch fk_schema_name, tbl fk_table_name, col fk_column_name, number key_sequence, 'NO ACTION' update_rule, 'NO ACTION' delete_rule,
  name fk_name, other_key pk_name, 'NOT DEFERRABLE' deferrability, 'false' rely, NULL comment FROM c_keys WHERE kind = 'FOREIGN KEY';
CREATE VIEW s_grants AS SELECT created created_on, privilege, kind granted_on, object name, 'ROLE' granted_to, role grantee_name, 'false' grant_option,
  'SYSADMIN' granted_by FROM c_grants;
CREATE VIEW s_roles AS SELECT created created_on, role, 'USER' granted_to, holder grantee_name, 'SYSADMIN' granted_by FROM c_roles;
