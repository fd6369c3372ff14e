//! `/dashboard/you`: a member's own password and second factor.

use axum::response::Response;
use minijinja::{Value, context};
use secrecy::ExposeSecret as _;
use stead_core::resource::{ReadMember, SignInMethod};

use super::refused;
use crate::{
    dashboard::{form::Form, page::Page, session::SignedIn},
    problem::Result,
};

pub(super) const PATH: &str = "/dashboard/you";
const TEMPLATE: &str = "sign_in/own.html";

pub(super) async fn show(page: Page, member: SignedIn) -> Result<Response> {
    let context = facts(&page, &member).await?;
    Ok(page.render(TEMPLATE, context))
}

/// `POST /dashboard/you/password`.
pub(super) async fn set_password(page: Page, member: SignedIn, form: Form) -> Result<Response> {
    let (present, new) = (form.secret("present"), form.secret("password"));
    let id = member.session.expose_secret();
    match page.environment.set_password(id, present, new).await {
        Ok(started) => Ok(page.redirect_with(PATH, page.sessions().begin(&started))),
        Err(error) => {
            let context = facts(&page, &member).await?;
            refused(&page, error, TEMPLATE, context)
        }
    }
}

/// `POST /dashboard/you/second-factor`: creates a secret for the member's app and shows it only here.
pub(super) async fn enrol(page: Page, member: SignedIn) -> Result<Response> {
    let id = member.session.expose_secret();
    let new = page.environment.enrol_second_factor(id).await?;
    let context = context! {
        secret => new.secret.expose_secret(),
        uri => new.uri.expose_secret(),
        ..facts(&page, &member).await?
    };
    Ok(page.render(TEMPLATE, context))
}

/// `POST /dashboard/you/second-factor/confirm`: checks a code of the app.
pub(super) async fn confirm(page: Page, member: SignedIn, form: Form) -> Result<Response> {
    let id = member.session.expose_secret();
    let code = form.text("code").unwrap_or_default();
    match page.environment.confirm_second_factor(id, code).await {
        Ok(()) => Ok(page.redirect(PATH)),
        Err(error) => {
            // The app already has the secret, so the page doesn't show it again.
            let context = context! { proving => true, ..facts(&page, &member).await? };
            refused(&page, error, TEMPLATE, context)
        }
    }
}

/// `POST /dashboard/you/second-factor/remove`.
pub(super) async fn remove(page: Page, member: SignedIn) -> Result<Response> {
    let id = member.session.expose_secret();
    page.environment.remove_second_factor(id).await?;
    Ok(page.redirect(PATH))
}

async fn facts(page: &Page, member: &SignedIn) -> Result<Value> {
    let id = member.member_id.to_string();
    let member = page.environment.send(ReadMember::new(&id)).await?;
    Ok(context! {
        has_second_factor => member.second_factor,
        provider => page.environment.sign_in_provider(),
        // A member with no way to sign in was signed in automatically at this machine.
        signs_in => !member.sign_in_with.is_empty(),
        passwords => page.environment.takes_passwords(),
        has_password => member.sign_in_with.contains(&SignInMethod::Password),
    })
}
