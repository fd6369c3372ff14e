//! Requests to stop: the first one stops the program in order, the second one immediately.

use tokio::{signal, sync::watch};

/// Counts the requests to stop since it was created.
#[derive(Debug, Clone)]
pub(crate) struct Signals(watch::Receiver<usize>);

impl Signals {
    /// Listens for Ctrl-C, SIGTERM (from service managers) and SIGHUP (from a closed terminal). SIGHUP doesn't reload
    /// anything. The program ignores it if it was started that way, for example by nohup.
    pub(crate) fn listen() -> Self {
        let (count, signals) = watch::channel(0);
        for signal in signals_to_stop() {
            let count = count.clone();
            tokio::spawn(async move {
                let mut signal = signal;
                while signal.recv().await.is_some() {
                    count.send_modify(|count| *count += 1);
                }
            });
        }
        // Keeps the channel open if no signal can be listened for.
        tokio::spawn(async move { count.closed().await });
        Self(signals)
    }

    /// Resolves after this many requests to stop.
    pub(crate) async fn received(&self, times: usize) {
        let mut signals = self.0.clone();
        if signals.wait_for(|count| *count >= times).await.is_err() {
            std::future::pending().await
        }
    }
}

/// Resolves at the first request to stop.
pub(crate) async fn stop() {
    Signals::listen().received(1).await;
}

#[cfg(unix)]
fn signals_to_stop() -> impl Iterator<Item = signal::unix::Signal> {
    use signal::unix::SignalKind;
    let hangup = (!is_hangup_ignored()).then(SignalKind::hangup);
    [SignalKind::interrupt(), SignalKind::terminate()]
        .into_iter()
        .chain(hangup)
        .filter_map(|kind| signal::unix::signal(kind).ok())
}

/// Whether the program was started with SIGHUP ignored. Listening for it would undo that.
#[cfg(unix)]
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The lowest bit is the first signal, SIGHUP.
    ignored
        .and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .is_some_and(|bits| bits & 1 == 1)
}

#[cfg(not(unix))]
fn signals_to_stop() -> impl Iterator<Item = CtrlC> {
    std::iter::once(CtrlC)
}

#[cfg(not(unix))]
struct CtrlC;

#[cfg(not(unix))]
impl CtrlC {
    async fn recv(&mut self) -> Option<()> {
        signal::ctrl_c().await.ok()
    }
}
