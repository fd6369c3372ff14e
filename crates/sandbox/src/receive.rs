//! The path of every request: read, apply a fault or respond, log, deliver.

use axum::{
    Router,
    body::Body,
    extract::State as Extract,
    http::{HeaderName, Response as HttpResponse, StatusCode, header},
};

use crate::{
    Sandbox, admin, faults::Fault, google::errors, hosts, request::Request, response::Response,
    serve::HangUp, state::State, warehouse, workspace,
};

/// How a response goes out.
pub(crate) enum Delivery {
    /// At once.
    Now,
    /// When the token endpoint is released.
    WhenReleased,
    /// When the sandbox is reset; the number counts resets so far.
    AfterReset(u64),
    /// Half of it.
    Half,
    /// Not at all: the connection closes.
    Never,
}

/// All routes of the sandbox.
pub(crate) fn router(sandbox: Sandbox) -> Router {
    admin::router().fallback(receive).with_state(sandbox)
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

/// The response, and how it is delivered. The request is processed here, even if no one will ever read the
/// response.
pub(crate) fn process(state: &mut State, request: &Request) -> (Response, Delivery) {
    let fault = state.faults.take(request);
    let (response, delivery) = match fault {
        Some(Fault::Stall { .. }) => {
            let response = hosts::respond(state, request);
            (response, Delivery::AfterReset(state.reset_count))
        }
        Some(Fault::Cut { .. }) => (hosts::respond(state, request), Delivery::Half),
        Some(Fault::CutBeforeResponse { .. }) => (hosts::respond(state, request), Delivery::Never),
        Some(Fault::SavedButUnavailable { .. }) => {
            let response =
                workspace::errors::saved_but_unavailable(request, hosts::respond(state, request));
            (response, Delivery::Now)
        }
        Some(fault) => (fault_response(fault, request), default_delivery(request)),
        None => (hosts::respond(state, request), default_delivery(request)),
    };
    let logged_status = match delivery {
        Delivery::AfterReset(_) | Delivery::Never => None,
        _ => Some(response.status.as_u16()),
    };
    state.log.add(request, logged_status);
    (add_headers(state, request, response), delivery)
}

fn default_delivery(request: &Request) -> Delivery {
    if request.is_token_request() {
        Delivery::WhenReleased
    } else {
        Delivery::Now
    }
}

/// The response of a fault that keeps the request from being processed.
fn fault_response(fault: Fault, request: &Request) -> Response {
    let is_notion = request.host == hosts::NOTION;
    let is_snowflake = warehouse::serves(&request.host);
    match fault {
        Fault::Unauthorized { .. } if is_notion => workspace::errors::unauthorized(request),
        Fault::Unauthorized { .. } if is_snowflake => {
            warehouse::errors::ApiError::invalid_token().response()
        }
        Fault::Unauthorized { .. } => errors::invalid_credentials(&request.host),
        Fault::Error {
            status,
            reason,
            message,
            retry_after,
            ..
        } => {
            let (message, retry_after) = (message.as_deref(), retry_after.as_deref());
            if is_notion {
                workspace::errors::injected_error(request, status, &reason, message, retry_after)
            } else if is_snowflake {
                warehouse::errors::injected_error(status, &reason, message, retry_after)
            } else {
                errors::injected_error(&request.host, status, &reason, message, retry_after)
            }
        }
        Fault::TokenError { error, status, .. } => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
            let respond = if is_snowflake {
                warehouse::errors::oauth
            } else {
                errors::oauth
            };
            respond(
                status,
                &error,
                "The sandbox was told to respond with this error.",
            )
        }
        Fault::Redirect { location, .. } => {
            let mut response = Response::see_other(&location);
            response.status = StatusCode::FOUND;
            response
        }
        Fault::HugeBody { bytes, .. } => Response::padding(bytes),
        _ => Response::html(
            StatusCode::OK,
            "<!doctype html><title>Sorry</title><p>This is not JSON.".to_owned(),
        ),
    }
}

/// Adds the planned extra headers and compression.
fn add_headers(state: &mut State, request: &Request, mut response: Response) -> Response {
    for (name, value) in state.faults.extra_headers(request) {
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            response = response.with(name, &value);
        }
    }
    // Snowflake compresses what it compresses, whoever asks.
    if hosts::is_product(&request.host) && !warehouse::serves(&request.host) {
        response = response.with(header::VARY, "Origin, X-Origin, Referer");
        if wants_gzip(request) {
            response = response.gzipped();
        }
    }
    response
}

/// Google compresses only for a client that says so twice: in Accept-Encoding and in User-Agent (Calendar
/// API, "Performance tips", Using gzip).
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
            // An error means that the sandbox is gone, and no one reads the response.
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
