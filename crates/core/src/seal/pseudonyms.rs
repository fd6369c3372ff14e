//! Pseudonyms of users: keyed digests. Only someone with the key can compare them with a name.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{KEY_BYTES, Vault};
use crate::{
    Error, ErrorKind, Result,
    domain::Secret,
    identifier::ConnectionId,
    ports::{Entropy, Runtime},
    sealed::place,
    store::{Batch, Commit, Records},
};

/// Name of the key among the secrets of the deployment.
const NAME: &str = "pseudonyms";
/// Prefix of every pseudonym.
const PREFIX: &str = "erased:";
/// Bytes of the digest that a pseudonym shows.
const SHOWN: usize = 16;

/// Computes the pseudonyms of one deployment.
pub(crate) struct Pseudonyms(Zeroizing<Vec<u8>>);

impl Pseudonyms {
    /// With the deployment's key, which is created if there is none.
    pub(crate) async fn open(
        vault: &Vault,
        store: &Records,
        runtime: &dyn Runtime,
        entropy: &dyn Entropy,
    ) -> Result<Self> {
        let place = place::DeploymentSecret(NAME.to_owned());
        loop {
            let fence = vault.fence();
            if let Some(found) = store.secret(NAME).await? {
                return Ok(Self(vault.open(&place, &found.row.sealed).await?));
            }
            let mut key = Zeroizing::new([0; KEY_BYTES]);
            entropy.fill(key.as_mut_slice());
            let secret = Secret {
                name: NAME.to_owned(),
                sealed: vault.seal(&place, key.as_slice())?,
                created_at: runtime.now(),
                extra: Default::default(),
            };
            let (batch, _) = fence.guard(Batch::new().insert(secret));
            // A conflict means that another process was first, so both use its key.
            if store.commit(batch).await? == Commit::Conflict {
                vault.reload().await?;
            }
        }
    }

    fn digest(&self) -> Result<Hmac<Sha256>> {
        Hmac::<Sha256>::new_from_slice(&self.0)
            .map_err(|_| Error::new(ErrorKind::KeyUnavailable, "the key for pseudonyms is empty"))
    }

    /// An ID for the combination of these texts.
    pub(crate) fn id_of(&self, texts: &[&str]) -> Result<Uuid> {
        let mut digest = self.digest()?;
        digest.update(b"id");
        for text in texts {
            digest.update(&(text.len() as u64).to_be_bytes());
            digest.update(text.as_bytes());
        }
        let digest = digest.finalize().into_bytes();
        let mut bytes = [0; 16];
        for (to, from) in bytes.iter_mut().zip(digest) {
            *to = from;
        }
        Ok(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// The pseudonym of a user of a connection.
    pub(crate) fn of(&self, connection: ConnectionId, identifier: &str) -> Result<String> {
        let mut digest = self.digest()?;
        digest.update(connection.uuid().as_bytes());
        digest.update(identifier.as_bytes());
        let digest = digest.finalize().into_bytes();
        let shown = digest.get(..SHOWN).unwrap_or_default();
        Ok(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(shown)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{STABLE, World, always, context};

    #[test]
    fn a_pseudonym_is_stable_and_says_nothing_without_the_key() {
        let world = World::new();
        let context = context(&world, &STABLE, always(200, ""));
        let open = || {
            let (vault, store) = (&context.store.vault, &context.store);
            let (runtime, entropy) = (context.host.runtime.as_ref(), context.host.entropy.as_ref());
            world.ok(Pseudonyms::open(vault, store, runtime, entropy))
        };
        let [one, other] = [1, 2].map(|number| ConnectionId::from_uuid(Uuid::from_u128(number)));
        let (first, again) = (open(), open());
        let pseudonym = first.of(one, "ada").unwrap();
        assert_eq!(pseudonym, again.of(one, "ada").unwrap());
        assert_eq!(pseudonym.len(), PREFIX.len() + 22);
        assert!(pseudonym.starts_with(PREFIX));
        for different in [
            first.of(one, "grace"),
            first.of(other, "ada"),
            Pseudonyms(Zeroizing::new(vec![7; KEY_BYTES])).of(one, "ada"),
        ] {
            assert_ne!(pseudonym, different.unwrap());
        }
    }
}
