//! Keys: the operator adds a data key, lets it seal, seals everything again with it, and destroys the one before.
//!
//! Each step holds while other processes run. A key is added so that every process can open with it before one seals
//! with it; from the commit that activates it on, nothing more is stored under the one before (the vault's fence); so the
//! number of rows under that one only falls, and at none it is destroyed.

mod activate;
mod add;
mod authenticate;
mod keep_up;
mod list;
mod reencrypt;
mod retire;
mod rewrap;
mod sealed_tables;
mod start_reencrypt;
mod usage;

pub(crate) use activate::activate;
pub(crate) use add::add;
pub(crate) use authenticate::{authenticate_rows, rows_taken_until};
pub(crate) use keep_up::keep_up;
pub(crate) use list::list;
pub(crate) use reencrypt::reencrypt;
pub(crate) use retire::retire;
pub(crate) use rewrap::rewrap;
pub(crate) use start_reencrypt::{continue_reencryption, start_reencrypt};

use jiff::{SignedDuration, Timestamp};

use crate::{
    Error, ErrorKind, Result, context::Context, domain::DataKey, identifier::DataKeyId, resource,
    state::DataKeyState, store::Versioned,
};

/// How long a key is only added: two rounds of maintenance, in which every process reads it, and one that cannot open it
/// says so.
const STAGED: SignedDuration = SignedDuration::from_secs(60);
/// How long the word of a process that it cannot open a key counts; it is repeated in every round.
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

fn view(key: &DataKey, now: Timestamp) -> resource::DataKey {
    let unopened = key.unopened_by.values();
    let unopened = unopened.filter(|said| is_heard(**said, now)).count();
    resource::DataKey {
        key_id: key.id.to_string(),
        state: key.state,
        ring_key: key.ring_key.clone(),
        created_at: key.created_at,
        activatable_at: activatable_at(key),
        activated_at: key.activated_at,
        retired_at: key.retired_at,
        unopened_by: u32::try_from(unopened).unwrap_or(u32::MAX),
        rows: None,
    }
}

/// All data keys, with the one that an id names.
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
