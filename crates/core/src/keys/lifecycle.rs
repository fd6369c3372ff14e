//! A key is added, activated, rewrapped and retired, and its rows are counted.

use super::{activatable_at, is_heard, load, rows::usage, view};
use crate::{
    Result,
    context::{Context, change::Change},
    domain::{DataKey, data_key::Trigger},
    resource::{self, ActivateKey, AddKey, ListKeys, RetireKey, RewrapKeys},
    state::DataKeyState,
    store::Versioned,
};

/// Adds a data key under the first key of the key ring.
pub(crate) async fn add(context: &Context, _: AddKey) -> Result<resource::DataKey> {
    let added = context
        .change(
            "keys.add",
            || async {
                let (id, now) = (context.host.new_id(), context.store.now().await?);
                context.store.vault.new_data_key(id, now)
            },
            |key| {
                let change = told(Change::none(), &key, "key.added");
                Ok((change.insert(key.clone()), key))
            },
        )
        .await?;
    context.store.vault.reload().await?;
    Ok(view(&added, added.created_at, None))
}

/// The keys. With `count_rows`, also the number of rows that each has encrypted, which reads every row with a secret.
pub(crate) async fn list(context: &Context, list: ListKeys) -> Result<resource::Keys> {
    let count_rows = list.count.count_rows;
    context.store.vault.reload().await?;
    let keys = context.store.data_keys().await?;
    let ids: Vec<_> = keys.iter().map(|found| found.row.id).collect();
    let usage = match count_rows {
        true => usage(context, &ids).await?,
        false => Default::default(),
    };
    let job = context.store.reencryption_job().await?;
    let views = keys.iter().map(|found| {
        let rows = usage.get(&found.row.id).copied();
        view(&found.row, found.read_at, rows)
    });
    Ok(resource::Keys {
        ring: context.store.vault.ring(),
        data_keys: views.collect(),
        reencryption: job.map(|found| found.row.reached.shown()),
    })
}

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
    let change = told(Change::none(), &active, "key.activated");
    let mut change = change.update(active.clone(), named.version);
    // If two activations run at the same time, the later one conflicts with a row that the earlier one has changed.
    for other in keys.iter().filter(|other| other.row.id != key.id) {
        if let Some(replaced) = other.row.on(Trigger::Replaced, now)? {
            change = change.update(replaced, other.version);
        }
    }
    Ok((change, active))
}

/// Whether a key can be activated: every process has had time to read it, and no process reports that it can't
/// decrypt it.
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

/// Re-encrypts all data keys with the first key of the key ring. The data that they encrypted stays unchanged.
pub(crate) async fn rewrap(context: &Context, _: RewrapKeys) -> Result<resource::Keys> {
    context
        .change(
            "keys.rewrap",
            || async {
                let mut rewrapped = Vec::new();
                for found in context.store.data_keys().await? {
                    let key = context.store.vault.wrap_again(&found.row)?;
                    rewrapped.extend(key.map(|key| (key, found.version)));
                }
                Ok(rewrapped)
            },
            |rewrapped| {
                let change = Change::none();
                let change = rewrapped
                    .into_iter()
                    .fold(change, |change, (key, version)| {
                        told(change, &key, "key.rewrapped").update(key, version)
                    });
                Ok((change, ()))
            },
        )
        .await?;
    context.store.vault.reload().await?;
    list(context, ListKeys::new()).await
}

/// The change with an event and an audit entry about a key.
fn told(change: Change, key: &DataKey, name: &'static str) -> Change {
    change.event(key.event(name)).audit(key.audit(name))
}

/// Destroys a data key if no row of the store and no record of the spool is encrypted with it. Backups still are. They
/// can be decrypted with the key of the key ring that encrypted this data key.
pub(crate) async fn retire(context: &Context, retire: RetireKey) -> Result<resource::DataKey> {
    let key_id = retire.key_id.as_str();
    let (retired, now) = context
        .change(
            "keys.retire",
            || async {
                let (mut keys, named) = load(context, key_id).await?;
                let found = keys.swap_remove(named);
                // The key was replaced before this count, so nothing can be encrypted with it afterwards.
                let usage = usage(context, &[found.row.id]).await?;
                Ok((found, usage))
            },
            |(found, usage)| {
                let retired = found.row.on(Trigger::Retired, found.read_at)?;
                let Some(retired) = retired else {
                    return Ok((Change::none(), (found.row, found.read_at)));
                };
                let rows = usage.values().sum::<u64>();
                if rows > 0 {
                    let why = format!(
                        "{rows} rows are still encrypted with it; re-encrypt them first (`stead keys reencrypt`)"
                    );
                    return Err(found.row.refused(&why));
                }
                let change = told(Change::none(), &retired, "key.retired");
                let change = change.update(retired.clone(), found.version);
                Ok((change, (retired, found.read_at)))
            },
        )
        .await?;
    context.store.vault.reload().await?;
    Ok(view(&retired, now, None))
}

/// Reads the data keys again. If this process can't decrypt an added key, it records that in the key's row, so that the
/// key isn't activated.
pub(crate) async fn keep_up(context: &Context) -> Result<()> {
    context.store.vault.reload().await?;
    let unopened = context.store.vault.unopened();
    if unopened.is_empty() {
        return Ok(());
    }
    context
        .change(
            "keys.unopened",
            || context.store.data_keys(),
            |keys| {
                let mut change = Change::none();
                for mut found in keys {
                    if found.row.state == DataKeyState::Added && unopened.contains(&found.row.id) {
                        let said = &mut found.row.unopened_by;
                        said.insert(context.host.process, found.read_at);
                        change = change.update(found.row, found.version);
                    }
                }
                Ok((change, ()))
            },
        )
        .await
}
