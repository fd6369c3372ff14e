//! Routes of operations. `stead_core` declares each operation, and everything here follows from the declaration.

use axum::{
    extract::Request,
    response::{IntoResponse as _, Response},
};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;
use stead_core::{
    api::{Given, Operation, Run},
    environment::{Environment, Visit, visit},
};

use crate::{
    extract::{Acting, Json, Path, Query},
    openapi::{self, Draft, parameter},
    problem::Result,
    routes::{ForApplications, Route},
    state::address,
};

/// A route for each operation.
pub(crate) fn routes() -> Vec<ForApplications> {
    struct Routes(Vec<ForApplications>);
    impl Visit for Routes {
        fn operation<O: Run<Environment>>(&mut self) {
            self.0.push(route::<O>());
        }
    }
    let mut routes = Routes(Vec::new());
    visit(&mut routes);
    routes.0
}

fn route<O: Run<Environment>>() -> ForApplications {
    let described = openapi::Operation {
        name: O::INFO.verb,
        summary: Some(O::INFO.summary.trim_ascii()),
        query: &[],
        errors: O::INFO.errors,
        calls: O::INFO.calls,
        describe: describe::<O>,
    };
    let route = Route::new(O::INFO.method, O::INFO.path, respond::<O>).described(described);
    match O::INFO.scope {
        Some(scope) => route.needs(scope),
        None => route.needs_no_scope(),
    }
}

/// Reads the operation from a request, runs it, and writes its result.
async fn respond<O: Run<Environment>>(
    Acting(environment): Acting,
    Path(path): Path<Vec<(String, String)>>,
    mut query: Query,
    request: Request,
) -> Result<Response> {
    let body = match O::INFO.has_body {
        true => Some(Json::read(request, &environment).await?.0),
        false => None,
    };
    let operation = O::read(Given {
        path: path.into_iter().map(|(_, value)| value).collect(),
        query: &mut query,
        body,
    })?;
    if O::parameters().iter().any(|some| !some.is_empty()) {
        query.end()?;
    }
    let output = environment.send(operation).await?;
    let status = StatusCode::from_u16(O::INFO.status).unwrap_or_default();
    if status == StatusCode::NO_CONTENT {
        return Ok(status.into_response());
    }
    let created = O::created(&output);
    let mut response = (status, Json(output)).into_response();
    if let Some(id) = created {
        let url = address(&environment, &format!("{}/{id}", O::INFO.path));
        if let Ok(url) = HeaderValue::try_from(url) {
            response.headers_mut().insert(header::LOCATION, url);
        }
    }
    Ok(response)
}

/// The document's description of an operation.
fn describe<O: Operation>(draft: &mut Draft<'_>) {
    for parameter in O::parameters().into_iter().flatten() {
        draft.parameters.push(parameter::of_query(parameter));
    }
    if O::INFO.has_body {
        draft.takes::<O::Body>();
    }
    draft.status = O::INFO.status;
    if draft.status == 204 {
        draft.gives_nothing(204);
    } else {
        draft.gives::<O::Output>(draft.status);
    }
    if O::INFO.location {
        let schema = json!({ "type": "string", "format": "uri" });
        let header = json!({ "description": "URL of the created resource.", "schema": schema });
        draft.gives_header(draft.status, "Location", header);
    }
}

#[cfg(test)]
mod tests;
