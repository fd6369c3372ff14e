//! `POST /dashboard/policies` and `POST /dashboard/policies/{policy_name}`: sets a policy from its JSON.

use axum::response::Response;
use http::StatusCode;
use serde::Serialize;
use stead::{Error, ErrorKind, core::resource::Policy};

use super::{list, path, read};
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::{Path, read_json},
    problem::Result,
};

/// What stands in the form, and what was wrong with it.
#[derive(Debug, Serialize)]
pub(super) struct Refused {
    document: String,
    error: Option<String>,
    /// Places in the document, as JSON Pointers, with what is wrong there.
    places: Vec<(String, String)>,
}

impl Refused {
    /// Nothing was wrong.
    pub(super) fn none(document: &str) -> Self {
        Self {
            document: document.to_owned(),
            error: None,
            places: Vec::new(),
        }
    }

    /// What whoever filled it in can do something about; every other error is a page of its own.
    fn by(document: &str, error: Error) -> Result<Self> {
        if error.kind() != ErrorKind::InvalidRequest && error.kind() != ErrorKind::SchemaViolation {
            return Err(error.into());
        }
        let violations = error.violation_list().iter();
        let places = violations.map(|one| (one.path.clone(), one.message.clone()));
        Ok(Self {
            document: document.to_owned(),
            error: Some(error.message().to_owned()),
            places: places.collect(),
        })
    }
}

pub(super) async fn create(page: Page, form: Form) -> Result<Response> {
    let document = form.text("document").unwrap_or_default();
    match set(&page, document, None).await {
        Ok(policy) => Ok(page.redirect_done(&path(&policy.name), Done::PolicySet)),
        Err(error) => {
            let form = Refused::by(document, error)?;
            list::show(&page, StatusCode::UNPROCESSABLE_ENTITY, &form).await
        }
    }
}

pub(super) async fn change(page: Page, Path(name): Path<String>, form: Form) -> Result<Response> {
    let policy = page.environment.policy(&name).await?;
    let document = form.text("document").unwrap_or_default();
    match set(&page, document, Some(&name)).await {
        Ok(_) => Ok(page.redirect_done(&path(&name), Done::PolicySet)),
        Err(error) => {
            let form = Refused::by(document, error)?;
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(read::show(&page, status, &policy, &form, read::untested()))
        }
    }
}

async fn set(page: &Page, document: &str, name: Option<&str>) -> Result<Policy, Error> {
    let mut policy: Policy = read_json(document.as_bytes())?;
    if let Some(name) = name {
        if !policy.name.is_empty() && policy.name != name {
            let message = format!("this is the page of the policy {name:?}");
            return Err(Error::invalid_at("/name", message));
        }
        name.clone_into(&mut policy.name);
    } else if page.environment.policy(&policy.name).await.is_ok() {
        let message = "there is a policy with this name; change it on its own page";
        return Err(Error::invalid_at("/name", message));
    }
    page.environment.set_policy(policy).await
}
