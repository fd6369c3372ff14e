//! What must hold for any statement, called by `tests/fuzz` and by a test of this crate. It panics where something does not hold.

/// A statement is what rules are told that it is, or they are told that it is not known.
pub fn policy_sql(sql: &str) {
    crate::classify::statement_holds(sql);
}
