//! Disconnects an account, and optionally erases its user's name.

use super::erase;
use crate::{
    Result,
    caller::Caller,
    context::{
        Context,
        change::{Change, Shredded},
    },
    domain::{Account, AccountRef, Connection, Erasure, account::Trigger, erasure::erasure},
    identifier::AccountId,
    oauth,
    resource::{AlsoEnded, DisconnectAccount, Disconnected, Disconnection, Revocation},
    store::Versioned,
};

/// Disconnects an account, and shreds its credentials immediately. With `revoke_at_product`, Stead then revokes the
/// grant at the product, and retries if the product doesn't respond. If that revokes all grants of the user to the
/// project, the result lists the accounts that stop working. Each of them needs a new authorization once the product
/// has done it. With `erase`, Stead deletes the account and every name of the user. A dry run only returns what would
/// be disconnected.
pub(crate) async fn disconnect(
    context: &Context,
    disconnect: DisconnectAccount,
) -> Result<Disconnected> {
    let of = &AccountRef::new(&disconnect.connection_name, &disconnect.identifier)?;
    let how = disconnect.how;
    let pseudonym = match how.erase && !how.dry_run {
        true => Some(erase::pseudonym(context, of).await?),
        false => None,
    };
    let found = context.account_rows(of).await;
    let (connection, account) = match (found, &pseudonym) {
        (Ok(found), _) => found,
        (Err(error), Some(pseudonym)) => return erase::again(context, pseudonym, error).await,
        (Err(error), None) => return Err(error),
    };
    let ends_grant = context
        .endpoints_of(&connection.row)
        .is_ok_and(|endpoints| endpoints.product.oauth.revocation_ends_grant);
    let (id, identifier) = (account.row.id, account.row.identifier.clone());
    let also_ends = if how.revoke_at_product {
        oauth::shares_grant(context, &connection.row, &account.row).await?
    } else {
        Vec::new()
    };
    let also_ended: Vec<AccountId> = also_ends.iter().map(|other| other.id).collect();
    let told = move |caller: &Caller, asked: bool, erasure| Disconnected {
        revocation: match (how.revoke_at_product, asked) {
            (false, _) => Revocation::None,
            (true, true) => Revocation::Requested,
            (true, false) => Revocation::NotPossible,
        },
        ends_other_grants: asked && ends_grant,
        also_ends: also_ends
            .into_iter()
            .filter(|other| asked && caller.sees(other.connection_name.as_str()))
            .map(|other| AlsoEnded {
                connection_name: other.connection_name,
                identifier: other.identifier,
            })
            .collect(),
        erasure,
    };
    if how.dry_run {
        let loaded = load(context, id, how, &also_ended, None).await?;
        return Ok(told(&context.caller, is_asked(&loaded.1), None));
    }
    context
        .detached(move |context| async move {
            context.store.remove_unreadable_credentials(id).await?;
            if pseudonym.is_some() {
                erase::sessions(&context, &identifier).await?;
            }
            let asked = context
                .change(
                    "account.disconnect",
                    || load(&context, id, how, &also_ended, pseudonym.as_deref()),
                    |loaded| decide(&context, &connection.row, loaded, how, pseudonym.as_ref()),
                )
                .await?;
            if how.revoke_at_product {
                oauth::work_off_outbox(&context);
            }
            let erasure = match &pseudonym {
                Some(pseudonym) => Some(erase::first_pass(&context, pseudonym).await),
                None => None,
            };
            Ok(told(&context.caller, asked, erasure))
        })
        .await?
}

type Loaded = (
    Versioned<Account>,
    Vec<Shredded>,
    Option<Versioned<Erasure>>,
);

/// An account with its live credentials, each with its revocation if requested, and the record of an earlier erased
/// account of the same user.
async fn load(
    context: &Context,
    id: AccountId,
    how: Disconnection,
    also_ends: &[AccountId],
    pseudonym: Option<&str>,
) -> Result<Loaded> {
    let account = context.existing_account(id).await?;
    let mut credentials = Vec::new();
    for credential in context.store.credentials(id).await? {
        let revocation = if how.revoke_at_product {
            oauth::revocation(context, &account.row, &credential.row, also_ends).await?
        } else {
            None
        };
        credentials.push((credential, revocation));
    }
    let erased = match pseudonym {
        Some(pseudonym) => context.store.erasure(pseudonym).await?,
        None => None,
    };
    Ok((account, credentials, erased))
}

/// Whether the product will be asked to revoke something.
fn is_asked(credentials: &[Shredded]) -> bool {
    credentials.iter().any(|(_, entry)| entry.is_some())
}

/// The change, and whether the product will be asked to revoke something.
fn decide(
    context: &Context,
    connection: &Connection,
    (account, credentials, erased): Loaded,
    how: Disconnection,
    pseudonym: Option<&String>,
) -> Result<(Change, bool)> {
    let Versioned { row, version, .. } = account;
    let asked = is_asked(&credentials);
    let action = if pseudonym.is_some() {
        "account.erased"
    } else {
        "account.disconnected"
    };
    let audit = row.audit(action, &connection.name);
    let change = Change::none()
        .shred(credentials)
        .audit(audit.fact("revocation_requested", asked));
    let Some(pseudonym) = pseudonym else {
        let trigger = Trigger::Disconnected {
            revoke: how.revoke_at_product,
        };
        let disconnected = row.on(trigger, context.host.now())?;
        return Ok((change.account(disconnected, row.state, version), asked));
    };
    let (before, present) = match erased {
        Some(found) => (Some(found.row), Some(found.version)),
        None => (None, None),
    };
    let left = erasure(
        connection,
        &row,
        pseudonym.clone(),
        before,
        context.host.now(),
    );
    let change = change.delete_account(&row, version, left.event(row.id));
    let change = match present {
        Some(present) => change.update(left, present),
        None => change.insert(left),
    };
    Ok((change, asked))
}
