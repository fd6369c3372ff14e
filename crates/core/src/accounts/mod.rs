//! Accounts, and how applications change them.

mod disconnect;
mod erase;
mod export;
pub(crate) mod import;
mod list;
mod suspend;
pub(crate) mod tools;

pub(crate) use disconnect::disconnect;
pub(crate) use erase::continue_erasures;
pub(crate) use export::export;
pub(crate) use list::list;
pub(crate) use suspend::{resume, suspend};

use crate::{
    Result,
    context::{Context, account_view},
    domain::AccountRef,
    oauth, resource,
    resource::{ReadAccount, RefreshAccount},
};

/// The account of a user.
pub(crate) async fn read(context: &Context, read: ReadAccount) -> Result<resource::Account> {
    let of = &AccountRef::new(&read.connection_name, &read.identifier)?;
    let (connection, account) = context.account_rows(of).await?;
    Ok(account_view(&connection.row, account.row))
}

/// Refreshes an account's credential now.
pub(crate) async fn refresh(
    context: &Context,
    refresh: RefreshAccount,
) -> Result<resource::Account> {
    let of = &AccountRef::new(&refresh.connection_name, &refresh.identifier)?;
    let snapshot = context.reload(of).await?;
    snapshot.usable()?;
    let renewed = oauth::refresh_now(context, &snapshot, oauth::RefreshReason::Asked).await?;
    Ok(account_view(&renewed.connection, renewed.account.clone()))
}
