//! All open connections. If there are too many, idle ones are closed: first those of the source with the most
//! connections, the oldest first.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use tokio::time::Instant;

use super::activity::Activity;
use crate::source::Source;

/// Closes this fraction of a source's idle connections at a time, so that a flood doesn't cost a search for every
/// connection.
const PART: usize = 16;

/// The open connections.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    members: Mutex<HashMap<u64, Member>>,
    next: AtomicU64,
    /// Connections that were cut and haven't gone yet.
    leaving: AtomicUsize,
}

#[derive(Debug)]
struct Member {
    source: Option<Source>,
    activity: Activity,
}

/// A connection's place, until it is dropped.
pub(super) struct Place<C: std::ops::Deref<Target = Crowd>> {
    crowd: C,
    id: u64,
}

impl<C: std::ops::Deref<Target = Crowd>> Drop for Place<C> {
    fn drop(&mut self) {
        let left = self.crowd.members().remove(&self.id);
        if left.is_some_and(|member| member.activity.was_cut()) {
            self.crowd.leaving.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Crowd {
    fn members(&self) -> MutexGuard<'_, HashMap<u64, Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of connections, without those that were cut.
    pub(super) fn count(&self) -> usize {
        let leaving = self.leaving.load(Ordering::Relaxed);
        self.members().len().saturating_sub(leaving)
    }

    /// Counts a connection.
    pub(super) fn join<C: std::ops::Deref<Target = Self>>(
        crowd: C,
        peer: Option<SocketAddr>,
        activity: Activity,
    ) -> Place<C> {
        let id = crowd.next.fetch_add(1, Ordering::Relaxed);
        let source = peer.map(|peer| Source::of(peer.ip()));
        crowd.members().insert(id, Member { source, activity });
        Place { crowd, id }
    }

    /// Closes some connections without a running request, and returns whether there were any. Those that an application
    /// has used come last.
    pub(super) fn make_room(&self) -> bool {
        let members = self.members();
        let waiting = |known: bool| {
            let mut waiting: HashMap<Option<Source>, Vec<(Instant, &Activity)>> = HashMap::new();
            for member in members.values() {
                if let Some(since) = member.activity.waits_since()
                    && member.activity.is_known() == known
                {
                    let of_source = waiting.entry(member.source).or_default();
                    of_source.push((since, &member.activity));
                }
            }
            waiting.into_values().max_by_key(Vec::len)
        };
        let Some(mut waiting) = waiting(false).or_else(|| waiting(true)) else {
            return false;
        };
        waiting.sort_unstable_by_key(|(since, _)| *since);
        let count = waiting.len().div_ceil(PART);
        self.leaving.fetch_add(count, Ordering::Relaxed);
        for (_, activity) in waiting.into_iter().take(count) {
            activity.cut();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, atomic::Ordering};

    use super::*;
    use crate::serve::under_way::UnderWay;

    /// A connection from an address, and its place.
    fn join(crowd: &Arc<Crowd>, peer: &str) -> (Activity, Place<Arc<Crowd>>) {
        let activity = Activity::new(UnderWay::default());
        let place = Crowd::join(
            Arc::clone(crowd),
            Some(peer.parse().unwrap()),
            activity.clone(),
        );
        (activity, place)
    }

    fn open(connections: &[(Activity, Place<Arc<Crowd>>)]) -> usize {
        let open = connections.iter();
        open.filter(|(activity, _)| activity.waits_since().is_some())
            .count()
    }

    #[tokio::test(start_paused = true)]
    async fn the_source_with_the_most_waiting_connections_makes_room_with_its_oldest() {
        let crowd = Arc::new(Crowd::default());
        let one = join(&crowd, "192.0.2.1:1000");
        let mut flood = Vec::new();
        for port in 1..=32 {
            tokio::time::advance(std::time::Duration::from_secs(1)).await;
            flood.push(join(&crowd, &format!("[2001:db8::{port}]:{port}")));
        }
        assert_eq!(crowd.count(), 33);
        assert!(crowd.make_room());
        assert_eq!((open(&flood), open(std::slice::from_ref(&one))), (30, 1));
        assert_eq!(open(&flood[..2]), 0, "the oldest went");
        assert_eq!(crowd.count(), 31);
        flood.truncate(20);
        assert_eq!(crowd.count(), 19, "18 of the flood and one");
    }

    #[tokio::test(start_paused = true)]
    async fn connections_of_applications_go_last_and_those_with_a_request_stay() {
        let crowd = Arc::new(Crowd::default());
        let known = [join(&crowd, "192.0.2.1:1"), join(&crowd, "192.0.2.1:2")];
        for (activity, _) in &known {
            activity.known().store(true, Ordering::Relaxed);
        }
        let stranger = join(&crowd, "192.0.2.2:1");
        let (busy, _place) = join(&crowd, "192.0.2.2:2");
        busy.arrived(b"GET / HTTP/1.1\r\n\r\n");
        let answering = busy.begin();
        assert!(answering.is_some());

        assert!(crowd.make_room());
        assert_eq!((open(&[stranger]), open(&known)), (0, 2));
        assert!(crowd.make_room() && crowd.make_room());
        assert_eq!(open(&known), 0);
        assert!(!crowd.make_room(), "a request is not cut off for room");
    }
}
