//! Hints for callers: whether they can repeat a call, or make it without asking the user.

use super::Effect;

/// How a call affects existing data (Model Context Protocol, `ToolAnnotations`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hints {
    /// Whether it can overwrite or remove something. If not, it only reads or adds.
    pub destructive: bool,
    /// Whether a second call with the same input changes nothing more.
    pub idempotent: bool,
}

impl Hints {
    /// It changes nothing.
    pub const READS: Self = Self::new(false, true);
    /// It adds something. A second call adds it again.
    pub const ADDS: Self = Self::new(false, false);
    /// It changes existing data to a state that the input describes, or removes it.
    pub const REPLACES: Self = Self::new(true, true);
    /// It can do anything, such as running a caller's statement.
    pub const ANYTHING: Self = Self::new(true, false);

    const fn new(destructive: bool, idempotent: bool) -> Self {
        Self {
            destructive,
            idempotent,
        }
    }

    /// The default hint for an effect.
    pub const fn of(effect: Effect) -> Self {
        match effect {
            Effect::Read => Self::READS,
            Effect::Write => Self::ADDS,
            Effect::Delete => Self::REPLACES,
        }
    }
}
