//! Whether a worker processes the outbox. There is at most one per process, however often one is requested.

use std::sync::{Mutex, PoisonError};

/// The worker's state.
#[derive(Debug, Default)]
pub(crate) struct OutboxQueue(Mutex<Worker>);

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Worker {
    #[default]
    Idle,
    Running,
    /// It starts another round when it's done.
    AskedAgain,
}

impl OutboxQueue {
    /// Requests a round. `true` if the caller needs to start the worker.
    pub(crate) fn ask(&self) -> bool {
        let mut worker = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let start = *worker == Worker::Idle;
        *worker = if start {
            Worker::Running
        } else {
            Worker::AskedAgain
        };
        start
    }

    /// Ends a round. `true` if another one was requested in the meantime.
    pub(crate) fn ask_again(&self) -> bool {
        let mut worker = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let again = *worker == Worker::AskedAgain;
        *worker = if again { Worker::Running } else { Worker::Idle };
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_worker_runs_until_the_outbox_has_no_requests() {
        let queue = OutboxQueue::default();
        assert!(queue.ask() && !queue.ask() && !queue.ask());
        assert!(queue.ask_again() && !queue.ask_again());
        assert!(queue.ask() && !queue.ask_again());
    }
}
