//! Metrics of calls, products, refreshes, events and the store. Counting needs only atomic additions, without locks or
//! allocations. Read the metrics as [`Family`]s.
//!
//! Labels are static texts from known lists, so the number of samples doesn't grow with accounts and connections.
//! Libraries for metrics register series at run time, behind a lock or in a global.

mod counter;
mod family;
mod label;

use std::{
    array,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

pub(crate) use counter::Counter;
pub use counter::Histogram;
pub use family::{Buckets, Family, FamilyKind, Sample, SampleValue};
pub(crate) use label::{CallKind, Outcome, Refresh, StoreOperation, StoreOutcome};

use crate::resource::EVENT_TYPES;

/// The product label of calls that name no product.
const NO_PRODUCT: &str = "none";

/// All counters of a process.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// The last one is for calls that named no product.
    products: Vec<OfProduct>,
    /// In the order of the table of types.
    events: Vec<Counter>,
    store: OfStore,
}

#[derive(Debug)]
struct OfProduct {
    name: &'static str,
    calls: [[Counter; Outcome::COUNT]; CallKind::ALL.len()],
    call_duration: Histogram,
    requests: [Counter; label::RESPONSES.len()],
    request_duration: Histogram,
    refreshes: [Counter; Refresh::ALL.len()],
}

impl OfProduct {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            calls: array::from_fn(|_| array::from_fn(|_| Counter::default())),
            call_duration: Histogram::default(),
            requests: array::from_fn(|_| Counter::default()),
            request_duration: Histogram::default(),
            refreshes: array::from_fn(|_| Counter::default()),
        }
    }
}

#[derive(Debug, Default)]
struct OfStore {
    operations: [[Counter; StoreOutcome::ALL.len()]; StoreOperation::ALL.len()],
    durations: [Histogram; StoreOperation::ALL.len()],
    is_away: AtomicBool,
}

impl Metrics {
    pub(crate) fn new(products: impl Iterator<Item = &'static str>) -> Self {
        Self {
            products: products.chain([NO_PRODUCT]).map(OfProduct::new).collect(),
            events: EVENT_TYPES.iter().map(|_| Counter::default()).collect(),
            store: OfStore::default(),
        }
    }

    fn of(&self, product: &str) -> Option<&OfProduct> {
        let known = self.products.iter().find(|known| known.name == product);
        known.or(self.products.last())
    }

    /// Counts a call that has ended.
    pub(crate) fn call(
        &self,
        product: Option<&str>,
        kind: CallKind,
        outcome: Outcome,
        took: Duration,
    ) {
        if let Some(of) = self.of(product.unwrap_or(NO_PRODUCT)) {
            of.calls[kind as usize][outcome.index()].add_one();
            of.call_duration.observe(took);
        }
    }

    /// Counts a request to a product. Its response was read, except for a part that is streamed to the caller.
    pub(crate) fn request(&self, product: &str, status: Option<http::StatusCode>, took: Duration) {
        if let Some(of) = self.of(product) {
            of.requests[label::response(status)].add_one();
            of.request_duration.observe(took);
        }
    }

    /// Counts a token request with a refresh token.
    pub(crate) fn refresh(&self, product: &str, outcome: Refresh) {
        if let Some(of) = self.of(product) {
            of.refreshes[outcome as usize].add_one();
        }
    }

    /// Counts a committed event.
    pub(crate) fn event(&self, name: &str) {
        let mut types = EVENT_TYPES.iter().zip(&self.events);
        if let Some((_, counter)) = types.find(|(known, _)| known.name == name) {
            counter.add_one();
        }
    }

    /// Counts a response or failure of the store.
    pub(crate) fn store(&self, operation: StoreOperation, outcome: StoreOutcome, took: Duration) {
        let operation = operation as usize;
        self.store.operations[operation][outcome as usize].add_one();
        self.store.durations[operation].observe(took);
        let failed = outcome == StoreOutcome::Failed;
        self.store.is_away.store(failed, Ordering::Relaxed);
    }

    /// Everything that was counted. If a label has many values, those that never occurred are omitted.
    pub(crate) fn families(&self) -> Vec<Family> {
        let mut calls = Family::counter(
            "stead_calls_total",
            "Finished tool calls and raw requests, by product, kind and outcome.",
        );
        let mut call_duration = Family::histogram(
            "stead_call_duration_seconds",
            "Duration of whole calls, by product.",
        );
        let mut requests = Family::counter(
            "stead_product_requests_total",
            "Requests to products' APIs, by status class; none if no response arrived.",
        );
        let mut request_duration = Family::histogram(
            "stead_product_request_duration_seconds",
            "Duration of requests to products' APIs.",
        );
        let mut refreshes = Family::counter(
            "stead_token_refreshes_total",
            "Refreshes at products' token endpoints, by outcome.",
        );
        for of in &self.products {
            let product = ("product", of.name);
            for (kind, outcomes) in CallKind::ALL.iter().zip(&of.calls) {
                for (outcome, counter) in Outcome::all().zip(outcomes) {
                    if let Some(count) = counted(counter) {
                        let labels = [product, ("kind", kind.name()), ("outcome", outcome.name())];
                        calls = calls.number(labels, count);
                    }
                }
            }
            call_duration = call_duration.buckets([product], of.call_duration.read());
            if of.name == NO_PRODUCT {
                continue;
            }
            for (class, counter) in label::RESPONSES.iter().zip(&of.requests) {
                if let Some(count) = counted(counter) {
                    requests = requests.number([product, ("status", class)], count);
                }
            }
            request_duration = request_duration.buckets([product], of.request_duration.read());
            for (outcome, counter) in Refresh::ALL.iter().zip(&of.refreshes) {
                let labels = [product, ("outcome", outcome.name())];
                refreshes = refreshes.number(labels, counter.get() as f64);
            }
        }
        let mut events = Family::counter(
            "stead_events_total",
            "Events that this process has stored, by type.",
        );
        for (known, counter) in EVENT_TYPES.iter().zip(&self.events) {
            events = events.number([("type", known.name)], counter.get() as f64);
        }
        let mut all = vec![
            calls,
            call_duration,
            requests,
            request_duration,
            refreshes,
            events,
        ];
        all.extend(self.store.families());
        all
    }
}

