//! What must hold for any time and any recurrence, called by `tests/fuzz` and by tests here. They panic where something does
//! not hold.

mod recurrence;
mod timestamps;

pub use recurrence::recurrence;
pub use timestamps::timestamps;
