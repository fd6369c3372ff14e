//! `POST /dashboard/connections/{connection_name}/test/disconnect`: disconnects the member's test account.

use axum::response::Response;
use stead_core::resource::{DisconnectAccount, Disconnection};

use super::{identifier, path};
use crate::{
    dashboard::{done::Done, form::Form, page::Page, session::SignedIn},
    extract::Path,
    problem::Result,
};

pub(super) async fn disconnect(
    page: Page,
    member: SignedIn,
    Path(name): Path<String>,
    _: Form,
) -> Result<Response> {
    let identifier = identifier(&member);
    let how = Disconnection::new();
    page.environment
        .send(DisconnectAccount::new(&name, &identifier).how(how))
        .await?;
    Ok(page.redirect_done(&path(&name), Done::TestAccountDisconnected))
}
