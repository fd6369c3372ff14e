//! Reads connections: one by its name, or a page of them.

use crate::{
    Result,
    context::Context,
    domain::Connection,
    product::Permissions,
    resource::{self, ListConnections, Page, ReadConnection},
    store::Versioned,
};

/// A connection.
pub(crate) async fn read(context: &Context, read: ReadConnection) -> Result<resource::Connection> {
    let name = read.connection_name.as_str();
    Ok(view(context, &context.connection_row(name).await?.row))
}

/// Connections by name.
pub(crate) async fn list(
    context: &Context,
    list: ListConnections,
) -> Result<Page<resource::Connection>> {
    let (page_token, page_size) = (list.page.token.as_deref(), list.page.size);
    let limit = page_size.clamp(1, 100);
    let rows = rows(context, page_token, limit).await?;
    let next_page_token = (rows.len() == limit as usize)
        .then(|| rows.last().map(|row| row.row.name.to_string()))
        .flatten();
    let items = rows.iter().map(|row| view(context, &row.row)).collect();
    Ok(Page::new(items, next_page_token))
}

/// Those that the caller may know of; a page token names no other.
async fn rows(
    context: &Context,
    after: Option<&str>,
    limit: u32,
) -> Result<Vec<Versioned<Connection>>> {
    let Some(names) = context.caller.connections().names() else {
        return context.store.connections(after, limit).await;
    };
    let mut rows = Vec::new();
    for name in names.filter(|name| after.is_none_or(|after| name.as_str() > after)) {
        if rows.len() == limit as usize {
            break;
        }
        rows.extend(context.store.connection_named(name).await?);
    }
    Ok(rows)
}

pub(super) fn view(context: &Context, row: &Connection) -> resource::Connection {
    // A product that is not there any more is shown as it was.
    let takes_permissions = context
        .endpoints(&row.product)
        .is_ok_and(|endpoints| endpoints.product.oauth.permissions != Permissions::None);
    resource::Connection {
        id: row.id,
        connection_name: row.name.clone(),
        product: row.product.clone(),
        state: row.state,
        health: row.health,
        client_id: row.client_id.clone(),
        has_client_secret: row.client_secret.is_some(),
        permissions: takes_permissions.then(|| row.permissions.clone()),
        settings: row.settings.clone(),
        redirect_uri: context.redirect_uri(row.id),
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}
