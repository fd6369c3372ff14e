//! SQL statements, and the facts that policies get about them.

#![no_main]

libfuzzer_sys::fuzz_target!(|sql: &str| stead_warehouse::fuzzing::policy_sql(sql));
