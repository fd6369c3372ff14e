//! Requests by their route's template from the table of routes. A caller's path is never a label.

use std::{
    array,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use foldhash::HashMap;
use http::{Method, StatusCode};
use stead::ErrorKind;
use stead_core::metrics::{Family, Histogram};

/// The label of requests without a route.
pub(crate) const NO_ROUTE: &str = "none";
/// The label of raw requests below a path.
pub(crate) const PROXY_PATH: &str = "/proxy/{connection_name}/{identifier}/{*path}";
/// The label of requests to the proxy host.
pub(crate) const PROXY_HOST: &str = "proxy_host";

const METHODS: [&str; 6] = ["other", "GET", "POST", "PUT", "PATCH", "DELETE"];
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The requests since the start.
#[derive(Debug)]
pub(crate) struct Requests {
    routes: HashMap<&'static str, Counts>,
    errors: [AtomicU64; ErrorKind::ALL.len()],
}

#[derive(Debug, Default)]
struct Counts {
    responses: [[AtomicU64; CLASSES.len()]; METHODS.len()],
    duration: Histogram,
}

impl Requests {
    /// For these paths.
    pub(crate) fn new(paths: impl IntoIterator<Item = &'static str>) -> Self {
        let paths = paths.into_iter().chain([NO_ROUTE, PROXY_HOST]);
        Self {
            routes: paths.map(|path| (path, Counts::default())).collect(),
            errors: array::from_fn(|_| AtomicU64::new(0)),
        }
    }

    /// Notes that a response's head was sent.
    pub(crate) fn responded(
        &self,
        path: &str,
        method: &Method,
        status: StatusCode,
        took: Duration,
    ) {
        let known = self.routes.get(path);
        let Some(counts) = known.or_else(|| self.routes.get(NO_ROUTE)) else {
            return;
        };
        let method = METHODS.iter().position(|name| *name == method.as_str());
        let class = usize::from(status.as_u16() / 100).saturating_sub(1);
        if let Some(responses) = counts.responses[method.unwrap_or(0)].get(class) {
            responses.fetch_add(1, Ordering::Relaxed);
        }
        counts.duration.observe(took);
    }

    /// Notes that a request ended with a problem.
    pub(crate) fn failed(&self, kind: ErrorKind) {
        let mut known = ErrorKind::ALL.iter().zip(&self.errors);
        if let Some((_, count)) = known.find(|(known, _)| **known == kind) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The metrics of requests that have occurred.
    pub(super) fn families(&self) -> [Family; 3] {
        let mut requests = Family::counter(
            "stead_http_requests_total",
            "Finished requests, by route template, method and status class.",
        );
        let mut durations = Family::histogram(
            "stead_http_request_duration_seconds",
            "Time from a request's head to its response's head, by route template.",
        );
        let mut errors = Family::counter(
            "stead_http_errors_total",
            "Error responses, by error kind, including overloaded, rate_limited and storage_unavailable.",
        );
        let mut routes: Vec<_> = self.routes.iter().collect();
        routes.sort_unstable_by_key(|(path, _)| **path);
        for (path, counts) in routes {
            let route = ("route", *path);
            for (method, classes) in METHODS.iter().zip(&counts.responses) {
                for (class, count) in CLASSES.iter().zip(classes) {
                    let count = count.load(Ordering::Relaxed);
                    if count > 0 {
                        let labels = [route, ("method", *method), ("status", *class)];
                        requests = requests.number(labels, count as f64);
                    }
                }
            }
            let duration = counts.duration.read();
            if duration.count > 0 {
                durations = durations.buckets([route], duration);
            }
        }
        for (kind, count) in ErrorKind::ALL.iter().zip(&self.errors) {
            let count = count.load(Ordering::Relaxed);
            errors = errors.number([("kind", kind.name())], count as f64);
        }
        [requests, durations, errors]
    }
}
