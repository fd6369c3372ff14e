//! Lists connections by name.

use super::view;
use crate::{
    Result,
    context::Context,
    resource::{self, Page},
};

/// Connections by name.
///
/// # Errors
/// [`ErrorKind::StorageUnavailable`].
pub(crate) async fn list(
    context: &Context,
    page_token: Option<&str>,
    page_size: u32,
) -> Result<Page<resource::Connection>> {
    let limit = page_size.clamp(1, 100);
    let rows = context.store.connections(page_token, limit).await?;
    let next_page_token = (rows.len() == limit as usize)
        .then(|| rows.last().map(|row| row.row.name.to_string()))
        .flatten();
    Ok(Page {
        items: rows.iter().map(|row| view(context, &row.row)).collect(),
        next_page_token,
    })
}
