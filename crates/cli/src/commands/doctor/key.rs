//! Checks that there is a key and that others can't read it.

use super::Finding;
use crate::target::Database;

const CHECK: &str = "key";

pub(super) fn given(database: &Database) -> Finding {
    match database.check_key() {
        Ok(()) => Finding::ok(CHECK, "key found; file permissions are OK"),
        Err(failure) => Finding::of_failure(CHECK, failure, ""),
    }
}
