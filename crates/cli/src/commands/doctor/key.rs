//! Whether there is a key, and whether others can read it.

use super::Finding;
use crate::target::Database;

const CHECK: &str = "key";

pub(super) fn given(database: &Database) -> Finding {
    match database.check_key() {
        Ok(()) => Finding::ok(CHECK, "it is given, and no key file is open to others"),
        Err(failure) => Finding::of_failure(CHECK, failure, ""),
    }
}
