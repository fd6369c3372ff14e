//! `/mcp` for the holders of an MCP session's token, and the metadata from which a client learns what this server is
//! (RFC 9728).

use std::{borrow::Cow, sync::Arc, time::Duration};

use axum::{
    Json,
    body::Body,
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use futures_util::{StreamExt as _, future::select};
use http::Method;
use serde_json::json;
use stead::{Error, ErrorKind};
use stead_core::{
    caller::Caller,
    environment::Environment,
    tool::numbers::{as_texts, is_exact},
};

use crate::{
    authentication::{acting, admit, bearer, in_time},
    caller::Stopping,
    extract::{Acting, collect},
    mcp::{LARGEST, Mcp},
    problem::{Problem, Result},
    routes::{ForApplications, Route, any, get},
    state::{ServerState, address},
    timeout::timeout,
};

/// How often the token of an open stream is checked again.
const CHECK: Duration = Duration::from_millis(500);

/// The endpoint.
pub(crate) fn routes() -> Vec<ForApplications> {
    vec![any("/mcp", serve).needs_no_scope()]
}

/// `ANY /mcp`: a message of the protocol, and its response.
async fn serve(
    State(mcp): State<Arc<Mcp>>,
    State(all): State<Environment>,
    Acting(environment): Acting,
    stopping: Stopping,
    request: Request,
) -> Result<Response> {
    let Caller::McpSession(session) = environment.caller() else {
        return Err(missing(&environment));
    };
    let (head, body) = request.into_parts();
    let token = bearer(&head.headers).unwrap_or_default().to_owned();
    let opens_a_stream = head.method == Method::GET;
    let body = collect(body, LARGEST, &environment).await?;
    // A number that would lose digits becomes a text, which the tool accepts or rejects.
    let body = match std::str::from_utf8(&body).map(|text| as_texts(text, is_exact)) {
        Ok(Cow::Owned(text)) => text.into(),
        _ => body,
    };
    let request = Request::from_parts(head, Body::from(body));
    let response = mcp.serve(session.session_id, &environment, request).await?;
    match opens_a_stream {
        true => Ok(response.map(|body| while_allowed(body, all, token, stopping))),
        // The response ends with its call.
        false => Ok(response),
    }
}

/// A stream that ends when its token is no longer valid, or when the service stops.
fn while_allowed(body: Body, environment: Environment, token: String, stopping: Stopping) -> Body {
    let refused = Box::pin(async move {
        loop {
            environment.runtime().sleep(CHECK).await;
            if environment.authenticate_agent(&token).await.is_err() {
                return;
            }
        }
    });
    let stopped = Box::pin(async move { stopping.stopped().await });
    Body::from_stream(body.into_data_stream().take_until(select(refused, stopped)))
}

/// Admits a request of an MCP session of this environment, by its token or by a JWT of the operator's issuer. Tells all
/// other callers where to read which tokens are accepted.
pub(crate) async fn authenticate(
    State(state): State<ServerState>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let environment = &state.environment;
    let Some(token) = bearer(request.headers()) else {
        return Err(missing(environment));
    };
    let refused = |error| {
        let problem = Problem::of_token(error).with_description();
        Err(problem.with_resource(&metadata_url(environment)))
    };
    let timeout = timeout(request.headers());
    let environment = in_time(&state, &timeout);
    match environment.authenticate_agent(token).await {
        Ok(caller @ Caller::McpSession(_)) => {
            timeout.map(drop)?;
            let environment = environment.acting_as(caller);
            let acting = acting(&state, environment, None, request.extensions())?;
            let run = |acting: Environment| {
                request.extensions_mut().insert(acting);
                next.run(request)
            };
            admit(&state, acting, run).await
        }
        Ok(_) => refused(Error::new(
            ErrorKind::Unauthenticated,
            "/mcp needs the token of an MCP session; create one with POST /v1/mcp-sessions",
        )),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::Unauthenticated | ErrorKind::InsufficientScope
            ) =>
        {
            refused(error)
        }
        Err(error) => Err(error.into()),
    }
}

/// The challenge if there is no token.
fn missing(environment: &Environment) -> Problem {
    let mut message = String::from(
        "this needs `Authorization: Bearer …` with the token of an MCP session; create one with POST /v1/mcp-sessions",
    );
    if let Some(issuer) = environment.mcp_issuer() {
        message.push_str(&format!(", or get a JWT of {}", issuer.issuer()));
    }
    let error = Error::new(ErrorKind::Unauthenticated, message);
    Problem::from(error).with_resource(&metadata_url(environment))
}

/// The metadata about the tokens that `/mcp` accepts: below the public URL, in both places where clients look.
pub(crate) fn resource_routes() -> Vec<Route> {
    vec![
        get("/.well-known/oauth-protected-resource", metadata),
        get("/.well-known/oauth-protected-resource/mcp", metadata),
    ]
}

fn metadata_url(environment: &Environment) -> String {
    address(environment, "/.well-known/oauth-protected-resource/mcp")
}

/// The operator's issuer. Without one, the application issues the tokens. Then the metadata names no authorization
/// server, because there is none that a client could ask.
async fn metadata(State(environment): State<Environment>) -> Response {
    let mut metadata = json!({
        "resource": address(&environment, "/mcp"),
        "resource_name": "Stead",
        "bearer_methods_supported": ["header"],
    });
    if let Some(issuer) = environment.mcp_issuer() {
        metadata["authorization_servers"] = json!([issuer.issuer()]);
        if let Some(scope) = issuer.scope() {
            metadata["scopes_supported"] = json!([scope]);
        }
    }
    Json(metadata).into_response()
}
