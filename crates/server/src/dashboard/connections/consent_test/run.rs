//! `POST /dashboard/connections/{connection_name}/test/run`: confirms the member, makes the call,
//! and shows the outcome.

use axum::response::Response;
use stead::{Error, ErrorKind};
use stead_core::resource::{ExecuteRequest, Execution, ReadAccount, VerifyAuthorization};

use super::{
    identifier,
    show::{self, Ran},
};
use crate::{
    dashboard::{form::Form, page::Page, session::SignedIn},
    extract::Path,
    problem::Result,
};

pub(super) async fn run(
    page: Page,
    member: SignedIn,
    Path(name): Path<String>,
    form: Form,
) -> Result<Response> {
    let runtime = page.environment.runtime();
    let began = runtime.monotonic();
    let authorization_id = form.text("authorization_id");
    let outcome = call(&page, &name, &identifier(&member), authorization_id).await;
    let micros = runtime.monotonic().saturating_sub(began).as_micros();
    let ran = Ran {
        outcome,
        micros: u64::try_from(micros).unwrap_or(u64::MAX),
    };
    show::with(&page, &member, &name, authorization_id, Some(ran)).await
}

async fn call(
    page: &Page,
    name: &str,
    identifier: &str,
    authorization_id: Option<&str>,
) -> Result<Execution, Error> {
    let environment = &page.environment;
    let account = match authorization_id {
        Some(id) => {
            environment
                .send(VerifyAuthorization::new(id, identifier))
                .await?
        }
        None => environment.send(ReadAccount::new(name, identifier)).await?,
    };
    let product = environment.catalogue().product(&account.product);
    let call = product.and_then(|product| product.test_call(&account.granted_scopes));
    let call =
        call.ok_or_else(|| Error::new(ErrorKind::NotFound, "this product has no test call"))?;
    let input = serde_json::from_str(call.input).unwrap_or_default();
    let request = ExecuteRequest::new(name, identifier, input);
    environment.execute(call.tool, request).await
}
