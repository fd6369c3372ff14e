//! `POST /dashboard/accounts/{connection_name}/{identifier}/link`: a link for a user, shown once, also as a QR code.

use axum::response::Response;
use minijinja::{context, value::Serde};
use stead::Error;
use stead_core::{
    environment::Verification,
    resource::{AccountState, NewAuthorizationLink, ReadAccount},
};

use super::{path, qr::QrCode};
use crate::{
    dashboard::{form::Form, format::segment, page::Page},
    extract::Path,
    problem::Result,
};

/// The lifetime of a link that a member passes on: an hour.
const LIFE: u32 = 3_600;

pub(super) async fn create(
    page: Page,
    Path((connection_name, identifier)): Path<(String, String)>,
    _: Form,
) -> Result<Response> {
    if page.environment.needs_verify_url() {
        return Ok(page.redirect(&ask(&connection_name, &identifier)));
    }
    let new = NewAuthorizationLink::new(connection_name, identifier);
    Ok(show(&page, new).await?)
}

/// The form for a link of this user, with all fields of a link.
pub(super) fn ask(connection_name: &str, identifier: &str) -> String {
    let [connection_name, identifier] = [connection_name, identifier].map(segment);
    format!("/dashboard/accounts/connect?connection_name={connection_name}&identifier={identifier}")
}

/// The page with a new link. It's the response to the form, so no address contains the link.
pub(super) async fn show(page: &Page, mut new: NewAuthorizationLink) -> Result<Response, Error> {
    let environment = &page.environment;
    new.expires_in = Some(LIFE);
    let (connection_name, identifier) = (new.connection_name.clone(), new.identifier.clone());
    let made = environment.send(new).await?;
    let account = environment
        .send(ReadAccount::new(&connection_name, &identifier))
        .await?;
    let product = environment.catalogue().product(&account.product);
    let context = context! {
        to => path(&connection_name, &identifier),
        title => product.map_or(account.product.as_str(), |product| product.title),
        // The application must confirm the user.
        is_verified => environment.verification() == Verification::Application,
        works => account.state == AccountState::Active,
        qr => Serde(QrCode::of(&made.link)),
        link => made.link,
        expires_at => made.expires_at.to_string(),
        account => Serde(account),
    };
    Ok(page.render("accounts/link.html", context))
}
