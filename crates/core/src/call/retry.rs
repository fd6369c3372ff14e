//! Decides whether a failed request is retried, after which pause, and with which error the call fails otherwise.

use std::time::Duration;

use http::StatusCode;

use crate::{
    Error, ErrorKind,
    context::Context,
    error::ActBy,
    ports::{TransportError, TransportErrorKind},
    tool::{Effect, Retry},
};

/// The first attempt and three retries.
const ATTEMPTS: u8 = 4;
const LONGEST_PAUSE: Duration = Duration::from_secs(32);

/// An error, and whether the product can have processed the request.
pub(super) struct Failure {
    pub(super) error: Error,
    pub(super) processed: Processed,
    /// Whether to retry it, because it's read-only and its connection closed before a response arrived.
    pub(super) on_new_connection: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Processed {
    No,
    Unknown,
}

impl Failure {
    /// A request without a complete response.
    pub(super) fn of_transport(error: TransportError, effect: Effect) -> Self {
        let processed = match error.may_have_been_sent() {
            true => Processed::Unknown,
            false => Processed::No,
        };
        Self {
            on_new_connection: effect == Effect::Read
                && error.kind() == TransportErrorKind::Unanswered,
            error: transport_error(error, effect),
            processed,
        }
    }

    /// Whether the product can have carried out the request.
    pub(super) fn may_be_done(&self) -> bool {
        self.processed == Processed::Unknown
    }

    /// An error from a response with `status`. A 4xx means that the product has rejected the request, whatever else it
    /// says.
    pub(super) fn of_response(error: Error, status: StatusCode) -> Self {
        let processed = match status.is_client_error() {
            true => Processed::No,
            false => Processed::Unknown,
        };
        Self {
            error,
            processed,
            on_new_connection: false,
        }
    }

    /// A body that wasn't complete.
    pub(super) fn of_body(error: TransportError, effect: Effect, status: StatusCode) -> Self {
        match status.is_client_error() {
            true => Self::of_response(transport_error(error, Effect::Read), status),
            false => Self {
                on_new_connection: false,
                ..Self::of_transport(error, effect)
            },
        }
    }
}

/// Pause before a tool's request is retried. `None` if a retry isn't safe, not useful, or too late.
pub(super) fn pause(
    context: &Context,
    retry: Retry,
    failure: &Failure,
    attempt: u8,
    left: Duration,
) -> Option<Duration> {
    if failure.on_new_connection && attempt == 1 {
        return Some(Duration::ZERO);
    }
    let safe = failure.processed == Processed::No || retry != Retry::Unprocessed;
    let useful =
        failure.error.retryable() || (failure.error.kind() == ErrorKind::OutcomeUnknown && safe);
    // A longer quota isn't reset within one call. If this process lacks resources, it shouldn't keep the call.
    let hopeless = matches!(
        failure.error.kind(),
        ErrorKind::ProductQuotaExhausted | ErrorKind::Overloaded
    );
    if !safe || !useful || hopeless || attempt >= ATTEMPTS {
        return None;
    }
    let pause = failure
        .error
        .retry_after()
        .unwrap_or_else(|| jitter(context, attempt));
    (pause < left).then_some(pause)
}

/// A raw request is retried once and immediately if nothing was sent, which is safe for every method. It's also retried
/// if it's read-only and its connection was closed.
pub(super) fn at_once(failure: &Failure, attempt: u8) -> Option<Duration> {
    let unsent = failure.processed == Processed::No
        && failure.error.retryable()
        && failure.error.kind() != ErrorKind::Overloaded;
    ((unsent || failure.on_new_connection) && attempt == 1).then_some(Duration::ZERO)
}

/// Full jitter: anything up to 1 s, 2 s, 4 s …
fn jitter(context: &Context, attempt: u8) -> Duration {
    let longest = Duration::from_secs(1 << (attempt - 1).min(5)).min(LONGEST_PAUSE);
    let mut random = [0; 4];
    context.host.entropy.fill(&mut random);
    longest.mul_f64(f64::from(u32::from_be_bytes(random)) / f64::from(u32::MAX))
}

/// The final error. If the product responded to a write with a failure of its own, or with something unreadable, the
/// write may have been carried out. A 502 or 503 can come from a gateway, which doesn't know what the product has done.
pub(super) fn classify(effect: Effect, failure: Failure) -> Error {
    let Failure {
        error, processed, ..
    } = failure;
    let tells_nothing = matches!(
        error.kind(),
        ErrorKind::ProductUnavailable
            | ErrorKind::ProductTimeout
            | ErrorKind::UpstreamTruncated
            | ErrorKind::ProductProtocolError
            | ErrorKind::ResponseTooLarge
            | ErrorKind::Overloaded
    );
    if effect == Effect::Read || processed == Processed::No || !tells_nothing {
        return error;
    }
    unknown(error)
}

/// The error of a write that may have been carried out.
pub(super) fn unknown(error: Error) -> Error {
    let message = format!(
        "{}; the request may or may not have succeeded",
        error.message()
    );
    let unknown = error.clone().reclassify(ErrorKind::OutcomeUnknown, message);
    let unknown = match error.kind() {
        // The operator sets this process's limits.
        ErrorKind::Overloaded => unknown.with_act_by(ActBy::Operator),
        _ => unknown,
    };
    unknown.with_source(error)
}

/// Converts a transport error. If a write may have been processed, its outcome is unknown.
fn transport_error(error: TransportError, effect: Effect) -> Error {
    let unknown = effect != Effect::Read && error.may_have_been_sent();
    let (kind, message) = match error.kind() {
        TransportErrorKind::TooLarge if unknown => (
            ErrorKind::OutcomeUnknown,
            "the product's response is larger than allowed; the request may or may not have succeeded",
        ),
        TransportErrorKind::TooLarge => (
            ErrorKind::ResponseTooLarge,
            "the product's response is larger than allowed",
        ),
        TransportErrorKind::Unanswered if unknown => (
            ErrorKind::OutcomeUnknown,
            "the product closed the connection before it responded; the request may or may not have succeeded",
        ),
        _ if unknown => (
            ErrorKind::OutcomeUnknown,
            "the request was sent but no response arrived; it may or may not have succeeded",
        ),
        TransportErrorKind::Refused => (
            ErrorKind::InvalidRequest,
            "the request isn't valid, so it can't be sent",
        ),
        TransportErrorKind::Incomplete => (
            ErrorKind::InvalidRequest,
            "your request's body was interrupted or arrived too slowly; the product didn't get the whole request",
        ),
        TransportErrorKind::Exhausted => (
            ErrorKind::Overloaded,
            "this process has no file descriptors left to connect to the product; nothing was sent",
        ),
        TransportErrorKind::TimedOut => (
            ErrorKind::ProductTimeout,
            "the product didn't respond in time",
        ),
        TransportErrorKind::Unreachable => (
            ErrorKind::ProductUnavailable,
            "the product can't be reached",
        ),
        TransportErrorKind::Unanswered => (
            ErrorKind::UpstreamTruncated,
            "the product closed the connection before it responded",
        ),
        TransportErrorKind::Cut => (
            ErrorKind::UpstreamTruncated,
            "the product's response was interrupted",
        ),
    };
    Error::new(kind, message).with_source(error)
}

#[cfg(test)]
mod tests {
    use ErrorKind::{
        InvalidRequest, OutcomeUnknown, Overloaded, ProductForbidden, ProductQuotaExhausted,
        ProductRateLimited, ProductTimeout, ProductUnavailable, ResponseTooLarge,
        UpstreamTruncated,
    };
    use Retry::{Always, AlwaysWith, Unprocessed};

