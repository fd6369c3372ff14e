//! Hosts that couldn't be reached. The log reports each at most once a minute.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use http::Uri;

use super::Context;
use crate::ports::Unreached;

/// Time between two log entries about a host.
const PAUSE: Duration = Duration::from_secs(60);
/// Maximum number of hosts to remember.
const HOSTS: usize = 1000;

/// When the log last reported each host.
#[derive(Default)]
pub(crate) struct UnreachedHosts(Mutex<HashMap<String, Duration>>);

impl UnreachedHosts {
    /// Describes the failure at the host of a URL, and logs it.
    pub(crate) fn said(&self, context: &Context, url: &str, why: Unreached) -> String {
        let uri = url.parse::<Uri>().unwrap_or_default();
        let host = uri
            .authority()
            .map_or("an unnamed host", |host| host.as_str());
        let said = why.at(host);
        if self.is_due(host, context.host.monotonic()) {
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
