//! How an environment shuts down, and rules for its operations.

mod account_tokens;
mod mcp_sessions;
mod policies;
mod servers;

use std::collections::BTreeSet;

use super::*;
use crate::{
    Error, ErrorKind,
    api::Info,
    testing::{STABLE, World, always, context},
};

impl World {
    /// Sends an operation to the environment of a context. It must succeed.
    #[track_caller]
    pub(crate) fn send<O: Run<Environment>>(&self, context: &Context, operation: O) -> O::Output {
        self.ok(Environment(context.clone()).send(operation))
    }

    /// The same for an operation that must fail.
    #[track_caller]
    pub(crate) fn refused<O: Run<Environment>>(&self, context: &Context, operation: O) -> Error {
        self.err(Environment(context.clone()).send(operation))
    }
}

#[test]
fn a_shutdown_waits_for_work_and_refuses_new_work() {
    let world = World::new();
    let environment = Environment(context(&world, &STABLE, always(200, "")));
    let (runtime, working) = (world.process(0), environment.0.host.tasks.begin());
    runtime.spawn(Box::pin({
        let runtime = world.process(0);
        async move {
            runtime.sleep(Duration::from_secs(5)).await;
            drop(working);
        }
    }));
    world.run(environment.shut_down());
    assert!((Duration::from_secs(5)..Duration::from_secs(6)).contains(&runtime.monotonic()));
    assert_eq!(
        world.err(environment.ready()).kind(),
        ErrorKind::ShuttingDown
    );
}

#[test]
fn an_urgent_shutdown_cuts_off_calls_and_waits_for_other_work() {
    let world = World::new();
    let environment = Environment(context(&world, &STABLE, always(200, "")));
    let (runtime, keeping) = (world.process(0), environment.0.host.tasks.begin());
    runtime.spawn(Box::pin({
        let runtime = world.process(0);
        async move {
            runtime.sleep(Duration::from_secs(2)).await;
            drop(keeping);
        }
    }));
    let context = environment.0.clone();
    let cut = std::sync::Arc::new(std::sync::Mutex::new(None));
    let outcome = std::sync::Arc::clone(&cut);
    runtime.spawn(Box::pin(async move {
        let call = context.detached_call(|_| std::future::pending::<()>());
        *outcome.lock().unwrap() = Some(call.await.is_err());
    }));
    world.run_until_idle();
    world.run(environment.shut_down_now());
    assert!((Duration::from_secs(2)..Duration::from_secs(3)).contains(&runtime.monotonic()));
    assert_eq!(*cut.lock().unwrap(), Some(true));
}

#[test]
fn a_proxy_url_is_a_host_of_its_own() {
    let with = |url: &str| {
        let options = EnvironmentOptions::new("https://stead.test/base").unwrap();
        options.proxy_url(url)
    };
    for good in [
        "https://proxy.stead.test",
        "https://proxy.stead.test:8443/",
        "https://stead.test:8443",
        "http://127.0.0.1:8486",
    ] {
        assert!(with(good).is_ok(), "{good}");
    }
    for bad in [
        "https://proxy.stead.test/base",
        "https://stead.test",
        "https://stead.test:443/",
        "http://proxy.stead.test",
        "https://user@proxy.stead.test",
        "proxy.stead.test",
    ] {
        assert_eq!(
            with(bad).unwrap_err().kind(),
            ErrorKind::InvalidRequest,
            "{bad}"
        );
    }
}

fn all() -> Vec<Info> {
    struct All(Vec<Info>);
    impl Visit for All {
        fn operation<O: Run<Environment>>(&mut self) {
            self.0.push(O::INFO);
        }
    }
    let mut all = All(Vec::new());
    visit(&mut all);
    all.0
}

#[test]
fn the_members_of_a_path_are_named_in_its_order() {
    for info in all() {
        let named: Vec<&str> = info.path.split(['{', '}']).skip(1).step_by(2).collect();
        assert_eq!(named, info.path_members, "{} {}", info.method, info.path);
    }
}

#[test]
fn a_path_has_one_operation_by_method() {
    let mut seen = BTreeSet::new();
    for info in all() {
        assert!(
            seen.insert((info.path, info.method)),
            "{} {}",
            info.method,
            info.path
        );
    }
}
