//! Keys. The operator adds a data key, activates it, re-encrypts everything with it, and destroys the previous one.
//!
//! Each step is safe while other processes run. A new key is first only added, so that every process can decrypt with
//! it before it's used to encrypt. After the commit that activates it, nothing is stored under the previous key (the
//! vault's fence). The number of rows under the previous key can only decrease, and at zero the key is destroyed.

mod authenticate;
mod lifecycle;
mod reencrypt;
mod rows;

pub(crate) use authenticate::{authenticate_rows, rows_taken_until};
pub(crate) use lifecycle::activate;
pub(crate) use lifecycle::add;
pub(crate) use lifecycle::keep_up;
pub(crate) use lifecycle::list;
pub(crate) use lifecycle::retire;
pub(crate) use lifecycle::rewrap;
pub(crate) use reencrypt::reencrypt_all;
pub(crate) use reencrypt::{continue_reencryption, reencrypt};

use jiff::{SignedDuration, Timestamp};

use crate::{
    Error, ErrorKind, Result, context::Context, domain::DataKey, identifier::DataKeyId, resource,
    state::DataKeyState, store::Versioned,
};

/// How long a key is only added: two rounds of maintenance. Every process reads it in that time, and reports if it
/// can't decrypt it.
const STAGED: SignedDuration = SignedDuration::from_secs(60);
/// How long a report that a process can't decrypt a key counts. It's repeated in every round.
const HEARD: SignedDuration = SignedDuration::from_secs(90);

fn is_heard(said: Timestamp, now: Timestamp) -> bool {
    now.duration_since(said) < HEARD
}

/// When a key can be activated, while it waits for that.
fn activatable_at(key: &DataKey) -> Option<Timestamp> {
    let waits = key.state == DataKeyState::Added;
    waits.then(|| {
        key.created_at
            .saturating_add(STAGED)
            .unwrap_or(Timestamp::MAX)
    })
}

/// A key as the API shows it, with the number of its rows if they were counted.
fn view(key: &DataKey, now: Timestamp, rows: Option<u64>) -> resource::DataKey {
    let unopened = key.unopened_by.values();
    let unopened = unopened.filter(|said| is_heard(**said, now)).count();
    let unopened = u32::try_from(unopened).unwrap_or(u32::MAX);
    key.clone().shown(activatable_at(key), unopened, rows)
}

/// All data keys, with the index of the one with this ID.
async fn load(context: &Context, key_id: &str) -> Result<(Vec<Versioned<DataKey>>, usize)> {
    let all = context.store.data_keys().await?;
    let id = key_id.parse::<DataKeyId>().ok();
    let named = all.iter().position(|found| Some(found.row.id) == id);
    let named = named.ok_or_else(|| {
        Error::new(
            ErrorKind::NotFound,
            format!("this store has no data key with the id {key_id:?}"),
        )
    })?;
    Ok((all, named))
}

#[cfg(test)]
mod tests;
