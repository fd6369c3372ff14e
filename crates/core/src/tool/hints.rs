//! What a caller should know before a tool is called once more, or without asking the user.

use super::Effect;

/// What a call does to what is there already (Model Context Protocol, `ToolAnnotations`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hints {
    /// Whether it can overwrite or remove something; it only reads or adds where not.
    pub destructive: bool,
    /// Whether a second call with the same input changes nothing more.
    pub idempotent: bool,
}

impl Hints {
    /// It changes nothing.
    pub const READS: Self = Self::new(false, true);
    /// It adds, and adds once more when called again.
    pub const ADDS: Self = Self::new(false, false);
    /// It brings what is there into a state that the input says, or removes it.
    pub const REPLACES: Self = Self::new(true, true);
    /// It can do anything, such as running a caller's statement.
    pub const ANYTHING: Self = Self::new(true, false);

    const fn new(destructive: bool, idempotent: bool) -> Self {
        Self {
            destructive,
            idempotent,
        }
    }

    /// What an effect says, where a tool says nothing else.
    pub const fn of(effect: Effect) -> Self {
        match effect {
            Effect::Read => Self::READS,
            Effect::Write => Self::ADDS,
            Effect::Delete => Self::REPLACES,
        }
    }
}
