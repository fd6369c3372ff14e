//! The way of every request: read, misbehave or answer, log, deliver.

use axum::Router;
use axum::body::Body;
use axum::extract::State as Extract;
use axum::http::{HeaderName, Response, StatusCode, header};

use crate::answer::Answer;
use crate::faults::Fault;
use crate::google::errors;
use crate::request::Request;
use crate::serve::HangUp;
use crate::state::State;
use crate::{Sandbox, admin, hosts, warehouse, workspace};

/// How an answer goes out.
enum Delivery {
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
) -> Response<Body> {
    let Some(request) = Request::read(request).await else {
        return empty(StatusCode::PAYLOAD_TOO_LARGE);
    };
    let (answer, delivery) = decide(&mut sandbox.state(), &request);
    deliver(&sandbox, answer, delivery).await
}

/// What is answered and how. The request is processed here, even if nobody
/// will ever read the answer.
fn decide(state: &mut State, request: &Request) -> (Answer, Delivery) {
    let fault = state.faults.take(request);
    let (answer, delivery) = match fault {
        Some(Fault::Stall { .. }) => {
            let answer = hosts::answer(state, request);
            (answer, Delivery::AfterReset(state.life))
        }
        Some(Fault::Cut { .. }) => (hosts::answer(state, request), Delivery::Half),
        Some(Fault::CutBeforeAnswer { .. }) => (hosts::answer(state, request), Delivery::Never),
        Some(Fault::SavedButUnavailable { .. }) => {
            let answer = workspace::errors::saved(request, hosts::answer(state, request));
            (answer, Delivery::Now)
        }
        Some(fault) => (misbehave(fault, request), usual_delivery(request)),
        None => (hosts::answer(state, request), usual_delivery(request)),
    };
    let answered = match delivery {
        Delivery::AfterReset(_) | Delivery::Never => None,
        _ => Some(answer.status.as_u16()),
    };
    state.log.add(request, answered);
    (dress(state, request, answer), delivery)
}

fn usual_delivery(request: &Request) -> Delivery {
    if request.is_token_request() {
        Delivery::WhenReleased
    } else {
        Delivery::Now
    }
}

/// The answer of a fault that keeps the request from being processed.
fn misbehave(fault: Fault, request: &Request) -> Answer {
    match fault {
        Fault::Unauthorized { .. } if request.host == hosts::NOTION => {
            workspace::errors::unauthorized(request)
        }
        Fault::Error {
            status,
            reason,
            message,
            retry_after,
            ..
        } if request.host == hosts::NOTION => workspace::errors::told(
            request,
            status,
            &reason,
            message.as_deref(),
            retry_after.as_deref(),
        ),
        Fault::Unauthorized { .. } if warehouse::plays(&request.host) => {
            warehouse::errors::Refusal::invalid_token().answer()
        }
        Fault::Error {
            status,
            reason,
            message,
            retry_after,
            ..
        } if warehouse::plays(&request.host) => {
            warehouse::errors::told(status, &reason, message.as_deref(), retry_after.as_deref())
        }
        Fault::TokenError { error, status, .. } if warehouse::plays(&request.host) => {
            warehouse::errors::oauth(
                StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST),
                &error,
                "The sandbox was told to answer so.",
            )
        }
        Fault::Unauthorized { .. } => errors::invalid_credentials(&request.host),
        Fault::Error {
            status,
            reason,
            message,
            retry_after,
            ..
        } => errors::told(
            &request.host,
            status,
            &reason,
            message.as_deref(),
            retry_after.as_deref(),
        ),
        Fault::TokenError { error, status, .. } => errors::oauth(
            StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST),
            &error,
            "The sandbox was told to answer so.",
        ),
        Fault::Redirect { location, .. } => {
            let mut answer = Answer::see_other(&location);
            answer.status = StatusCode::FOUND;
            answer
        }
        Fault::HugeBody { bytes, .. } => Answer::padding(bytes),
        _ => Answer::html(
            StatusCode::OK,
            "<!doctype html><title>Sorry</title><p>This is not JSON.".to_owned(),
        ),
    }
}

/// Adds the planned extra headers and compression.
fn dress(state: &mut State, request: &Request, mut answer: Answer) -> Answer {
    for (name, value) in state.faults.extra_headers(request) {
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            answer = answer.with(name, &value);
        }
    }
    // Snowflake compresses what it compresses, whoever asks.
    if hosts::is_product(&request.host) && !warehouse::plays(&request.host) {
        answer = answer.with(header::VARY, "Origin, X-Origin, Referer");
        if wants_gzip(request) {
            answer = answer.gzipped();
        }
    }
    answer
}

/// Google compresses only for a client that says so twice: in Accept-Encoding
/// and in User-Agent (Calendar API, "Performance tips", Using gzip).
fn wants_gzip(request: &Request) -> bool {
    let accepts = request.header("accept-encoding").unwrap_or_default();
    let agent = request.header("user-agent").unwrap_or_default();
    accepts
        .split(',')
        .any(|coding| coding.split(';').next().unwrap_or_default().trim() == "gzip")
        && agent.contains("gzip")
}

async fn deliver(sandbox: &Sandbox, answer: Answer, delivery: Delivery) -> Response<Body> {
    match delivery {
        Delivery::Now => answer.into_response(),
        Delivery::Half => answer.into_cut_response(),
        Delivery::WhenReleased => {
            // An error means that the sandbox is gone, and nobody reads the answer.
            let _gone = sandbox
                .signals()
                .wait_for(|signals| !signals.token_answers_held)
                .await
                .is_err();
            answer.into_response()
        }
        Delivery::AfterReset(life) => {
            let _gone = sandbox
                .signals()
                .wait_for(|signals| signals.life != life)
                .await
                .is_err();
            answer.into_response()
        }
        Delivery::Never => {
            let mut response = empty(StatusCode::INTERNAL_SERVER_ERROR);
            response.extensions_mut().insert(HangUp);
            response
        }
    }
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
