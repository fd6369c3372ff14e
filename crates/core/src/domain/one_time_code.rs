//! Time-based one-time codes (RFC 6238): HMAC-SHA-1, six digits, steps of 30 seconds, as all authenticator apps use.

use hmac::{Hmac, Mac as _};
use jiff::Timestamp;
use sha1::Sha1;
use subtle::ConstantTimeEq as _;

const STEP: i64 = 30;

/// The time step that a code belongs to: the current, previous or next one. Steps up to `last` can't be used again.
pub(crate) fn step_of(code: &str, secret: &[u8], last: Option<i64>, now: Timestamp) -> Option<i64> {
    let present = now.as_second().div_euclid(STEP);
    let mut found = None;
    for step in present - 1..=present + 1 {
        let is_it: bool = self::code(secret, step)
            .as_bytes()
            .ct_eq(code.as_bytes())
            .into();
        if is_it && last.is_none_or(|last| step > last) {
            found = Some(step);
        }
    }
    found
}

/// The code of a step (RFC 4226, section 5.3).
fn code(secret: &[u8], step: i64) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).expect("a key of any length");
    mac.update(&step.to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let offset = usize::from(digest[19] & 0x0f);
    let four = [
        digest[offset] & 0x7f,
        digest[offset + 1],
        digest[offset + 2],
        digest[offset + 3],
    ];
    format!("{:06}", u32::from_be_bytes(four) % 1_000_000)
}

/// The code that an app shows at this time.
#[cfg(test)]
pub(crate) fn present(secret: &[u8], now: Timestamp) -> String {
    code(secret, now.as_second().div_euclid(STEP))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"12345678901234567890";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn codes_are_those_of_rfc_6238_appendix_b() {
        for (second, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let step = step_of(code, SECRET, None, at(second));
            assert_eq!(step, Some(second / STEP), "{second}");
        }
    }

    #[test]
    fn one_step_of_skew_passes_and_a_code_counts_once() {
        for (second, good) in [
            (0, false),
            (29, false),
            (30, true),
            (119, true),
            (120, false),
        ] {
            // The code of the step that begins after 60 seconds.
            let code = code(SECRET, 2);
            let step = step_of(&code, SECRET, None, at(second));
            assert_eq!(step, good.then_some(2), "{second}");
            assert_eq!(step_of(&code, SECRET, Some(2), at(second)), None);
        }
        assert_eq!(step_of("", SECRET, None, at(60)), None);
    }
}
