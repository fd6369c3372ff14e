//! Makes a data key the active one.

use super::{activatable_at, is_heard, load, view};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::{DataKey, data_key::Trigger},
    resource::{self, ActivateKey},
    state::DataKeyState,
    store::Versioned,
};

/// Makes a data key the active one. Stead then uses the previous one only to decrypt. Unless `at_once`, an added key
/// can't be activated before every process has had time to decrypt it.
pub(crate) async fn activate(
    context: &Context,
    ActivateKey { key_id, how }: ActivateKey,
) -> Result<resource::DataKey> {
    let (key_id, at_once) = (key_id.as_str(), how.at_once);
    let active = context
        .change(
            "keys.activate",
            || load(context, key_id),
            |(keys, named)| decide(&keys, named, at_once),
        )
        .await?;
    context.store.vault.reload().await?;
    let now = context.store.now().await?;
    Ok(view(&active, now, None))
}

fn decide(keys: &[Versioned<DataKey>], named: usize, at_once: bool) -> Result<(Change, DataKey)> {
    let named = &keys[named];
    let (key, now) = (&named.row, named.read_at);
    if !at_once {
        staged(named)?;
    }
    let Some(active) = key.on(Trigger::Activated, now)? else {
        return Ok((Change::none(), key.clone()));
    };
    let mut change = Change::none()
        .event(active.event("key.activated"))
        .audit(active.audit("key.activated"))
        .update(active.clone(), named.version);
    // If two activations run at the same time, the later one conflicts with a row that the earlier one has changed.
    for other in keys.iter().filter(|other| other.row.id != key.id) {
        if let Some(replaced) = other.row.on(Trigger::Replaced, now)? {
            change = change.update(replaced, other.version);
        }
    }
    Ok((change, active))
}

/// Whether every process has had time to read a key, and none has reported that it can't decrypt it.
fn staged(found: &Versioned<DataKey>) -> Result<()> {
    let (key, now) = (&found.row, found.read_at);
    if let Some(from) = activatable_at(key).filter(|from| now < *from) {
        let why = format!("you can activate it from {from:.0} on, when every process has read it");
        return Err(key.refused(&why));
    }
    let unopened = key.unopened_by.values().any(|said| is_heard(*said, now));
    if key.state == DataKeyState::Added && unopened {
        let why = format!(
            "it is encrypted with the key {:?} of the key ring, which a running process doesn't have; give that key to every process first",
            key.ring_key
        );
        return Err(key.refused(&why));
    }
    Ok(())
}
