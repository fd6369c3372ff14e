//! Hosts to which no connection came about: the log says so once in a minute for each.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use http::Uri;

use super::Context;
use crate::ports::Unreached;

/// How long the log is silent about a host.
const PAUSE: Duration = Duration::from_secs(60);
/// Hosts that are remembered at most.
const HOSTS: usize = 1000;

/// When the log spoke of a host last.
#[derive(Default)]
pub(crate) struct UnreachedHosts(Mutex<HashMap<String, Duration>>);

impl UnreachedHosts {
    /// What happened at the host of a URL; the log says it too.
    pub(crate) fn said(&self, context: &Context, url: &str, why: Unreached) -> String {
        let uri = url.parse::<Uri>().unwrap_or_default();
        let host = uri
            .authority()
            .map_or("an unnamed host", |host| host.as_str());
        let said = why.at(host);
        if self.is_due(host, context.monotonic()) {
            tracing::warn!(host, "a product can't be reached: {said}");
        }
        said
    }

    fn is_due(&self, host: &str, now: Duration) -> bool {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |last: &Duration| now.saturating_sub(*last) < PAUSE;
        if hosts.get(host).is_some_and(is_recent) {
            return false;
        }
        if hosts.len() >= HOSTS {
            hosts.retain(|_, last| is_recent(last));
        }
        let is_known = hosts.len() < HOSTS;
        if is_known {
            hosts.insert(host.to_owned(), now);
        }
        is_known
    }
}
