//! `GET` and `POST /dashboard/connections/{connection_name}/delete`: deletes a connection, after a page that lists the
//! consequences.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::resource::{AccountFilter, AccountState, DeleteConnection, ReadConnection};

use crate::{
    dashboard::{account_states::accounts, done::Done, form::Form, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn show(page: Page, Path(name): Path<String>) -> Result<Response> {
    let connection = page.environment.send(ReadConnection::new(&name)).await?;
    let mut filter = AccountFilter::default();
    filter.connection_name = Some(name);
    let (found, more) = accounts(&page.environment, &filter).await?;
    let hold_tokens = |state| {
        use AccountState::{Active, NeedsReauthorization, PendingVerification, Suspended};
        [Active, NeedsReauthorization, PendingVerification, Suspended].contains(&state)
    };
    let live = found.iter().filter(|account| hold_tokens(account.state));
    let context = context! {
        live => live.count(),
        accounts => found.len(),
        more => more,
        connection => Serde(&connection),
    };
    Ok(page.render("connections/delete.html", context))
}

pub(super) async fn submit(page: Page, Path(name): Path<String>, _: Form) -> Result<Response> {
    page.environment.send(DeleteConnection::new(&name)).await?;
    Ok(page.redirect_done("/dashboard/connections", Done::ConnectionDeleted))
}
