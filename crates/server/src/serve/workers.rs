//! Threads that serve connections, each with its own runtime. A request, its call and the connection to the product
//! stay on one core, and no thread wakes another for them.
//!
//! On tokio's work-stealing runtime, a call takes half as much time again, most of it in threads that wake each other.
//! Work that keeps a processor busy runs elsewhere, such as hashing a password. Writes and refreshes run on the main
//! runtime of the process, because no caller may cut them off.

use std::{
    future::Future,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use tokio::{
    net::TcpStream,
    runtime::{Builder, Handle},
    sync::oneshot,
};

/// Threads for connections, for [`Server::on`](super::Server::on).
///
/// They stop when this is dropped, together with everything that still runs on them. Keep it until everything is closed
/// that a request may have opened, such as connections to a database.
#[derive(Debug)]
pub struct Workers(Vec<Worker>);

#[derive(Debug)]
struct Worker {
    handle: Handle,
    connections: Arc<AtomicUsize>,
    /// Dropped to end the thread.
    _end: oneshot::Sender<()>,
}

impl Workers {
    /// Starts this number of threads, at least one.
    ///
    /// # Errors
    /// If the system can't start a thread.
    pub fn start(count: usize) -> io::Result<Self> {
        (0..count.max(1))
            .map(Worker::start)
            .collect::<io::Result<_>>()
            .map(Self)
    }

    /// Serves a connection on the thread with the fewest.
    pub(super) fn serve<F>(
        &self,
        stream: TcpStream,
        serve: impl FnOnce(TcpStream) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send,
    {
        let open = |worker: &&Worker| worker.connections.load(Ordering::Relaxed);
        let Some(worker) = self.0.iter().min_by_key(open) else {
            return;
        };
        let counted = Counted::new(&worker.connections);
        // The stream was accepted on another runtime and must be registered with the worker's.
        let stream = stream.into_std();
        worker.handle.spawn(async move {
            let _counted = counted;
            match stream.and_then(TcpStream::from_std) {
                Ok(stream) => serve(stream).await,
                Err(error) => tracing::debug!(error = %error, "can't serve a connection"),
            }
        });
    }
}

impl Worker {
    fn start(number: usize) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (end, ended) = oneshot::channel();
        thread::Builder::new()
            .name(format!("stead-worker-{number}"))
            .spawn(move || {
                // The sender is dropped, or the process ends.
                let _ = runtime.block_on(ended);
                runtime.shutdown_background();
            })?;
        Ok(Self {
            handle,
            connections: Arc::default(),
            _end: end,
        })
    }
}

/// A connection of a thread, until it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(connections: &Arc<AtomicUsize>) -> Self {
        connections.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(connections))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::{
        net::TcpListener,
        sync::mpsc::{UnboundedSender, unbounded_channel},
    };

    use super::*;

    async fn stream() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (caller, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        (caller.unwrap(), accepted.unwrap().0)
    }

    /// Sends the name of its thread, and never ends.
    async fn says_its_thread(names: UnboundedSender<String>) {
        let name = thread::current().name().map(str::to_owned);
        names.send(name.unwrap_or_default()).unwrap();
        pending::<()>().await;
        drop(names);
    }

    #[tokio::test]
    async fn connections_go_to_the_least_busy_worker_and_end_with_it() {
        let workers = Workers::start(2).unwrap();
        let (names, mut said) = unbounded_channel();
        let mut callers = Vec::new();
        for _ in 0..4 {
            let (caller, accepted) = stream().await;
            callers.push(caller);
            let names = names.clone();
            workers.serve(accepted, move |_stream| says_its_thread(names));
        }
        let mut all = Vec::new();
        for _ in 0..4 {
            all.push(said.recv().await.unwrap());
        }
        all.sort_unstable();
        let expected = [0, 0, 1, 1].map(|number| format!("stead-worker-{number}"));
        assert_eq!(all, expected);
        drop((workers, names));
        assert_eq!(said.recv().await, None);
    }
}