    use super::*;
    use crate::{
        error::Upstream,
        testing::{STABLE, World, always, context},
        tool::ApiRequest,
    };

    const MINUTE: Duration = Duration::from_secs(60);

    fn failure(kind: ErrorKind, processed: Processed) -> Failure {
        Failure {
            error: Error::new(kind, "why"),
            processed,
            on_new_connection: false,
        }
    }

    #[test]
    fn a_request_is_retried_only_if_it_is_safe_and_useful() {
        let context = context(&World::new(), &STABLE, always(200, ""));
        let (no, unknown) = (Processed::No, Processed::Unknown);
        let table = [
            // A retry is safe if the product hasn't processed the request.
            (Unprocessed, no, ProductRateLimited, true),
            (Unprocessed, no, ProductUnavailable, true),
            (Unprocessed, no, ProductForbidden, false),
            // A second request that does no more than the first is safe.
            (Always, unknown, ProductUnavailable, true),
            (Always, unknown, ProductTimeout, true),
            (Always, unknown, UpstreamTruncated, true),
            (Always, unknown, OutcomeUnknown, true),
            (AlwaysWith("repeat", "true"), unknown, OutcomeUnknown, true),
            (Always, unknown, ProductForbidden, false),
            // Everything else isn't.
            (Unprocessed, unknown, ProductUnavailable, false),
            (Unprocessed, unknown, ProductTimeout, false),
            (Unprocessed, unknown, UpstreamTruncated, false),
            (Unprocessed, unknown, OutcomeUnknown, false),
            // A longer quota isn't reset within one call.
            (Unprocessed, no, ProductQuotaExhausted, false),
            // A retry would need the same resources that this process lacks.
            (Unprocessed, no, Overloaded, false),
            (Always, unknown, Overloaded, false),
            (Always, unknown, ProductQuotaExhausted, false),
        ];
        for (retry, processed, kind, again) in table {
            let request = ApiRequest::post(["a"]).retry(retry);
            for attempt in 1..=5 {
                let pause = pause(
                    &context,
                    request.retry,
                    &failure(kind, processed),
                    attempt,
                    MINUTE,
                );
                assert_eq!(
                    pause.is_some(),
                    again && attempt < ATTEMPTS,
                    "{retry:?} {kind} attempt {attempt}"
                );
            }
        }
    }

