//! Accounts: who is connected, and how the application changes that.

mod disconnect;
mod list;
mod read;
mod refresh;
mod resume;
mod suspend;
pub(crate) mod tools;

pub(crate) use disconnect::disconnect;
pub(crate) use list::list;
pub(crate) use read::read;
pub(crate) use refresh::refresh;
pub(crate) use resume::resume;
pub(crate) use suspend::suspend;

use crate::{
    Result,
    context::Context,
    domain::{
        AccountRef,
        account::{Trigger, account_resource as view},
    },
    resource,
};

/// A transition that the application asked for. It goes on where the caller hangs up, so that memory and store agree.
async fn transition(
    context: &Context,
    of: &AccountRef,
    trigger: Trigger<'static>,
) -> Result<resource::Account> {
    let (connection, account) = context.account_rows(of).await?;
    let id = account.row.id;
    let changed = context
        .detached(move |context| async move {
            let now = context.now();
            context
                .change_account(id, |account| account.row.on(trigger, now))
                .await
        })
        .await??;
    Ok(view(&connection.row, changed))
}
