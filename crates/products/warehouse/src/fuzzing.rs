//! Properties that hold for any statement. `tests/fuzz` and a unit test call this function, which panics if a property
//! doesn't hold.

/// A statement is classified correctly for policies, or it's unknown.
pub fn policy_sql(sql: &str) {
    crate::classify::statement_holds(sql);
}