    #[test]
    fn the_products_pause_is_respected_if_time_is_left() {
        let context = context(&World::new(), &STABLE, always(200, ""));
        let request = ApiRequest::get(["a"]);
        let asked = Duration::from_secs(7);
        let failure = Failure {
            on_new_connection: false,
            error: Error::new(ProductRateLimited, "").with_retry_after(asked),
            processed: Processed::No,
        };
        for (left, expected) in [(MINUTE, Some(asked)), (asked, None), (Duration::ZERO, None)] {
            assert_eq!(
                pause(&context, request.retry, &failure, 1, left),
                expected,
                "{left:?}"
            );
        }
    }

    #[test]
    fn pauses_without_a_retry_after_grow_and_have_jitter() {
        let context = context(&World::new(), &STABLE, always(200, ""));
        for (attempt, longest) in [(1, 1), (2, 2), (3, 4), (6, 32), (200, 32)] {
            let longest = Duration::from_secs(longest);
            let pauses: Vec<Duration> = (0..200).map(|_| jitter(&context, attempt)).collect();
            assert!(pauses.iter().all(|pause| *pause <= longest), "{attempt}");
            assert!(
                pauses.iter().any(|pause| *pause < longest / 4)
                    && pauses.iter().any(|pause| *pause > longest * 3 / 4)
            );
        }
    }

    #[test]
    fn a_write_that_may_have_been_carried_out_says_so() {
        let classified = |request: ApiRequest, kind, processed| {
            classify(request.effect_of(), failure(kind, processed)).kind()
        };
        for kind in [
            ProductUnavailable,
            ProductTimeout,
            UpstreamTruncated,
            Overloaded,
        ] {
            for request in [
                ApiRequest::post(["a"]),
                ApiRequest::put(["a"]),
                ApiRequest::delete(["a"]),
                ApiRequest::get(["a"]).effect(Effect::Write),
            ] {
                assert_eq!(
                    classified(request.clone(), kind, Processed::Unknown),
                    OutcomeUnknown,
                    "{kind}"
                );
                assert_eq!(classified(request, kind, Processed::No), kind);
            }
            for request in [
                ApiRequest::get(["a"]),
                ApiRequest::post(["a"]).effect(Effect::Read),
            ] {
                assert_eq!(classified(request, kind, Processed::Unknown), kind);
            }
        }
        for kind in [ProductRateLimited, ProductForbidden, OutcomeUnknown] {
            assert_eq!(
                classified(ApiRequest::post(["a"]), kind, Processed::Unknown),
                kind
            );
        }
    }

    #[test]
    fn an_unknown_outcome_keeps_the_products_message() {
        let error = Error::new(ProductUnavailable, "the product failed")
            .with_upstream(Upstream::new(503).with_code("backendError"));
        let error = classify(
            Effect::Write,
            Failure {
                error,
                processed: Processed::Unknown,
                on_new_connection: false,
            },
        );
        assert_eq!(
            error.message(),
            "the product failed; the request may or may not have succeeded"
        );
        assert_eq!(
            error.upstream().unwrap().code.as_deref(),
            Some("backendError")
        );
        assert!(std::error::Error::source(&error).is_some() && !error.retryable());
    }

    #[test]
    fn a_transport_error_is_classified_by_how_far_the_request_came() {
        use TransportErrorKind::{
            Cut, Exhausted, Refused, TimedOut, TooLarge, Unanswered, Unreachable,
        };
        let table = [
            (Refused, InvalidRequest, InvalidRequest, true),
            (Exhausted, Overloaded, Overloaded, true),
            (Unreachable, ProductUnavailable, ProductUnavailable, true),
            (TimedOut, ProductTimeout, OutcomeUnknown, false),
            (Cut, UpstreamTruncated, OutcomeUnknown, false),
            (Unanswered, UpstreamTruncated, OutcomeUnknown, false),
            (TooLarge, ResponseTooLarge, OutcomeUnknown, false),
        ];
        for (lost, reading, writing, unprocessed) in table {
            for (request, kind) in [
                (ApiRequest::get(["a"]), reading),
                (ApiRequest::post(["a"]), writing),
            ] {
                let failure =
                    Failure::of_transport(TransportError::new(lost, ""), request.effect_of());
                assert_eq!(failure.error.kind(), kind, "{lost:?} {}", request.method);
                assert_eq!(failure.processed == Processed::No, unprocessed, "{lost:?}");
            }
        }
    }

    #[test]
    fn a_raw_request_is_retried_once_if_nothing_was_sent() {
        let (no, unknown) = (Processed::No, Processed::Unknown);
        for (processed, kind, attempt, again) in [
            (no, ProductUnavailable, 1, true),
            (no, ProductUnavailable, 2, false),
            (no, InvalidRequest, 1, false),
            (no, Overloaded, 1, false),
            (unknown, ProductUnavailable, 1, false),
            (unknown, OutcomeUnknown, 1, false),
        ] {
            let pause = at_once(&failure(kind, processed), attempt);
            assert_eq!(pause, again.then_some(Duration::ZERO), "{kind} {attempt}");
        }
    }
}
