//! Reads credentials: one by its client ID, or a page of them.

use jiff::Timestamp;

use super::row;
use crate::{
    Result,
    context::Context,
    domain::AppCredential,
    resource::{self, AppSecret, ListAppCredentials, Page, ReadAppCredential},
};

/// A credential.
pub(crate) async fn read(
    context: &Context,
    read: ReadAppCredential,
) -> Result<resource::AppCredential> {
    let client_id = read.client_id.as_str();
    Ok(view(&row(context, client_id).await?.row, context.now()))
}

/// Credentials in the order of their creation. A page can have fewer than `page_size` items even if more follow.
pub(crate) async fn list(
    context: &Context,
    list: ListAppCredentials,
) -> Result<Page<resource::AppCredential>> {
    let (page_token, page_size) = (list.page.token.as_deref(), list.page.size);
    let limit = page_size.clamp(1, 100);
    let rows = context.store.app_credentials(page_token, limit).await?;
    let next_page_token = (rows.len() == limit as usize)
        .then(|| rows.last().map(|row| row.row.client_id.clone()))
        .flatten();
    let now = context.now();
    let seen = rows.iter().filter(|row| context.sees_credential(&row.row));
    let items = seen.map(|row| view(&row.row, now)).collect();
    Ok(Page::new(items, next_page_token))
}

/// A credential for display. It contains nothing that gives access.
pub(super) fn view(row: &AppCredential, now: Timestamp) -> resource::AppCredential {
    let secrets = row.live_secrets(now);
    resource::AppCredential {
        client_id: row.client_id.clone(),
        name: row.name.clone(),
        scopes: row.scopes(),
        rate_per_minute: row.rate_per_minute,
        connections: row.connections.to_texts(),
        policy: row.policy.clone(),
        created_at: row.created_at,
        expires_at: row.expires_at,
        last_used_at: secrets
            .iter()
            .filter_map(|secret| secret.last_used_at)
            .max(),
        secrets: secrets
            .into_iter()
            .map(|secret| AppSecret {
                secret_id: secret.id,
                ends_with: secret.ends_with,
                created_at: secret.created_at,
                expires_at: secret.expires_at,
                last_used_at: secret.last_used_at,
            })
            .collect(),
    }
}
