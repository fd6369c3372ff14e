//! Properties that hold for any time and any recurrence. `tests/fuzz` and unit tests call these functions, which panic if a
//! property doesn't hold.

mod recurrence;
mod timestamps;

pub use recurrence::recurrence;
pub use timestamps::timestamps;
