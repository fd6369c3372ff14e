//! `POST /dashboard/connections/{connection_name}/test/start`: creates a link for the member and opens it. It leads
//! back to the page of the test, whatever the outcome.

use axum::response::Response;
use stead_core::resource::NewAuthorizationLink;

use super::{identifier, path};
use crate::{
    dashboard::{form::Form, page::Page, session::SignedIn},
    extract::Path,
    problem::Result,
    state::address,
};

pub(super) async fn start(
    page: Page,
    member: SignedIn,
    Path(name): Path<String>,
    _: Form,
) -> Result<Response> {
    let mut new = NewAuthorizationLink::new(&name, identifier(&member));
    new.verify_url = Some(address(&page.environment, &path(&name)));
    new.allow_account_switch = Some(true);
    let link = page.environment.send(new).await?;
    Ok(page.redirect(&link.link))
}
