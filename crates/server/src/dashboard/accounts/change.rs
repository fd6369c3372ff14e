//! `POST /dashboard/accounts/{connection_name}/{identifier}/refresh`, `…/suspend` and `…/resume`.

use axum::response::Response;
use stead_core::resource::{RefreshAccount, ResumeAccount, SuspendAccount};

use super::path;
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::Path,
    problem::Result,
};

type Named = Path<(String, String)>;

pub(super) async fn refresh(page: Page, Path((name, user)): Named, _: Form) -> Result<Response> {
    page.environment
        .send(RefreshAccount::new(&name, &user))
        .await?;
    Ok(page.redirect_done(&path(&name, &user), Done::AccountRefreshed))
}

pub(super) async fn suspend(page: Page, Path((name, user)): Named, _: Form) -> Result<Response> {
    page.environment
        .send(SuspendAccount::new(&name, &user))
        .await?;
    Ok(page.redirect_done(&path(&name, &user), Done::AccountSuspended))
}

pub(super) async fn resume(page: Page, Path((name, user)): Named, _: Form) -> Result<Response> {
    page.environment
        .send(ResumeAccount::new(&name, &user))
        .await?;
    Ok(page.redirect_done(&path(&name, &user), Done::AccountResumed))
}
