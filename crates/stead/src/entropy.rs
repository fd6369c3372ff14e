//! The operating system's randomness, as a port of core.

use stead_core::ports::Entropy;

/// Randomness of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    /// # Panics
    /// If the operating system gives no randomness: no secret may be made then.
    fn fill(&self, buffer: &mut [u8]) {
        #[expect(
            clippy::expect_used,
            reason = "without randomness nothing here may go on, and callers have no way to go on"
        )]
        getrandom::fill(buffer).expect("the operating system gives no randomness");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_fills_differ() {
        let (mut one, mut other) = ([0; 32], [0; 32]);
        OsEntropy.fill(&mut one);
        OsEntropy.fill(&mut other);
        assert_ne!(one, other);
    }
}
