//! `POST /v1/tools/{name}/execute`: runs a tool. Its data is the product's JSON text, inserted unchanged.

use axum::{
    extract::{FromRequestParts as _, Request},
    response::{AppendHeaders, IntoResponse as _, Response},
};
use http::{HeaderName, Method};
use stead::core::{
    environment::Environment,
    resource::{ExecuteRequest, Execution},
};

use crate::{
    extract::{Acting, IdempotencyKey, Json, Path},
    openapi::Draft,
    problem::{EXECUTION_ID, Result},
    replayed::Replayed,
};

type Executed = (
    AppendHeaders<[(HeaderName, String); 1]>,
    Replayed,
    Json<Execution>,
);

/// The document's description of the route.
pub(in crate::rest) fn describe(draft: &mut Draft<'_>) {
    draft.takes_idempotency_key();
    draft.takes::<ExecuteRequest>();
    draft.gives::<Execution>(200);
}

pub(in crate::rest) async fn execute(
    Acting(environment): Acting,
    Path(name): Path<String>,
    IdempotencyKey(idempotency_key): IdempotencyKey,
    Json(request): Json<ExecuteRequest>,
) -> Result<Executed> {
    run(&environment, &name, idempotency_key, request).await
}

/// The label of its requests in metrics.
pub(crate) const ROUTE: &str = "/v1/tools/{name}/execute";

/// The tool in a request's path, if it's written without escapes.
pub(crate) fn named(request: &Request) -> Option<&str> {
    let path = request.uri().path();
    let name = path.strip_prefix("/v1/tools/")?.strip_suffix("/execute")?;
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_name = !name.is_empty() && name.bytes().all(is_plain);
    (request.method() == Method::POST && is_name).then_some(name)
}

/// The same without a router.
pub(crate) async fn direct(
    Acting(environment): Acting,
    name: String,
    request: Request,
) -> Result<Response> {
    let (mut head, body) = request.into_parts();
    let IdempotencyKey(key) = IdempotencyKey::from_request_parts(&mut head, &()).await?;
    let request = Request::from_parts(head, body);
    let Json(asked) = Json::read(request, &environment).await?;
    let executed = run(&environment, &name, key, asked).await?;
    Ok(executed.into_response())
}

async fn run(
    environment: &Environment,
    name: &str,
    idempotency_key: Option<String>,
    mut request: ExecuteRequest,
) -> Result<Executed> {
    request.idempotency_key = idempotency_key;
    let execution = environment.execute(name, request).await?;
    let id = AppendHeaders([(EXECUTION_ID, execution.execution_id.to_string())]);
    Ok((id, Replayed(execution.replayed), Json(execution)))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn a_call_names_its_tool() {
        let name = |method: &str, path: &str| {
            let request = Request::builder().method(method).uri(path);
            named(&request.body(Body::empty()).unwrap()).map(str::to_owned)
        };
        let path = "/v1/tools/mail_list_drafts/execute";
        assert_eq!(name("POST", path).as_deref(), Some("mail_list_drafts"));
        let other = [
            "/v1/tools//execute",
            "/v1/tools/a%5Fb/execute",
            "/v1/tools/a/b/execute",
            "/v1/tools/a",
        ];
        for (method, path) in other
            .map(|path| ("POST", path))
            .into_iter()
            .chain([("GET", path)])
        {
            assert_eq!(name(method, path), None, "{method} {path}");
        }
    }
}
