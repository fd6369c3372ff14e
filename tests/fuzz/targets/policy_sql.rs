//! Statements, and what rules are told of them.

#![no_main]

libfuzzer_sys::fuzz_target!(|sql: &str| stead_warehouse::fuzzing::policy_sql(sql));
