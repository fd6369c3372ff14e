use std::time::Duration;

use super::read::{Failure, Processed};
use crate::{
    Error, ErrorKind,
    environment::Environment,
    tool::{ApiRequest, Effect, Resend},
};

/// The first sending and three repeats.
const ATTEMPTS: u8 = 4;
const LONGEST_PAUSE: Duration = Duration::from_secs(32);

/// How long to pause before sending again; `None` where that is not safe, not useful, or too late.
pub(super) fn pause(environment: &Environment, request: &ApiRequest, failure: &Failure, attempt: u8, left: Duration) -> Option<Duration> {
    let safe = failure.processed == Processed::No || request.resend != Resend::Unprocessed;
    let useful = failure.error.retryable() || (failure.error.kind() == ErrorKind::OutcomeUnknown && safe);
    // A longer quota does not come back within one call.
    let hopeless = failure.error.kind() == ErrorKind::ProductQuotaExhausted;
    if !safe || !useful || hopeless || attempt >= ATTEMPTS {
        return None;
    }
    let pause = failure.error.retry_after().unwrap_or_else(|| jitter(environment, attempt));
    (pause < left).then_some(pause)
}

/// Full jitter: anything up to 1 s, 2 s, 4 s …
fn jitter(environment: &Environment, attempt: u8) -> Duration {
    let longest = Duration::from_secs(1 << (attempt - 1).min(5)).min(LONGEST_PAUSE);
    let mut random = [0; 4];
    environment.entropy().fill(&mut random);
    longest.mul_f64(f64::from(u32::from_be_bytes(random)) / f64::from(u32::MAX))
}

/// The error that is left. A write to which the product answered with its own failure may have been carried out.
pub(super) fn settle(request: &ApiRequest, failure: Failure) -> Error {
    let Failure { error, processed } = failure;
    let unavailable = matches!(error.kind(), ErrorKind::ProductUnavailable | ErrorKind::ProductTimeout | ErrorKind::UpstreamTruncated);
    if request.effect_of() == Effect::Read || processed == Processed::No || !unavailable {
        return error;
    }
    let mut unknown = Error::new(ErrorKind::OutcomeUnknown, format!("{}: it may or may not have been carried out", error.message()));
    if let Some(upstream) = error.upstream() {
        unknown = unknown.with_upstream(upstream.clone());
    }
    unknown.with_source(error)
}
