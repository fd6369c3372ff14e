//! Shared by all products: the clock, and deterministic codes, tokens and opaque IDs.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// The start of every sandbox's clock: 2026-05-04T09:00:00Z, a Monday.
const START_SECOND: i64 = 1_777_885_200;

/// The clock and the IDs of one sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Shared {
    /// The sandbox's own clock. Only [`crate::Fault::Advance`] advances it.
    pub(crate) now: Timestamp,
    /// The source of codes, tokens and opaque IDs.
    pub(crate) ids: Ids,
}

impl Shared {
    /// Starts the clock.
    pub(crate) fn new() -> Self {
        Self {
            now: start(),
            ids: Ids::default(),
        }
    }

    /// Advances the clock.
    pub(crate) fn advance(&mut self, seconds: u32) -> Result<(), String> {
        self.now = self
            .now
            .checked_add(SignedDuration::from_secs(i64::from(seconds)))
            .map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Sets the clock back. The source of IDs continues, so that an old token can't become valid again.
    pub(crate) fn reset(&mut self) {
        self.now = start();
    }
}

/// The start of the clock.
pub(crate) fn start() -> Timestamp {
    Timestamp::from_second(START_SECOND).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The machine's time, plus what the sandbox's clock was advanced. A client compares it with its own clock.
#[expect(
    clippy::disallowed_methods,
    reason = "a client compares this with the clock of its machine"
)]
pub(crate) fn time_of_day(now: Timestamp) -> Timestamp {
    Timestamp::now()
        .checked_add(now.duration_since(start()))
        .unwrap_or(Timestamp::MAX)
}

/// The length of the check in a sealed text, in bytes.
const SEAL_BYTES: usize = 12;

/// Makes values that no one can guess from outside, but that are the same in every run: a digest of a counter.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ids {
    counter: u64,
    marker: String,
}

impl Ids {
    /// Sets a text that every code and token will contain.
    pub(crate) fn set_marker(&mut self, marker: &str) {
        self.marker = marker
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
            .collect();
    }

    /// A token: `prefix`, the marker, and then `bytes` new bytes in base64url.
    pub(crate) fn token(&mut self, prefix: &str, bytes: usize) -> String {
        let fresh = self.fresh(prefix, bytes);
        if self.marker.is_empty() {
            format!("{prefix}{fresh}")
        } else {
            format!("{prefix}{}-{fresh}", self.marker)
        }
    }

    /// `bytes` new bytes in base64url.
    pub(crate) fn fresh(&mut self, purpose: &str, bytes: usize) -> String {
        self.counter += 1;
        let mut material = Vec::with_capacity(bytes + 32);
        let mut block = 0_u32;
        while material.len() < bytes {
            let mut digest = Sha256::new();
            digest.update(b"stead-sandbox mint");
            digest.update(purpose.as_bytes());
            digest.update(self.counter.to_be_bytes());
            digest.update(block.to_be_bytes());
            material.extend_from_slice(&digest.finalize());
            block += 1;
        }
        material.truncate(bytes);
        URL_SAFE_NO_PAD.encode(material)
    }
}

/// Encodes `text` as an opaque word that only [`open`] with the same purpose can read.
pub(crate) fn seal(purpose: &str, text: &str) -> String {
    let mut sealed = check(purpose, text).to_vec();
    sealed.extend_from_slice(text.as_bytes());
    URL_SAFE_NO_PAD.encode(sealed)
}

/// The text of a word from [`seal`]. `None` if someone changed or invented the word.
pub(crate) fn open(purpose: &str, word: &str) -> Option<String> {
    let sealed = URL_SAFE_NO_PAD.decode(word).ok()?;
    let (seal, text) = sealed.split_at_checked(SEAL_BYTES)?;
    let text = String::from_utf8(text.to_vec()).ok()?;
    (check(purpose, &text) == seal).then_some(text)
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        for half in [byte >> 4, byte & 0x0f] {
            text.extend(char::from_digit(u32::from(half), 16));
        }
    }
    text
}

fn check(purpose: &str, text: &str) -> [u8; SEAL_BYTES] {
    let mut digest = Sha256::new();
    digest.update(b"stead-sandbox seal");
    digest.update(purpose.as_bytes());
    digest.update([0]);
    digest.update(text.as_bytes());
    let mut short = [0; SEAL_BYTES];
    short.copy_from_slice(&digest.finalize()[..SEAL_BYTES]);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_starts_where_documented() {
        assert_eq!(start().to_string(), "2026-05-04T09:00:00Z");
    }

    #[test]
    fn tokens_repeat_between_runs_and_never_within_one() {
        let (mut one, mut two) = (Ids::default(), Ids::default());
        let first = one.token("t-", 40);
        assert_eq!(first, two.token("t-", 40));
        assert_ne!(first, one.token("t-", 40));
    }

    #[test]
    fn a_marker_is_inside_each_token() {
        let mut ids = Ids::default();
        ids.set_marker("CANARY 1/2");
        assert!(ids.token("t-", 8).starts_with("t-CANARY12-"));
    }

    #[test]
    fn a_sealed_word_opens_for_its_purpose_only() {
        let word = seal("page", "17|labels");
        assert_eq!(open("page", &word).as_deref(), Some("17|labels"));
        assert_eq!(open("other", &word), None);
        assert_eq!(open("page", "0123"), None);
        assert_eq!(open("page", &format!("{word}AA")), None);
    }
}
