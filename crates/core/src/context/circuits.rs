//! Circuit breakers for token endpoints that fail for everyone.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Failures in a row that open a circuit.
const FAILURES: u32 = 20;
/// While a circuit is open, one request is sent per this time.
const PROBE: Duration = Duration::from_secs(15);

/// State of token endpoints in this process, by URL.
#[derive(Default)]
pub(crate) struct Circuits(Mutex<HashMap<String, Circuit>>);

#[derive(Debug, Clone, Copy, Default)]
struct Circuit {
    failures: u32,
    next_probe: Duration,
}

impl Circuit {
    fn wait(self, now: Duration) -> Option<Duration> {
        let wait = self.next_probe.saturating_sub(now);
        (self.failures >= FAILURES && !wait.is_zero()).then_some(wait)
    }
}

impl Circuits {
    /// How long a request to this endpoint would need to wait.
    pub(crate) fn wait(&self, url: &str, now: Duration) -> Option<Duration> {
        let circuits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        circuits.get(url).and_then(|circuit| circuit.wait(now))
    }

    /// Starts a request, or returns how long it needs to wait.
    pub(crate) fn try_begin(&self, url: &str, now: Duration) -> Option<Duration> {
        let mut circuits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let circuit = circuits.get_mut(url)?;
        let wait = circuit.wait(now);
        if wait.is_none() {
            circuit.next_probe = now + PROBE;
        }
        wait
    }

    /// Records the result of a request.
    pub(crate) fn note(&self, url: &str, failed: bool, now: Duration) {
        let mut circuits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !failed {
            circuits.remove(url);
            return;
        }
        let circuit = circuits.entry(url.to_owned()).or_default();
        circuit.failures = circuit.failures.saturating_add(1);
        circuit.next_probe = now + PROBE;
        if circuit.failures == FAILURES {
            tracing::warn!(
                url,
                "a token endpoint fails for everyone; it is asked once in 15 s until it works"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://login.demo.test/token";

    #[test]
    fn an_open_circuit_allows_one_request_in_fifteen_seconds() {
        let circuits = Circuits::default();
        let second = Duration::from_secs(1);
        for _ in 1..FAILURES {
            assert_eq!(circuits.try_begin(URL, second), None);
            circuits.note(URL, true, second);
            assert_eq!(circuits.wait(URL, second), None);
        }
        circuits.note(URL, true, second);
        assert_eq!(circuits.wait(URL, second), Some(PROBE));
        assert_eq!(circuits.try_begin(URL, second * 6), Some(second * 10));
        assert_eq!(circuits.try_begin("https://other.test/token", second), None);
        let later = second + PROBE;
        assert_eq!(circuits.try_begin(URL, later), None, "a probe");
        assert_eq!(circuits.try_begin(URL, later), Some(PROBE), "one at a time");
        circuits.note(URL, true, later);
        assert_eq!(circuits.wait(URL, later), Some(PROBE));
        circuits.note(URL, false, later);
        assert_eq!(circuits.wait(URL, later), None, "it works again");
    }

    #[test]
    fn one_success_between_failures_keeps_the_circuit_closed() {
        let circuits = Circuits::default();
        for _ in 1..FAILURES * 3 {
            circuits.note(URL, true, Duration::ZERO);
            circuits.note(URL, false, Duration::ZERO);
        }
        assert_eq!(circuits.wait(URL, Duration::ZERO), None);
    }
}
