//! `POST /dashboard/policies` and `POST /dashboard/policies/{policy_name}`: sets a policy from its JSON.

use axum::response::Response;
use http::StatusCode;
use stead::Error;
use stead_core::resource::{Policy, ReadPolicy, SetPolicy};

use super::{editor::Editor, list, path, read};
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::{Path, json::read_json},
    problem::Result,
};

pub(super) async fn create(page: Page, form: Form) -> Result<Response> {
    let document = form.text("document").unwrap_or_default();
    match set(&page, document, None).await {
        Ok(policy) => Ok(page.redirect_done(&path(&policy.name), Done::PolicySet)),
        Err(error) => {
            let form = Editor::refused(document, error)?;
            list::show(&page, StatusCode::UNPROCESSABLE_ENTITY, &form).await
        }
    }
}

pub(super) async fn change(page: Page, Path(name): Path<String>, form: Form) -> Result<Response> {
    let policy = page.environment.send(ReadPolicy::new(&name)).await?;
    let document = form.text("document").unwrap_or_default();
    match set(&page, document, Some(&name)).await {
        Ok(_) => Ok(page.redirect_done(&path(&name), Done::PolicySet)),
        Err(error) => {
            let form = Editor::refused(document, error)?;
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(read::show(&page, status, &policy, &form, read::untested()))
        }
    }
}

async fn set(page: &Page, document: &str, name: Option<&str>) -> Result<Policy, Error> {
    let mut policy: Policy = read_json(document.as_bytes())?;
    if let Some(name) = name {
        if !policy.name.is_empty() && policy.name != name {
            let message = format!("you can’t rename a policy here; set the name back to {name:?}");
            return Err(Error::invalid_at("/name", message));
        }
        name.clone_into(&mut policy.name);
    } else if page
        .environment
        .send(ReadPolicy::new(&policy.name))
        .await
        .is_ok()
    {
        let message = "a policy with this name already exists; edit it on its own page";
        return Err(Error::invalid_at("/name", message));
    }
    page.environment.send(SetPolicy::from(policy)).await
}
