//! Handles every request: reads it, applies a fault or responds, logs it, and sends the response.

use axum::{
    Router,
    body::Body,
    extract::State as Extract,
    http::{HeaderName, Response as HttpResponse, StatusCode, header},
    middleware::from_fn,
};

use crate::{
    Sandbox, admin,
    faults::Fault,
    pages,
    product::Refusal,
    request::{Purpose, Request},
    response::Response,
    serve::HangUp,
    state::State,
};

/// How to send a response.
pub(crate) enum Delivery {
    /// Immediately.
    Now,
    /// When the token endpoint releases its responses.
    WhenReleased,
    /// When the sandbox is reset. The number is the number of resets so far.
    AfterReset(u64),
    /// Only half of it.
    Half,
    /// Not at all. The connection closes.
    Never,
}

/// All routes of the sandbox.
pub(crate) fn router(sandbox: Sandbox) -> Router {
    admin::router()
        .fallback(receive)
        .layer(from_fn(admin::check))
        .with_state(sandbox)
}

async fn receive(
    Extract(sandbox): Extract<Sandbox>,
    request: axum::http::Request<Body>,
) -> HttpResponse<Body> {
    let Some(request) = Request::read(request).await else {
        return empty(StatusCode::PAYLOAD_TOO_LARGE);
    };
    let (response, delivery) = process(&mut sandbox.state(), &request);
    deliver(&sandbox, response, delivery).await
}

/// Processes the request, even if no one will ever read the response. Returns the response and how to send it.
pub(crate) fn process(state: &mut State, request: &Request) -> (Response, Delivery) {
    let fault = state.take_fault(request);
    let purpose = state.purpose(request);
    let default_delivery = if purpose == Some(Purpose::Token) {
        Delivery::WhenReleased
    } else {
        Delivery::Now
    };
    let (response, delivery) = match fault {
        Some(Fault::Stall { .. }) => {
            let response = respond(state, request);
            (response, Delivery::AfterReset(state.reset_count))
        }
        Some(Fault::Cut { .. }) => (respond(state, request), Delivery::Half),
        Some(Fault::CutBeforeResponse { .. }) => (respond(state, request), Delivery::Never),
        Some(Fault::SavedButUnavailable { .. }) => {
            let response = respond(state, request);
            let response = match state.product(&request.host) {
                Some(product) => product.saved_but_unavailable(request, response),
                None => response,
            };
            (response, Delivery::Now)
        }
        Some(fault) => (fault_response(state, &fault, request), default_delivery),
        None => (respond(state, request), default_delivery),
    };
    let logged_status = match delivery {
        Delivery::AfterReset(_) | Delivery::Never => None,
        _ => Some(response.status.as_u16()),
    };
    state.log.add(request, purpose, logged_status);
    (add_headers(state, request, response), delivery)
}

fn respond(state: &mut State, request: &Request) -> Response {
    let takes_tokens = matches!(
        state.purpose(request),
        Some(Purpose::Token | Purpose::Credentials)
    );
    if takes_tokens && request.header("user-agent").is_none_or(str::is_empty) {
        return no_user_agent();
    }
    state
        .respond(request)
        .unwrap_or_else(|| no_such_host(request))
}

fn no_such_host(request: &Request) -> Response {
    let text = format!("The sandbox does not simulate {:?}.", request.host);
    Response::html(StatusCode::NOT_FOUND, pages::problem("No such host", &text))
}

/// The response of the network in front of an authorization server to a request without a `User-Agent`. Cloudflare,
/// which Notion uses, blocks a request for this alone.
fn no_user_agent() -> Response {
    let text = "The request has no header User-Agent.";
    Response::html(
        StatusCode::FORBIDDEN,
        pages::problem("Sorry, you have been blocked", text),
    )
}

/// The response for a fault that prevents processing.
fn fault_response(state: &State, fault: &Fault, request: &Request) -> Response {
    let refusal = match fault {
        Fault::Unauthorized { .. } => Refusal::Unauthorized,
        Fault::Error {
            status,
            reason,
            message,
            retry_after,
            ..
        } => Refusal::Error {
            status: *status,
            reason,
            message: message.as_deref(),
            retry_after: retry_after.as_deref(),
        },
        Fault::TokenError { error, status, .. } => Refusal::TokenError {
            status: *status,
            error,
        },
        Fault::Redirect { location, .. } => {
            let mut response = Response::see_other(location);
            response.status = StatusCode::FOUND;
            return response;
        }
        Fault::HugeBody { bytes, .. } => return Response::padding(*bytes),
        _ => {
            let page = "<!doctype html><title>Sorry</title><p>This is not JSON.";
            return Response::html(StatusCode::OK, page.to_owned());
        }
    };
    match state.product(&request.host) {
        Some(product) => product.refuse(request, &refusal),
        None => no_such_host(request),
    }
}

/// Adds the planned extra headers and compression.
fn add_headers(state: &mut State, request: &Request, mut response: Response) -> Response {
    for (name, value) in state.extra_headers(request) {
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            response = response.with(name, &value);
        }
    }
    let compresses = state
        .product(&request.host)
        .is_some_and(|product| product.compresses_on_request());
    if compresses && state.purpose(request) == Some(Purpose::Api) {
        response = response.with(header::VARY, "Origin, X-Origin, Referer");
        if wants_gzip(request) && response.is_json() {
            response = response.gzipped();
        }
    }
    response
}

/// Google compresses only if a client asks twice: in Accept-Encoding and in User-Agent (Calendar API, "Performance
/// tips", Using gzip).
fn wants_gzip(request: &Request) -> bool {
    let accepts = request.header("accept-encoding").unwrap_or_default();
    let agent = request.header("user-agent").unwrap_or_default();
    accepts
        .split(',')
        .any(|coding| coding.split(';').next().unwrap_or_default().trim() == "gzip")
        && agent.contains("gzip")
}

async fn deliver(sandbox: &Sandbox, response: Response, delivery: Delivery) -> HttpResponse<Body> {
    match delivery {
        Delivery::Now => response.into_response(),
        Delivery::Half => response.into_cut_response(),
        Delivery::WhenReleased => {
            // An error means that the sandbox is gone, so no one reads the response.
            let _gone = sandbox
                .signals()
                .wait_for(|signals| !signals.token_responses_held)
                .await
                .is_err();
            response.into_response()
        }
        Delivery::AfterReset(reset_count) => {
            let _gone = sandbox
                .signals()
                .wait_for(|signals| signals.reset_count != reset_count)
                .await
                .is_err();
            response.into_response()
        }
        Delivery::Never => {
            let mut response = empty(StatusCode::INTERNAL_SERVER_ERROR);
            response.extensions_mut().insert(HangUp);
            response
        }
    }
}

fn empty(status: StatusCode) -> HttpResponse<Body> {
    let mut response = HttpResponse::new(Body::empty());
    *response.status_mut() = status;
    response
}
