//! The suite that every store must pass.
//!
//! An author of a store runs it in one test:
//!
//! ```
//! # use std::sync::Arc;
//! # use futures_util::FutureExt as _;
//! use stead_core::store::{MemoryStore, Store};
//! use stead_testkit::{runtime::ManualClock, store};
//!
//! # async {
//! store::suite(async || Arc::new(MemoryStore::new(Arc::new(ManualClock::default()))) as Arc<dyn Store>).await;
//! # }.now_or_never().unwrap();
//! ```

mod batch;
mod concurrent;
mod list;
mod look;
mod model;
mod platform;
mod positions;
mod rows;
pub mod sample;

use std::{any::Any, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt as _;
use stead_core::{ports::BoxFuture, store::Store};

/// A store under test.
type Shared = Arc<dyn Store>;

/// One check, which gets its own empty store.
struct Check {
    name: &'static str,
    run: Box<dyn FnOnce(Shared) -> BoxFuture<'static, ()>>,
}

/// A check is named after its function.
fn check<F, Done>(run: F) -> Check
where
    F: FnOnce(Shared) -> Done + 'static,
    Done: Future<Output = ()> + Send + 'static,
{
    let path = std::any::type_name::<F>();
    let name = path.split_once("::store::").map_or(path, |(_, name)| name);
    Check {
        name,
        run: Box::new(move |store| Box::pin(run(store))),
    }
}

/// Runs every check. `make` creates a new, empty store for each.
///
/// # Panics
/// At the end, if checks failed. The message names them.
pub async fn suite(make: impl AsyncFn() -> Arc<dyn Store>) {
    run(checks(), make).await;
}

fn checks() -> Vec<Check> {
    [
        rows::checks(),
        list::checks(),
        batch::checks(),
        concurrent::checks(),
        model::checks(),
        positions::checks(),
        platform::checks(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

async fn run(checks: Vec<Check>, make: impl AsyncFn() -> Arc<dyn Store>) {
    let count = checks.len();
    let mut failed = Vec::new();
    for check in checks {
        let store = make().await;
        if let Err(panic) = AssertUnwindSafe((check.run)(store)).catch_unwind().await {
            failed.push(format!("{}: {}", check.name, said(&*panic)));
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {count} checks failed\n{}",
        failed.len(),
        failed.join("\n")
    );
}

fn said(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("it panicked")
}

#[cfg(test)]
mod tests {
    use stead_core::store::MemoryStore;

    use super::*;
    use crate::runtime::ManualClock;

    async fn make() -> Shared {
        Arc::new(MemoryStore::new(Arc::new(ManualClock::default())))
    }

    #[test]
    fn the_memory_store_passes() {
        suite(make).now_or_never().expect("it never waits");
    }

    #[test]
    fn the_driver_runs_all_and_names_those_that_fail() {
        async fn works(_: Shared) {}
        async fn breaks(_: Shared) {
            panic!("on {}", "purpose");
        }
        let panic = AssertUnwindSafe(run(vec![check(breaks), check(works), check(breaks)], make))
            .catch_unwind()
            .now_or_never()
            .unwrap()
            .unwrap_err();
        let message = said(&*panic);
        assert!(message.starts_with("2 of 3 checks failed\n"), "{message}");
        assert!(message.contains("breaks: on purpose"), "{message}");
    }

    #[test]
    fn every_check_has_its_own_name() {
        let mut names: Vec<&str> = checks().iter().map(|check| check.name).collect();
        assert!(
            names.contains(&"rows::every_row_reads_back_exactly"),
            "{names:?}"
        );
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
