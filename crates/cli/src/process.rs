//! What this process asks of the system at its start: threads, file descriptors, and no copy of its memory on disk.

use std::{num::NonZero, sync::Arc, thread};

use stead_server::Workers;

use crate::failure::{Failure, Outcome};

/// Threads for connections, one for each processor that this process may use.
pub(crate) fn workers() -> Outcome<Arc<Workers>> {
    let count = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = Workers::start(count).map_err(|error| {
        Failure::configuration(
            format!("threads cannot be started: {error}"),
            "Check the limits of this user.",
        )
    })?;
    Ok(Arc::new(workers))
}

/// Allows this process as many file descriptors as its user may have, and returns how many those are: each connection
/// needs one, and each call that waits for its product another.
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
            tracing::warn!(%error, "the limit of file descriptors cannot be raised");
        }
        getrlimit(Resource::Nofile).current
    }
    #[cfg(not(unix))]
    None
}

/// A crash leaves no core dump, in which tokens and keys would stand. Other programs of the same user cannot read this
/// one's memory any more either.
pub(crate) fn keep_memory_private() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            tracing::warn!(%error, "core dumps cannot be turned off");
        }
    }
}
