//! The scopes that a tool needs.

/// Scopes, any one of which is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequiredScopes(pub &'static [&'static str]);

impl RequiredScopes {
    /// No scope is needed.
    pub const NONE: Self = Self(&[]);

    /// Whether the granted scopes include one of these, or none is needed.
    pub fn covered_by<S: AsRef<str>>(&self, granted: &[S]) -> bool {
        self.0.is_empty()
            || self
                .0
                .iter()
                .any(|scope| granted.iter().any(|one| one.as_ref() == *scope))
    }
}
