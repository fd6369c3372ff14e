//! `POST /dashboard/playground/run` and `POST /dashboard/playground/dry-run`: makes the call of the form, or shows what
//! it would send.

use axum::response::Response;
use stead_core::{resource::ExecuteRequest, tool::Effect};

use super::{
    asked::Asked,
    chosen::Chosen,
    show::{self, Ran},
};
use crate::{
    dashboard::{form::Form, page::Page},
    problem::Result,
};

pub(super) async fn run(page: Page, form: Form) -> Result<Response> {
    call(&page, &form, false).await
}

pub(super) async fn dry_run(page: Page, form: Form) -> Result<Response> {
    call(&page, &form, true).await
}

async fn call(page: &Page, form: &Form, dry_run: bool) -> Result<Response> {
    let asked = Asked::by_form(form);
    let chosen = Chosen::of(page, &asked).await?;
    let ran = match (&chosen.connection, &chosen.tool) {
        (Some(connection), Some(tool)) => {
            let input = show::readable_input(&asked, &tool.input_schema);
            match input {
                Some(input) => {
                    let mut request = ExecuteRequest::new(
                        connection.connection_name.to_string(),
                        &chosen.identifier,
                        input,
                    );
                    request.dry_run = dry_run;
                    if !dry_run {
                        request.result = asked.wanted.options()?;
                    }
                    // A reload sends the form again, and must not repeat a write.
                    let writes = tool.effect != Effect::Read && !dry_run;
                    request.idempotency_key = asked.key.clone().filter(|_| writes);
                    let runtime = page.environment.runtime();
                    let began = runtime.monotonic();
                    let result = page.environment.execute(&tool.name, request).await;
                    Some(Ran {
                        result,
                        micros: super::micros_since(page, began),
                    })
                }
                None => None,
            }
        }
        _ => None,
    };
    Ok(show::with(page, &asked, &chosen, ran))
}
