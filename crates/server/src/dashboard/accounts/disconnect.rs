//! `GET` and `POST /dashboard/accounts/{connection_name}/{identifier}/disconnect`: disconnects an account, after a page
//! that lists the consequences.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead_core::resource::{DisconnectAccount, Disconnection, ReadAccount, Revocation};

use super::path;
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::{Path, Query},
    problem::Result,
};

pub(super) async fn show(
    page: Page,
    Path((connection_name, identifier)): Path<(String, String)>,
    query: Query,
) -> Result<Response> {
    query.end()?;
    let environment = &page.environment;
    let account = environment
        .send(ReadAccount::new(&connection_name, &identifier))
        .await?;
    let would_end = Disconnection::new().revoke_at_product(true).dry_run(true);
    let would_end = environment
        .send(DisconnectAccount::new(&connection_name, &identifier).how(would_end))
        .await?;
    let product = environment.catalogue().product(&account.product);
    let others: Vec<_> = would_end
        .also_ends
        .iter()
        .map(|other| {
            let (name, user) = (other.connection_name.as_str(), other.identifier.as_str());
            (name, user, path(name, user))
        })
        .collect();
    let context = context! {
        to => path(&connection_name, &identifier),
        title => product.map_or(account.product.as_str(), |product| product.title),
        can_revoke => would_end.revocation == Revocation::Requested,
        ends_other_grants => would_end.ends_other_grants,
        others => Serde(others),
        account => Serde(&account),
    };
    Ok(page.render("accounts/disconnect.html", context))
}

pub(super) async fn submit(
    page: Page,
    Path((connection_name, identifier)): Path<(String, String)>,
    form: Form,
) -> Result<Response> {
    let how = Disconnection::new().revoke_at_product(form.text("revoke_at_product").is_some());
    let ended = page
        .environment
        .send(DisconnectAccount::new(&connection_name, &identifier).how(how))
        .await?;
    let done = match ended.revocation {
        Revocation::Requested => Done::AccountRevoked,
        _ => Done::AccountDisconnected,
    };
    Ok(page.redirect_done(&path(&connection_name, &identifier), done))
}
