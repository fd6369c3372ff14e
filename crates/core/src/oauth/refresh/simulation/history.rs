//! One history: two processes of one machine on one store, and everything that happens to them.

use jiff::SignedDuration;
use uuid::Uuid;

use super::{
    Act, Arc, Class, Duration, Mutex, Open, Scene, USER, lock, ready,
    seen::{Seen, Sight},
    server::Server,
    user,
    work::{authorize, change_client, connect, read_note},
};
use crate::{
    Error, ErrorKind, Result, accounts,
    context::Context,
    domain::Account,
    identifier::{AccountId, AuthorizationId},
    oauth,
    ports::Runtime as _,
    product::Rotation,
    resource::{
        DisconnectAccount, Disconnection, ReadAccount, RefreshAccount, ResumeAccount,
        SuspendAccount, VerifyAuthorization,
    },
    state::{AccountReason, AccountState},
    testing::{Clock, Flaky, Machine, Responses, World, idle, open_spooled, ports},
};

/// The process number of everything that isn't one of the two processes: the store's clock, the product's clock, and
/// the observer that reads the rows.
const STORE: u32 = 9;
const PRODUCT: u32 = 8;
const OBSERVER: u32 = 7;

/// The name of a commit, the process that freezes after it, and for how many scenes.
type FreezeAfter = (&'static str, u32, u8);

pub(super) struct History {
    pub(super) world: World,
    class: Class,
    pub(super) server: Server,
    /// Opens the store again.
    open: Open,
    store: Arc<Flaky>,
    machine: Arc<Machine>,
    environments: Vec<Context>,
    account: AccountId,
    pub(super) seen: Arc<Mutex<Seen>>,
    failures: Arc<Mutex<Vec<Error>>>,
    /// Whether the connection's client was changed.
    changed: bool,
    /// The number of scenes for which each process is still frozen.
    frozen: Arc<Mutex<[u8; 2]>>,
    freezes_after: Arc<Mutex<Option<FreezeAfter>>>,
    /// Authorizations that the application hasn't confirmed yet. The oldest is last.
    waiting: Arc<Mutex<Vec<AuthorizationId>>>,
}

impl History {
    /// Creates two processes with separate clocks, and an active account.
    pub(super) fn new(
        class: Class,
        seed: u64,
        clocks: [Clock; 2],
        stores: &dyn Fn(Arc<dyn crate::ports::Runtime>) -> Open,
    ) -> Self {
        let world = World::seeded(seed);
        for (process, clock) in (0..2).zip(clocks) {
            world.set_clock(process, clock);
        }
        let open = stores(world.process(STORE));
        let store = Flaky::over(open(), true);
        let server = Server::new(class, world.process(PRODUCT), Arc::clone(&store));
        let mut history = Self {
            world,
            class,
            server,
            open,
            store,
            machine: Arc::default(),
            environments: Vec::new(),
            account: AccountId::from_uuid(Uuid::nil()),
            seen: Arc::default(),
            failures: Arc::default(),
            changed: false,
            frozen: Arc::default(),
            freezes_after: Arc::default(),
            waiting: Arc::default(),
        };
        history.environments = vec![history.opened(0), history.opened(1)];
        history.watch();
        let context = history.environments[0].clone();
        history.world.run(connect(&context));
        let server = history.server.clone();
        let consent = authorize(context.clone(), server, true, Arc::default());
        history.world.ok(consent);
        let account = history.world.run(accounts::read(
            &context,
            ReadAccount::new(&user().connection, &user().identifier),
        ));
        history.account = account.unwrap().id;
        history
    }

    /// Starts a process.
    fn opened(&self, process: u32) -> Context {
        let (server, ledger) = (self.server.clone(), self.server.clone());
        let transport = Responses::by(move |request| server.clone().respond(process, request));
        let kept = move || ledger.state().ledger.keep_all_of(process);
        self.world.run(open_spooled(
            self.world.process(process),
            self.class.product(),
            transport,
            self.store.another((self.open)()),
            self.machine.spool(process, kept),
        ))
    }

    fn watch(&self) {
        let (seen, server, store) = (
            Arc::clone(&self.seen),
            self.server.clone(),
            Flaky::over((self.open)(), false),
        );
        let rotation = self.class.product().oauth.rotation;
        let never = Responses::by(|_| async { unreachable!("the observer sends nothing") });
        let ports = ports(self.world.process(OBSERVER), never, Arc::clone(&store) as _);
        let observer = self.world.run(idle(self.class.product(), ports));
        let (freezes_after, freeze) = (Arc::clone(&self.freezes_after), self.freezer());
        self.store.watch(move |batch| {
            let sight = Sight {
                rows: store.rows(),
                observer: &observer,
                server: &server,
                rotation,
            };
            lock(&seen).committed(batch, &sight);
            let due = lock(&freezes_after).take_if(|(commit, ..)| *commit == batch.name);
            if let Some((_, process, scenes)) = due {
                freeze(process, scenes);
            }
        });
    }

    /// Freezes a process for a number of scenes.
    fn freezer(&self) -> impl Fn(u32, u8) + Send + Sync + 'static {
        let (world, server) = (self.world.clone(), self.server.clone());
        let frozen = Arc::clone(&self.frozen);
        move |process, scenes| {
            lock(&frozen)[process as usize] = scenes;
            world.freeze(process, true);
            server.state().ledger.freeze(process);
        }
    }

    /// Counts down one scene for each frozen process.
    fn thaw(&self) {
        for (process, scenes) in (0..).zip(lock(&self.frozen).iter_mut()) {
            *scenes = scenes.saturating_sub(1);
            if *scenes == 0 {
                self.world.freeze(process, false);
            }
        }
    }

    pub(super) fn play(&mut self, (acts, wait): &Scene) {
        acts.iter().for_each(|act| self.act(act));
        self.world.advance(*wait);
        self.thaw();
        self.check_failures();
    }

    fn act(&mut self, act: &Act) {
        match *act {
            Act::Call(process) => self.run(process, |it| async move { read_note(&it).await }),
            Act::Refresh(process) => self.run(process, |it| async move {
                accounts::refresh(
                    &it,
                    RefreshAccount::new(&user().connection, &user().identifier),
                )
                .await
                .map(drop)
            }),
            Act::Suspend(process) => self.run(process, |it| async move {
                accounts::suspend(
                    &it,
                    SuspendAccount::new(&user().connection, &user().identifier),
                )
                .await
                .map(drop)
            }),
            Act::Resume(process) => self.run(process, |it| async move {
                accounts::resume(
                    &it,
                    ResumeAccount::new(&user().connection, &user().identifier),
                )
                .await
                .map(drop)
            }),
            Act::Disconnect(process, revoke) => {
                self.run(process, move |it| async move {
                    let how = Disconnection::new().revoke_at_product(revoke);
                    accounts::disconnect(
                        &it,
                        DisconnectAccount::new(&user().connection, &user().identifier).how(how),
                    )
                    .await
                    .map(drop)
                });
            }
            Act::Authorize(process, verify) => {
                let (server, waiting) = (self.server.clone(), Arc::clone(&self.waiting));
                self.run(process, move |it| authorize(it, server, verify, waiting));
            }
            Act::Verify(process) => {
                let waiting = Arc::clone(&self.waiting);
                self.run(process, |it| async move {
                    let oldest = lock(&waiting).pop();
                    let Some(oldest) = oldest else { return Ok(()) };
                    oauth::verify(&it, VerifyAuthorization::new(oldest.to_string(), USER))
                        .await
                        .map(drop)
                });
            }
            Act::ChangeClient(process) => {
                self.changed = true;
                self.run(process, change_client);
            }
            Act::Fault(fault, times) => self.server.state().faults = vec![fault; times],
            Act::Outage(outage, time) => self.server.break_store(outage, time),
            Act::Doubt(commits, applied) => {
                self.server.state().ledger.interrupted = true;
                self.store.doubt(commits, applied);
            }
            Act::RevokeAtProduct => self.server.state().ledger.revoke_all(),
            Act::Kill(process) => self.kill(&[process]),
            Act::Restart(set_back) => {
                if set_back {
                    let hour = SignedDuration::from_hours(1);
                    self.world.set_back(&[0, 1, STORE], hour);
                }
                self.kill(&[0, 1]);
            }
            Act::Freeze(process, scenes) => self.freezer()(process, scenes),
            Act::FreezeAfter(commit, process, scenes) => {
                *lock(&self.freezes_after) = Some((commit, process, scenes));
            }
            Act::StickSpool(stuck) => self.machine.set_stuck(stuck),
        }
    }

    fn kill(&mut self, processes: &[u32]) {
        for process in processes {
            self.world.kill(*process);
            self.machine.end(*process);
            self.server.state().ledger.kill(*process);
        }
        // Processes can only start while the store responds.
        self.store.set_outage(None);
        self.store.doubt(0, false);
        for process in processes {
            lock(&self.frozen)[*process as usize] = 0;
            self.world.freeze(*process, false);
            self.environments[*process as usize] = self.opened(*process);
        }
    }

    /// Runs work in a process. It stops when the process does.
    fn run<W>(&self, process: u32, work: impl FnOnce(Context) -> W)
    where
        W: Future<Output = Result<()>> + Send + 'static,
    {
        let failures = Arc::clone(&self.failures);
        let work = work(self.environments[process as usize].clone());
        self.world.process(process).spawn(Box::pin(async move {
            if let Err(error) = work.await {
                lock(&failures).push(error);
            }
        }));
    }

    pub(super) fn row(&self) -> Account {
        ready(self.store.rows().account(self.account)).unwrap().row
    }

    /// Checks that no failure was caused by Stead itself.
    fn check_failures(&self) {
        use ErrorKind::{
            ConnectionNotReady, IntegrityViolated, Internal, KeyUnavailable, ProductProtocolError,
        };
        for error in lock(&self.failures).drain(..) {
            let ours = [
                Internal,
                IntegrityViolated,
                KeyUnavailable,
                ProductProtocolError,
                ConnectionNotReady,
            ];
            // A call during which the connection changes goes to neither client.
            let changed = self.changed && error.kind() == ConnectionNotReady;
            assert!(changed || !ours.contains(&error.kind()), "{error:?}");
        }
    }

    /// Checks the end: once the product and the store work again, and leases and pauses are over, every account that
    /// can work does, and no account needs its user without a reason.
    pub(super) fn end(&self) {
        self.server.state().faults.clear();
        self.store.set_outage(None);
        self.store.doubt(0, false);
        self.machine.set_stuck(false);
        *lock(&self.freezes_after) = None;
        *lock(&self.frozen) = [0; 2];
        self.thaw();
        self.world.advance(Duration::from_secs(1000));
        self.check_failures();
        for context in &self.environments {
            let was_active = self.row().state == AccountState::Active;
            let result = self.world.run(read_note(context));
            self.world.advance(Duration::from_secs(1));
            let row = self.row();
            if row.state != AccountState::Active {
                assert!(result.is_err() || was_active, "{row:?}");
                continue;
            }
            let lives = {
                let (seen, ledger) = (lock(&self.seen), &self.server.state().ledger);
                let token = &seen.tokens[&row.generation];
                let lives = ledger.lives(token);
                let excuse = ledger.excuse_of(token, false);
                assert!(
                    lives || excuse.is_some(),
                    "the newest refresh token is lost: {row:?}"
                );
                lives
            };
            assert!(result.is_ok() || !lives, "{:?} {row:?}", result.err());
        }
        self.check_dead();
    }

    /// Checks that an account that needs its user has no valid token, and has a reason.
    fn check_dead(&self) {
        let row = self.row();
        let reason = row
            .reason
            .filter(|reason| *reason != AccountReason::ClientChanged);
        let (Some(reason), true) = (reason, row.generation > 0) else {
            return;
        };
        let (seen, ledger) = (lock(&self.seen), &self.server.state().ledger);
        let excuse = ledger.excuse_of(&seen.tokens[&row.generation], false);
        assert!(excuse.is_some(), "an account is lost: {row:?}");
        let is_stable = self.class.product().oauth.rotation == Rotation::Stable;
        if is_stable {
            assert_eq!(reason, AccountReason::RefreshRejected);
        }
        let kept = ready(self.store.rows().credentials(self.account));
        for credential in kept.into_iter().map(|found| found.row) {
            let lives = ledger.lives(&seen.tokens[&credential.generation]);
            assert!(
                credential.pending_for.is_some() || !lives,
                "a token that lives lies next to a dead account: {row:?}"
            );
        }
    }
}
