//! Reads one connection.

use super::view;
use crate::{Result, context::Context, resource};

/// A connection.
///
/// # Errors
/// [`ErrorKind::UnknownConnection`].
pub(crate) async fn read(context: &Context, name: &str) -> Result<resource::Connection> {
    Ok(view(context, &context.connection_row(name).await?.row))
}
