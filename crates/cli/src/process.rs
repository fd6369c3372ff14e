//! Process settings at the start: threads, file descriptors, and no core dumps.

use std::{num::NonZero, sync::Arc, thread};

use stead_server::Workers;

use crate::failure::{Failure, Outcome};

/// Threads for connections, one for each processor that this process may use.
pub(crate) fn workers() -> Outcome<Arc<Workers>> {
    let count = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = Workers::start(count).map_err(|error| {
        Failure::configuration(
            format!("can't start threads: {error}"),
            "Check this user's limits with: ulimit -a",
        )
    })?;
    Ok(Arc::new(workers))
}

/// Raises the limit of file descriptors to the user's maximum, and returns it. Each connection needs one, and each call
/// in flight another.
pub(crate) fn raise_descriptors() -> Option<u64> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limits = getrlimit(Resource::Nofile);
        let raised = Rlimit {
            current: limits.maximum,
            maximum: limits.maximum,
        };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "can't raise the limit of open files");
        }
        getrlimit(Resource::Nofile).current
    }
    #[cfg(not(unix))]
    None
}

/// Turns off core dumps, because they would contain tokens and keys. Other programs of the same user can't read this
/// process's memory either.
pub(crate) fn keep_memory_private() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            tracing::warn!(%error, "can't turn off core dumps");
        }
    }
}
