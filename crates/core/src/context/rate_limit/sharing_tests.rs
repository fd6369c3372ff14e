//! Servers with different clocks share a store, and together they stay within an account's quota.

use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::SignedDuration;
use uuid::Uuid;

use super::{window::MINUTE, *};
use crate::{
    context::Context,
    testing::{Asked, Clock, Flaky, Outage, STABLE, World, always, idle, ports},
};

const QUOTA: u32 = 1000;
const TICK: Duration = Duration::from_millis(250);

struct Stage {
    world: World,
    store: Arc<Flaky>,
    /// How often the store was asked for a row or a commit.
    asked: Arc<AtomicUsize>,
    servers: Vec<Context>,
    account: AccountId,
    quota: Quota,
    /// The time, the server and the number of units of each request.
    spent: Vec<(Duration, usize, u32)>,
}

impl Stage {
    fn new(servers: u32, units_per_minute: u32) -> Self {
        let world = World::new();
        let (store, asked) = (Flaky::new(world.process(0)), Arc::<AtomicUsize>::default());
        store.share();
        let counted = Arc::clone(&asked);
        store.script(move |asked| {
            let counts = matches!(asked, Asked::Row | Asked::Commit);
            counted.fetch_add(usize::from(counts), Ordering::SeqCst);
            std::future::ready(Ok(()))
        });
        let opened = (1..=servers).map(|number| {
            let seconds = if number % 2 == 0 { 30 } else { -30 };
            let ahead = SignedDuration::from_secs(seconds);
            world.set_clock(number, Clock { ahead, drift: 0 });
            let store = Arc::clone(&store) as _;
            let ports = ports(world.process(number), always(200, ""), store);
            world.run(idle(&STABLE, ports))
        });
        let servers = opened.collect();
        asked.store(0, Ordering::SeqCst);
        Self {
            world,
            store,
            asked,
            servers,
            account: AccountId::from_uuid(Uuid::from_u128(1)),
            quota: Quota {
                units_per_minute,
                ..Quota::UNLIMITED
            },
            spent: Vec::new(),
        }
    }

    /// Sends a request of a server, unless it would have to wait for its turn. Returns whether it was sent.
    fn spend(&mut self, server: usize, units: u32) -> bool {
        let context = &self.servers[server];
        let limiter = context.limits.rates.of(self.account, Some(self.quota));
        let cost = Cost::of(Effect::Read, units);
        let sent = self.world.run(async {
            context.share_quota(self.account, &limiter, cost).await;
            let turn = limiter.acquire(context.host.runtime.as_ref(), cost, Duration::ZERO);
            turn.await.is_ok()
        });
        if sent {
            self.spent.push((context.host.monotonic(), server, units));
        }
        sent
    }

    /// Each of these servers sends as many units as it can for this time, up to its number per tick.
    fn load(&mut self, servers: &[(usize, u32)], duration: Duration) {
        let end = self.now() + duration;
        while self.now() < end {
            for (server, units) in servers {
                (0..*units).all(|_| self.spend(*server, 1));
            }
            self.world.advance(TICK);
        }
    }

    fn now(&self) -> Duration {
        self.servers[0].host.monotonic()
    }

    fn queries(&self) -> usize {
        self.asked.swap(0, Ordering::SeqCst)
    }

    /// Units that were spent in the last minute, by one server or all.
    fn last_minute(&self, of: Option<usize>) -> u32 {
        let from = self.now().saturating_sub(MINUTE);
        let spent = self.spent.iter().filter(|(at, ..)| *at >= from);
        let spent = spent.filter(|(_, server, _)| of.is_none_or(|of| of == *server));
        spent.map(|(.., units)| units).sum()
    }

    /// The most units that were spent in any 60 seconds.
    fn most(&self) -> u32 {
        let (mut held, mut most, mut first) = (0, 0, 0);
        for (at, _, units) in &self.spent {
            held += units;
            while self.spent[first].0 + MINUTE <= *at {
                held -= self.spent[first].2;
                first += 1;
            }
            most = most.max(held);
        }
        most
    }
}

