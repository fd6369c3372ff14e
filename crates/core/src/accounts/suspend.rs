//! Suspends and resumes an account.

use crate::{
    Result,
    context::{Context, account_view, change::Change},
    domain::{Account, AccountRef, account::Trigger},
    resource::{self, ResumeAccount, SuspendAccount},
    store::Versioned,
};

/// Suspends an account and keeps its credential.
pub(crate) async fn suspend(
    context: &Context,
    suspend: SuspendAccount,
) -> Result<resource::Account> {
    let of = &AccountRef::new(&suspend.connection_name, &suspend.identifier)?;
    transition(context, of, Trigger::Suspended).await
}

/// Resumes an account.
pub(crate) async fn resume(context: &Context, resume: ResumeAccount) -> Result<resource::Account> {
    let of = &AccountRef::new(&resume.connection_name, &resume.identifier)?;
    transition(context, of, Trigger::Resumed).await
}

/// Continues if the caller disconnects, so that memory and store agree.
async fn transition(
    context: &Context,
    of: &AccountRef,
    trigger: Trigger<'static>,
) -> Result<resource::Account> {
    let (connection, account) = context.account_rows(of).await?;
    let id = account.row.id;
    let connection_name = connection.row.name.clone();
    let changed = context
        .detached(move |context| async move {
            let now = context.host.now();
            context
                .change(
                    "account.suspend",
                    || context.existing_account(id),
                    |account: Versioned<Account>| {
                        let Some((after, Some(event))) = account.row.on(trigger, now)? else {
                            return Ok((Change::none(), account.row));
                        };
                        let change = Change::none()
                            .audit(after.audit(event, &connection_name))
                            .account(
                                Some((after.clone(), Some(event))),
                                account.row.state,
                                account.version,
                            );
                        Ok((change, after))
                    },
                )
                .await
        })
        .await??;
    Ok(account_view(&connection.row, changed))
}
