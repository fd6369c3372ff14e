//! What all products use: the clock, and the source of deterministic codes, tokens and opaque ids.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Where every sandbox's clock starts: 2026-05-04T09:00:00Z, a Monday.
const START_SECOND: i64 = 1_777_885_200;

/// Clock and ids of one sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Shared {
    /// The sandbox's own clock; only [`crate::Fault::Advance`] moves it.
    pub(crate) now: Timestamp,
    /// Source of codes, tokens and opaque ids.
    pub(crate) ids: Ids,
}

impl Shared {
    /// The clock at its start.
    pub(crate) fn new() -> Self {
        Self {
            now: start(),
            ids: Ids::default(),
        }
    }

    /// Moves the clock.
    pub(crate) fn advance(&mut self, seconds: u32) -> Result<(), String> {
        self.now = self
            .now
            .checked_add(SignedDuration::from_secs(i64::from(seconds)))
            .map_err(|error| error.to_string())?;
        Ok(())
    }

    /// Sets the clock back. The source of ids goes on, so that a token from before cannot come to life again.
    pub(crate) fn reset(&mut self) {
        self.now = start();
    }
}

/// Where the clock starts.
pub(crate) fn start() -> Timestamp {
    Timestamp::from_second(START_SECOND).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// The time of day, moved as far as a sandbox's clock was: for what a client compares with its own clock.
#[expect(
    clippy::disallowed_methods,
    reason = "a client compares this with the clock of its machine"
)]
pub(crate) fn time_of_day(now: Timestamp) -> Timestamp {
    Timestamp::now()
        .checked_add(now.duration_since(start()))
        .unwrap_or(Timestamp::MAX)
}

/// Length of the check that a sealed text carries, in bytes.
const SEAL_BYTES: usize = 12;

/// Makes values that no one can guess from outside, yet that come out the same in every run: a digest over a
/// counter.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Ids {
    counter: u64,
    marker: String,
}

impl Ids {
    /// Text that every code and token shall contain.
    pub(crate) fn set_marker(&mut self, marker: &str) {
        self.marker = marker
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
            .collect();
    }

    /// A token: `prefix`, the marker, then `bytes` fresh bytes in base64url.
    pub(crate) fn token(&mut self, prefix: &str, bytes: usize) -> String {
        let fresh = self.fresh(prefix, bytes);
        if self.marker.is_empty() {
            format!("{prefix}{fresh}")
        } else {
            format!("{prefix}{}-{fresh}", self.marker)
        }
    }

    /// `bytes` fresh bytes in base64url.
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

/// Wraps `text` into an opaque word that only [`open`] with the same purpose reads.
pub(crate) fn seal(purpose: &str, text: &str) -> String {
    let mut sealed = check(purpose, text).to_vec();
    sealed.extend_from_slice(text.as_bytes());
    URL_SAFE_NO_PAD.encode(sealed)
}

/// The text of a word made by [`seal`]; nothing if it was altered or made up.
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
