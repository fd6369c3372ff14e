//! `POST /dashboard/accounts/{connection_name}/{identifier}/refresh`, `…/suspend` and `…/resume`.

use axum::response::Response;

use super::path;
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::Path,
    problem::Result,
};

type Named = Path<(String, String)>;

pub(super) async fn refresh(page: Page, Path((name, user)): Named, _: Form) -> Result<Response> {
    page.environment.refresh_account(&name, &user).await?;
    Ok(page.redirect_done(&path(&name, &user), Done::AccountRefreshed))
}

pub(super) async fn suspend(page: Page, Path((name, user)): Named, _: Form) -> Result<Response> {
    page.environment.suspend_account(&name, &user).await?;
    Ok(page.redirect_done(&path(&name, &user), Done::AccountSuspended))
}

pub(super) async fn resume(page: Page, Path((name, user)): Named, _: Form) -> Result<Response> {
    page.environment.resume_account(&name, &user).await?;
    Ok(page.redirect_done(&path(&name, &user), Done::AccountResumed))
}