#[test]
fn five_servers_under_full_load_spend_one_quota() {
    let mut stage = Stage::new(5, QUOTA);
    let all: Vec<_> = (0..5).map(|server| (server, 20)).collect();
    stage.load(&all, MINUTE * 6);
    assert!(stage.most() <= QUOTA, "{}", stage.most());
    let all = stage.last_minute(None);
    assert!(all >= QUOTA * 85 / 100, "{all}");
    for server in 0..5 {
        let own = stage.last_minute(Some(server));
        assert!(
            (QUOTA * 15 / 100..=QUOTA / 5).contains(&own),
            "{own} of {server}"
        );
    }
    // Each of them makes a claim at most every 5 seconds, with a lookup and a commit.
    assert!(stage.queries() <= 5 * 2 * 80);
}

#[test]
fn one_busy_server_gets_nearly_all_until_another_one_is_busy_too() {
    let mut stage = Stage::new(3, QUOTA);
    stage.load(&[(0, 20), (1, 0)], MINUTE * 3);
    let own = stage.last_minute(Some(0));
    assert!(own >= QUOTA * 85 / 100, "{own}");
    stage.load(&[(0, 20), (1, 20)], MINUTE * 4);
    let own = [0, 1].map(|server| stage.last_minute(Some(server)));
    assert!(own.iter().all(|own| *own >= QUOTA * 40 / 100), "{own:?}");
    assert!(stage.most() <= QUOTA, "{}", stage.most());
}

#[test]
fn an_account_with_few_calls_needs_no_query() {
    let mut stage = Stage::new(5, QUOTA);
    for _ in 0..20 {
        for server in 0..5 {
            assert!(stage.spend(server, 1));
        }
        stage.world.advance(Duration::from_secs(6));
    }
    assert_eq!(stage.queries(), 0);
    // Keeping a slice needs a query now and then.
    for _ in 0..400 {
        assert!(stage.spend(0, 1));
        stage.world.advance(TICK);
    }
    let queries = stage.queries();
    assert!((2..=30).contains(&queries), "{queries}");
}

#[test]
fn the_slice_of_a_dead_server_is_returned() {
    let mut stage = Stage::new(2, QUOTA);
    stage.load(&[(0, 20), (1, 20)], MINUTE * 3);
    assert!(stage.last_minute(Some(1)) < QUOTA / 2);
    stage.load(&[(1, 20)], MINUTE * 3);
    let own = stage.last_minute(Some(1));
    assert!(own >= QUOTA * 85 / 100, "{own}");
    assert!(stage.most() <= QUOTA, "{}", stage.most());
}

#[test]
fn a_server_uses_its_quota_slice_while_the_store_is_down() {
    let mut stage = Stage::new(2, QUOTA);
    stage.load(&[(0, 20), (1, 20)], MINUTE * 3);
    stage.store.set_outage(Some(Outage::ReadsAndWrites));
    stage.load(&[(0, 20), (1, 20)], MINUTE * 3);
    let own = [0, 1].map(|server| stage.last_minute(Some(server)));
    assert!(own.iter().all(|own| *own >= QUOTA * 40 / 100), "{own:?}");
    stage.queries();
    stage.load(&[(0, 20)], Duration::from_secs(20));
    assert_eq!(stage.queries(), 0, "a store that is away is not asked");
    stage.store.set_outage(None);
    stage.load(&[(0, 20), (1, 20)], MINUTE * 3);
    assert!(stage.most() <= QUOTA, "{}", stage.most());
}

#[test]
fn a_request_above_the_free_part_is_charged_to_a_slice() {
    let mut stage = Stage::new(2, QUOTA);
    assert!(stage.spend(0, QUOTA * 80 / 100));
    assert!(stage.spend(1, QUOTA / 100));
    assert!(!stage.spend(1, QUOTA * 15 / 100));
    assert!(stage.most() <= QUOTA, "{}", stage.most());
}

#[test]
fn a_small_quota_is_exceeded_by_at_most_one_unit_per_server() {
    let mut stage = Stage::new(5, 10);
    let all: Vec<_> = (0..5).map(|server| (server, 2)).collect();
    stage.load(&all, MINUTE * 5);
    assert!((8..=15).contains(&stage.most()), "{}", stage.most());
}
