use std::time::Duration;

use super::read::{Failure, Processed};
use crate::{
    Error, ErrorKind,
    context::Context,
    tool::{ApiRequest, Effect, Retry},
};

/// The first sending and three repeats.
const ATTEMPTS: u8 = 4;
const LONGEST_PAUSE: Duration = Duration::from_secs(32);

/// How long to pause before sending again; `None` where that is not safe, not useful, or too late.
pub(super) fn pause(
    context: &Context,
    request: &ApiRequest,
    failure: &Failure,
    attempt: u8,
    left: Duration,
) -> Option<Duration> {
    let safe = failure.processed == Processed::No || request.retry != Retry::Unprocessed;
    let useful =
        failure.error.retryable() || (failure.error.kind() == ErrorKind::OutcomeUnknown && safe);
    // A longer quota does not come back within one call.
    let hopeless = failure.error.kind() == ErrorKind::ProductQuotaExhausted;
    if !safe || !useful || hopeless || attempt >= ATTEMPTS {
        return None;
    }
    let pause = failure
        .error
        .retry_after()
        .unwrap_or_else(|| jitter(context, attempt));
    (pause < left).then_some(pause)
}

/// Full jitter: anything up to 1 s, 2 s, 4 s …
fn jitter(context: &Context, attempt: u8) -> Duration {
    let longest = Duration::from_secs(1 << (attempt - 1).min(5)).min(LONGEST_PAUSE);
    let mut random = [0; 4];
    context.entropy.fill(&mut random);
    longest.mul_f64(f64::from(u32::from_be_bytes(random)) / f64::from(u32::MAX))
}

/// The error that is left. A write to which the product answered with its own failure may have been carried out.
pub(super) fn settle(request: &ApiRequest, failure: Failure) -> Error {
    let Failure { error, processed } = failure;
    let unavailable = matches!(
        error.kind(),
        ErrorKind::ProductUnavailable | ErrorKind::ProductTimeout | ErrorKind::UpstreamTruncated
    );
    if request.effect_of() == Effect::Read || processed == Processed::No || !unavailable {
        return error;
    }
    let mut unknown = Error::new(
        ErrorKind::OutcomeUnknown,
        format!(
            "{}: it may or may not have been carried out",
            error.message()
        ),
    );
    if let Some(upstream) = error.upstream() {
        unknown = unknown.with_upstream(upstream.clone());
    }
    unknown.with_source(error)
}

#[cfg(test)]
mod tests {
    use ErrorKind::{
        OutcomeUnknown, ProductForbidden, ProductQuotaExhausted, ProductRateLimited,
        ProductTimeout, ProductUnavailable, UpstreamTruncated,
    };
    use Retry::{Always, AlwaysWith, Unprocessed};

    use super::*;
    use crate::{
        error::Upstream,
        testing::{STABLE, World, always, context},
    };

    const MINUTE: Duration = Duration::from_secs(60);

    fn failure(kind: ErrorKind, processed: Processed) -> Failure {
        Failure {
            error: Error::new(kind, "why"),
            processed,
        }
    }

    #[test]
    fn sent_again_only_where_it_is_safe_and_useful() {
        let context = context(&World::new(), &STABLE, always(200, ""));
        let (no, unknown) = (Processed::No, Processed::Unknown);
        let table = [
            // What the product has not processed is safe.
            (Unprocessed, no, ProductRateLimited, true),
            (Unprocessed, no, ProductUnavailable, true),
            (Unprocessed, no, ProductForbidden, false),
            // A repeat that does no more than the first is safe.
            (Always, unknown, ProductUnavailable, true),
            (Always, unknown, ProductTimeout, true),
            (Always, unknown, UpstreamTruncated, true),
            (Always, unknown, OutcomeUnknown, true),
            (AlwaysWith("repeat", "true"), unknown, OutcomeUnknown, true),
            (Always, unknown, ProductForbidden, false),
            // Nothing else is.
            (Unprocessed, unknown, ProductUnavailable, false),
            (Unprocessed, unknown, ProductTimeout, false),
            (Unprocessed, unknown, UpstreamTruncated, false),
            (Unprocessed, unknown, OutcomeUnknown, false),
            // A longer quota does not come back within one call.
            (Unprocessed, no, ProductQuotaExhausted, false),
            (Always, unknown, ProductQuotaExhausted, false),
        ];
        for (resend, processed, kind, again) in table {
            let request = ApiRequest::post(["a"]).retry(resend);
            for attempt in 1..=5 {
                let pause = pause(
                    &context,
                    &request,
                    &failure(kind, processed),
                    attempt,
                    MINUTE,
                );
                assert_eq!(
                    pause.is_some(),
                    again && attempt < ATTEMPTS,
                    "{resend:?} {kind} attempt {attempt}"
                );
            }
        }
    }

    #[test]
    fn the_products_own_pause_is_kept_where_time_is_left() {
        let context = context(&World::new(), &STABLE, always(200, ""));
        let request = ApiRequest::get(["a"]);
        let asked = Duration::from_secs(7);
        let failure = Failure {
            error: Error::new(ProductRateLimited, "").with_retry_after(asked),
            processed: Processed::No,
        };
        for (left, expected) in [(MINUTE, Some(asked)), (asked, None), (Duration::ZERO, None)] {
            assert_eq!(
                pause(&context, &request, &failure, 1, left),
                expected,
                "{left:?}"
            );
        }
    }

    #[test]
    fn without_one_the_pauses_are_spread_and_grow() {
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
        let settled = |request: ApiRequest, kind, processed| {
            settle(&request, failure(kind, processed)).kind()
        };
        for kind in [ProductUnavailable, ProductTimeout, UpstreamTruncated] {
            for request in [
                ApiRequest::post(["a"]),
                ApiRequest::put(["a"]),
                ApiRequest::delete(["a"]),
                ApiRequest::get(["a"]).effect(Effect::Write),
            ] {
                assert_eq!(
                    settled(request.clone(), kind, Processed::Unknown),
                    OutcomeUnknown,
                    "{kind}"
                );
                assert_eq!(settled(request, kind, Processed::No), kind);
            }
            for request in [
                ApiRequest::get(["a"]),
                ApiRequest::post(["a"]).effect(Effect::Read),
            ] {
                assert_eq!(settled(request, kind, Processed::Unknown), kind);
            }
        }
        for kind in [ProductRateLimited, ProductForbidden, OutcomeUnknown] {
            assert_eq!(
                settled(ApiRequest::post(["a"]), kind, Processed::Unknown),
                kind
            );
        }
    }

    #[test]
    fn an_unknown_outcome_keeps_what_the_product_said() {
        let error = Error::new(ProductUnavailable, "the product failed")
            .with_upstream(Upstream::new(503).with_code("backendError"));
        let error = settle(
            &ApiRequest::post(["a"]),
            Failure {
                error,
                processed: Processed::Unknown,
            },
        );
        assert_eq!(
            error.message(),
            "the product failed: it may or may not have been carried out"
        );
        assert_eq!(
            error.upstream().unwrap().code.as_deref(),
            Some("backendError")
        );
        assert!(std::error::Error::source(&error).is_some() && !error.retryable());
    }
}
