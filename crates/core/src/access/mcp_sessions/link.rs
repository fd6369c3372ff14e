//! The link that an MCP session shows its user.

use super::own;
use crate::{Result, context::Context, resource::NewAuthorizationLink, scope::ScopeName};

/// The request for a link: for the session's own user, who returns to the URL that the session's creator chose.
pub(crate) fn new_link(
    context: &Context,
    connection_name: &str,
    scopes: Option<Vec<String>>,
) -> Result<NewAuthorizationLink> {
    let session = own(context)?;
    context.caller.check(ScopeName::LinksCreate)?;
    Ok(NewAuthorizationLink {
        verify_url: session.verify_url.clone(),
        scopes,
        ..NewAuthorizationLink::new(connection_name, session.identifier.as_str())
    })
}
