//! Reads credentials: one by its client ID, or a page of them.

use super::row;
use crate::{
    Result,
    context::Context,
    resource::{self, ListAppCredentials, Page, ReadAppCredential},
};

/// A credential.
pub(crate) async fn read(
    context: &Context,
    read: ReadAppCredential,
) -> Result<resource::AppCredential> {
    let client_id = read.client_id.as_str();
    let found = row(context, client_id).await?;
    Ok(found.row.shown_at(context.host.now()))
}

/// Credentials in the order of their creation. A page can have fewer than `page_size` items even if more follow.
pub(crate) async fn list(
    context: &Context,
    list: ListAppCredentials,
) -> Result<Page<resource::AppCredential>> {
    let (after, limit) = (list.page.token.as_deref(), list.page.limit());
    let rows = context.store.app_credentials(after, limit).await?;
    let next = list.page.next(&rows, |row| row.client_id.clone());
    let now = context.host.now();
    let rows = rows.into_iter().map(|found| found.row);
    let seen = rows.filter(|row| context.sees_credential(row));
    Ok(Page::new(seen.map(|row| row.shown_at(now)).collect(), next))
}