impl OfStore {
    fn families(&self) -> [Family; 3] {
        let mut operations = Family::counter(
            "stead_store_operations_total",
            "Reads, commits and deletions in the store, by outcome.",
        );
        let mut durations = Family::histogram(
            "stead_store_operation_duration_seconds",
            "Duration of reads, commits and deletions in the store.",
        );
        for (operation, outcomes) in StoreOperation::ALL.iter().zip(&self.operations) {
            let label = ("operation", operation.name());
            for (outcome, counter) in StoreOutcome::ALL.iter().zip(outcomes) {
                let labels = [label, ("outcome", outcome.name())];
                operations = operations.number(labels, counter.get() as f64);
            }
            let duration = &self.durations[*operation as usize];
            durations = durations.buckets([label], duration.read());
        }
        let away = Family::gauge(
            "stead_store_away",
            "1 if the store didn't respond to the last check, else 0.",
        );
        let is_away = self.is_away.load(Ordering::Relaxed);
        [
            operations,
            durations,
            away.number([], f64::from(u8::from(is_away))),
        ]
    }
}

/// A counter's value, or `None` if it's zero.
fn counted(counter: &Counter) -> Option<f64> {
    let count = counter.get();
    (count > 0).then_some(count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn number(metrics: &Metrics, name: &str, labels: &[(&'static str, &'static str)]) -> f64 {
        let families = metrics.families();
        let family = families.iter().find(|family| family.name == name).unwrap();
        let sample = family.samples.iter().find(|sample| sample.labels == labels);
        match &sample.unwrap().value {
            SampleValue::Number(number) => *number,
            SampleValue::Buckets(buckets) => buckets.count as f64,
        }
    }

    #[test]
    fn events_are_counted_under_their_labels() {
        let metrics = Metrics::new(["mail", "drive"].into_iter());
        let took = Duration::from_millis(3);
        metrics.call(Some("drive"), CallKind::Read, Outcome::Ok, took);
        let failed = Outcome::Failed(ErrorKind::UnknownTool);
        metrics.call(None, CallKind::Unknown, failed, took);
        metrics.call(
            Some("of another environment"),
            CallKind::Unknown,
            failed,
            took,
        );
        metrics.request("drive", Some(http::StatusCode::OK), took);
        metrics.refresh("mail", Refresh::Refused);
        metrics.event("authorization.completed");
        metrics.event("of another version");
        let calls = |labels: [&'static str; 3]| {
            let [product, kind, outcome] = labels;
            let labels = [("product", product), ("kind", kind), ("outcome", outcome)];
            number(&metrics, "stead_calls_total", &labels)
        };
        assert_eq!(calls(["drive", "read", "ok"]), 1.0);
        assert_eq!(calls(["none", "unknown", "unknown_tool"]), 2.0);
        let of = |product| [("product", product)];
        let durations = "stead_call_duration_seconds";
        assert_eq!(number(&metrics, durations, &of("drive")), 1.0);
        assert_eq!(number(&metrics, durations, &of("mail")), 0.0);
        let refused = [("product", "mail"), ("outcome", "refused")];
        assert_eq!(
            number(&metrics, "stead_token_refreshes_total", &refused),
            1.0
        );
        let completed = [("type", "authorization.completed")];
        assert_eq!(number(&metrics, "stead_events_total", &completed), 1.0);
        let passed = [("product", "drive"), ("status", "2xx")];
        assert_eq!(
            number(&metrics, "stead_product_requests_total", &passed),
            1.0
        );
    }

    #[test]
    fn the_store_is_away_until_it_responds() {
        let metrics = Metrics::new(std::iter::empty());
        let away = || number(&metrics, "stead_store_away", &[]);
        assert_eq!(away(), 0.0);
        metrics.store(StoreOperation::Read, StoreOutcome::Failed, Duration::ZERO);
        assert_eq!(away(), 1.0);
        metrics.store(
            StoreOperation::Commit,
            StoreOutcome::Conflict,
            Duration::ZERO,
        );
        assert_eq!(away(), 0.0);
        let conflicts = [("operation", "commit"), ("outcome", "conflict")];
        assert_eq!(
            number(&metrics, "stead_store_operations_total", &conflicts),
            1.0
        );
    }
}
