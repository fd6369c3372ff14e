//! `GET` and `POST /dashboard/connections/{connection_name}/delete`: what ends with a connection, and its end.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead::core::resource::{AccountFilter, AccountState};

use super::path_of;
use crate::{
    dashboard::{account_states::accounts, done::Done, form::Form, page::Page, session::SignedIn},
    extract::Path,
    problem::Result,
};

pub(super) async fn show(
    page: Page,
    member: SignedIn,
    Path(name): Path<String>,
) -> Result<Response> {
    let connection = page.environment.connection(&name).await?;
    if let Some(first) = page.step_up_first(&member, &here(&name)) {
        return Ok(first);
    }
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

pub(super) async fn submit(
    page: Page,
    member: SignedIn,
    Path(name): Path<String>,
    _: Form,
) -> Result<Response> {
    if let Some(first) = page.step_up_first(&member, &here(&name)) {
        return Ok(first);
    }
    page.environment.delete_connection(&name).await?;
    Ok(page.redirect_done("/dashboard/connections", Done::ConnectionDeleted))
}

fn here(name: &str) -> String {
    format!("{}/delete", path_of(name))
}
