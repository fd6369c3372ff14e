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
    let rows = rows(context, list.page.token.as_deref(), list.page.limit()).await?;
    let next = list.page.next(&rows, |row| row.name.clone());
    let items = rows.iter().map(|row| view(context, &row.row)).collect();
    Ok(Page::new(items, next))
}

/// Returns the connections that the caller can see, whatever the page token says.
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
    // If this build doesn't have the product, the connection is shown without permissions.
    let takes_permissions = context
        .products
        .endpoints(&row.product)
        .is_ok_and(|endpoints| endpoints.product.oauth.permissions != Permissions::None);
    let redirect_uri = context.site.redirect_uri(row.id);
    row.clone().shown(takes_permissions, redirect_uri)
}
