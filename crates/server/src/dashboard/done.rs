//! What an action has done: a word in the address of the page that follows it, and the sentence that the page shows.

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    ClientReplaced,
    ConnectionChanged,
    ConnectionDeleted,
    ConnectionDisabled,
    ConnectionEnabled,
    ConnectionReady,
    SecretReplaced,
    TestAccountDisconnected,
}

impl Done {
    const ALL: [Self; 8] = [
        Self::ClientReplaced,
        Self::ConnectionChanged,
        Self::ConnectionDeleted,
        Self::ConnectionDisabled,
        Self::ConnectionEnabled,
        Self::ConnectionReady,
        Self::SecretReplaced,
        Self::TestAccountDisconnected,
    ];

    /// The one with this word; what is in the address is shown nowhere.
    pub(super) fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|done| done.word() == word)
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::ClientReplaced => "client-replaced",
            Self::ConnectionChanged => "connection-changed",
            Self::ConnectionDeleted => "connection-deleted",
            Self::ConnectionDisabled => "connection-disabled",
            Self::ConnectionEnabled => "connection-enabled",
            Self::ConnectionReady => "connection-ready",
            Self::SecretReplaced => "secret-replaced",
            Self::TestAccountDisconnected => "test-account-disconnected",
        }
    }

    pub(super) const fn sentence(self) -> &'static str {
        match self {
            Self::ClientReplaced => {
                "The OAuth client is replaced. Its users have to connect again."
            }
            Self::ConnectionChanged => "The changes are saved.",
            Self::ConnectionDeleted => "The connection is deleted.",
            Self::ConnectionDisabled => {
                "The connection is switched off. No calls are made with it."
            }
            Self::ConnectionEnabled => "The connection is switched on again.",
            Self::ConnectionReady => {
                "The connection is ready. Test it with an account of your own before your users do."
            }
            Self::SecretReplaced => "The client secret is replaced. It is used from now on.",
            Self::TestAccountDisconnected => "The test account is disconnected.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_stands_for_one() {
        for done in Done::ALL {
            assert_eq!(Done::of(done.word()), Some(done));
        }
        assert_eq!(Done::of("<script>"), None);
    }
}
