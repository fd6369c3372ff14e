//! `POST /dashboard/try/{connection_name}/run`: runs the sample tool of a product and shows its result.

use axum::response::Response;
use stead_core::resource::ExecuteRequest;

use super::{
    show,
    trial::{Ran, sample},
};
use crate::{
    dashboard::{form::Form, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn run(
    page: Page,
    Path(connection_name): Path<String>,
    _: Form,
) -> Result<Response> {
    let (trial, sample) = sample(page.trial(), &connection_name)?;
    let (name, input) = (&sample.connection_name, sample.input.clone());
    let request = ExecuteRequest::new(name, &trial.identifier, input);
    let runtime = page.environment.runtime();
    let began = runtime.monotonic();
    let outcome = page.environment.execute(&sample.tool, request).await;
    let micros = runtime.monotonic().saturating_sub(began).as_micros();
    let ran = Ran {
        connection_name,
        outcome,
        micros: u64::try_from(micros).unwrap_or(u64::MAX),
    };
    show::with(&page, Some(ran)).await
}
