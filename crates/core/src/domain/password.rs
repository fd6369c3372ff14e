//! Members' passwords in stored form: Argon2id hashes with 19 MiB and two passes.

use argon2::{Argon2, PasswordHash as Parsed, PasswordHasher as _, PasswordVerifier as _};
use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result};

/// Minimum length of a password in characters, and maximum length in bytes.
const SHORTEST: usize = 12;
const LONGEST: usize = 1024;

/// A hash that takes as long to compare as any other, and whose password no one knows.
const NO_ONES: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// A password's hash with its salt and cost, in the PHC string format.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct PasswordHash(String);

impl PasswordHash {
    /// Hashes a password. Takes tens of milliseconds of CPU time.
    pub(crate) fn of(password: &str, salt: &[u8; 16]) -> Result<Self> {
        let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), salt);
        let failed = |_| Error::new(ErrorKind::Internal, "couldn't hash the password");
        Ok(Self(hash.map_err(failed)?.to_string()))
    }

    /// A hash for an unknown email address, so that a sign-in takes the same time.
    pub(crate) fn of_no_one() -> Self {
        Self(NO_ONES.to_owned())
    }

    /// Whether this is the hash of the password. Takes tens of milliseconds of CPU time.
    pub(crate) fn is_of(&self, password: &str) -> bool {
        Parsed::new(&self.0).is_ok_and(|hash| {
            let verified = Argon2::default().verify_password(password.as_bytes(), &hash);
            verified.is_ok()
        })
    }
}

impl std::fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PasswordHash")
    }
}

/// Rejects a password that is too short, or so long that hashing it costs too much.
pub(crate) fn check(password: &str) -> Result<()> {
    if password.chars().count() < SHORTEST || password.len() > LONGEST {
        return Err(Error::invalid_at(
            "/password",
            format!("a password has at least {SHORTEST} characters, and at most {LONGEST} bytes"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_argon2id_of_this_cost_and_of_one_password() {
        let hash = PasswordHash::of("correct horse", &[7; 16]).unwrap();
        assert!(hash.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(hash.is_of("correct horse"));
        assert!(!hash.is_of("correct horse "));
        assert_ne!(hash, PasswordHash::of("correct horse", &[8; 16]).unwrap());
        assert_eq!(format!("{hash:?}"), "PasswordHash");
    }

    #[test]
    fn the_dummy_hash_costs_the_same_and_matches_no_password() {
        let parsed = Parsed::new(NO_ONES).unwrap();
        let other = PasswordHash::of("correct horse", &[7; 16]).unwrap();
        assert_eq!(parsed.params, Parsed::new(&other.0).unwrap().params);
        assert!(parsed.hash.is_some() && !PasswordHash::of_no_one().is_of(""));
    }

    #[test]
    fn a_password_has_12_characters_of_any_kind() {
        check("zwölf Zeiche").unwrap();
        for wrong in ["elf Zeichen", &"x".repeat(1025)] {
            check(wrong).unwrap_err();
        }
    }
}
