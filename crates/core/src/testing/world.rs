//! A single-threaded world whose time advances only when nothing else can run. Each process has its own clock.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use futures_util::future::poll_fn;
use jiff::{SignedDuration, Timestamp};

use super::START;
use crate::ports::{BoxFuture, Entropy, Runtime};

/// Time and tasks of some processes, on one thread. Clones share everything.
#[derive(Clone)]
pub(crate) struct World(Arc<Mutex<State>>);

struct State {
    elapsed: Duration,
    sleepers: Vec<(Duration, Waker)>,
    tasks: Vec<Task>,
    /// Frozen processes.
    frozen: BTreeSet<u32>,
    /// Clocks that are wrong.
    clocks: BTreeMap<u32, Clock>,
    /// Number of steps that tasks have made.
    steps: u64,
    /// Chooses the task that makes the next step.
    choice: u64,
    /// How many processes draw numbers in this world.
    draws: u64,
}

/// How far a process's time of day is from the correct one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Clock {
    pub(crate) ahead: SignedDuration,
    /// Parts in a million that the clock gains.
    pub(crate) drift: i32,
}

struct Task {
    process: u32,
    future: BoxFuture<'static, ()>,
    woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Woken {
    fn now() -> Arc<Self> {
        Arc::new(Self(AtomicBool::new(true)))
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::seeded(0)
    }

    /// The seed chooses which of several ready tasks makes the next step.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(State {
            elapsed: Duration::ZERO,
            sleepers: Vec::new(),
            tasks: Vec::new(),
            frozen: BTreeSet::new(),
            clocks: BTreeMap::new(),
            steps: 0,
            choice: seed,
            draws: 0,
        })))
    }

    pub(crate) fn process(&self, id: u32) -> Arc<Process> {
        Arc::new(Process {
            world: self.clone(),
            id,
        })
    }

    /// Freezes a process between two of its steps, or lets it continue.
    pub(crate) fn freeze(&self, process: u32, frozen: bool) {
        let mut state = self.lock();
        if frozen {
            state.frozen.insert(process);
        } else {
            state.frozen.remove(&process);
        }
    }

    /// Gives a process a wrong clock.
    pub(crate) fn set_clock(&self, process: u32, clock: Clock) {
        self.lock().clocks.insert(process, clock);
    }

    /// Sets the clocks of these processes back.
    pub(crate) fn set_back(&self, processes: &[u32], by: SignedDuration) {
        let mut state = self.lock();
        for process in processes {
            state.clocks.entry(*process).or_default().ahead -= by;
        }
    }

    /// Number of steps that tasks have made so far.
    pub(crate) fn steps(&self) -> u64 {
        self.lock().steps
    }

    /// Ends a process between two of its steps.
    pub(crate) fn kill(&self, process: u32) {
        let mut state = self.lock();
        let (dead, alive) = std::mem::take(&mut state.tasks)
            .into_iter()
            .partition(|task: &Task| task.process == process);
        state.tasks = alive;
        drop(state);
        // Dropping a task can wake others, which needs the lock.
        drop::<Vec<Task>>(dead);
    }

    /// Runs a future to its end, with everything that it waits for.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let woken = Woken::now();
        let waker = Waker::from(Arc::clone(&woken));
        let end = self.lock().elapsed + Duration::from_secs(86_400);
        loop {
            if woken.0.swap(false, Ordering::SeqCst) {
                if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return value;
                }
            } else if !self.step() {
                let next = self.next_sleeper().expect("a future waits for nothing");
                assert!(next < end, "a future takes more than a day");
                self.wake_until(next);
            }
        }
    }

    /// The same for a future that must succeed.
    #[track_caller]
    pub(crate) fn ok<T, E: Debug>(&self, future: impl Future<Output = Result<T, E>>) -> T {
        self.run(future).unwrap()
    }

    /// The same for a future that must fail.
    #[track_caller]
    pub(crate) fn err<T, E>(&self, future: impl Future<Output = Result<T, E>>) -> E {
        self.run(future).err().expect("an error")
    }

    /// Runs all tasks until each of them waits for time to pass.
    pub(crate) fn run_until_idle(&self) {
        while self.step() {}
    }

    /// Lets time pass, and runs everything that becomes due.
    pub(crate) fn advance(&self, duration: Duration) {
        let end = self.lock().elapsed + duration;
        self.run_until_idle();
        while let Some(next) = self.next_sleeper().filter(|next| *next <= end) {
            self.wake_until(next);
            self.run_until_idle();
        }
        self.wake_until(end);
        self.run_until_idle();
    }

    /// Polls one ready task. Returns `false` if there is none.
    fn step(&self) -> bool {
        let mut state = self.lock();
        let ready: Vec<usize> = (0..state.tasks.len())
            .filter(|index| state.tasks[*index].woken.0.load(Ordering::SeqCst))
            .filter(|index| !state.frozen.contains(&state.tasks[*index].process))
            .collect();
        if ready.is_empty() {
            return false;
        }
        let chosen = ready[(mixed(&mut state.choice) % ready.len() as u64) as usize];
        let mut task = state.tasks.swap_remove(chosen);
        state.steps += 1;
        drop(state);
        task.woken.0.store(false, Ordering::SeqCst);
        let waker = Waker::from(Arc::clone(&task.woken));
        if task
            .future
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
        {
            self.lock().tasks.push(task);
        }
        true
    }

    fn next_sleeper(&self) -> Option<Duration> {
        self.lock().sleepers.iter().map(|(until, _)| *until).min()
    }

    fn wake_until(&self, time: Duration) {
        let mut state = self.lock();
        state.elapsed = state.elapsed.max(time);
        let (due, later) = std::mem::take(&mut state.sleepers)
            .into_iter()
            .partition(|(until, _): &(Duration, Waker)| *until <= time);
        state.sleepers = later;
        drop(state);
        due.into_iter().for_each(|(_, waker)| waker.wake());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One process of a world.
pub(crate) struct Process {
    world: World,
    id: u32,
}

impl Process {
    /// Numbers that no other process of its world draws.
    pub(crate) fn numbers(&self) -> Arc<Numbers> {
        let mut state = self.world.lock();
        state.draws += 1;
        Numbers::seeded(state.draws)
    }
}

impl Runtime for Process {
    fn now(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.monotonic()).unwrap_or(SignedDuration::MAX);
        let clock = self.world.lock().clocks.get(&self.id).copied();
        let Clock { ahead, drift } = clock.unwrap_or_default();
        START + elapsed + ahead + elapsed / 1_000_000 * drift
    }
    fn monotonic(&self) -> Duration {
        self.world.lock().elapsed
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let world = self.world.clone();
        let until = self.monotonic() + duration;
        Box::pin(poll_fn(move |context| {
            let mut state = world.lock();
            if state.elapsed >= until {
                return Poll::Ready(());
            }
            state.sleepers.push((until, context.waker().clone()));
            Poll::Pending
        }))
    }
    fn spawn(&self, future: BoxFuture<'static, ()>) {
        self.world.lock().tasks.push(Task {
            process: self.id,
            future,
            woken: Woken::now(),
        });
    }
}

/// Numbers that don't repeat and are the same in every run.
#[derive(Default)]
pub(crate) struct Numbers(AtomicU64);

impl Numbers {
    pub(crate) fn seeded(seed: u64) -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(seed)))
    }
}

impl Entropy for Numbers {
    fn fill(&self, buffer: &mut [u8]) {
        let mut state = self.0.fetch_add(1 << 32, Ordering::SeqCst);
        for chunk in buffer.chunks_mut(8) {
            chunk.copy_from_slice(&mixed(&mut state).to_be_bytes()[..chunk.len()]);
        }
    }
}

/// The generator splitmix64.
fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
