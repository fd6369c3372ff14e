//! How the program is asked to stop: once for an orderly end, once more for an end at once.

use tokio::{signal, sync::watch};

/// How often the program was asked to stop, from when this was made on.
#[derive(Debug, Clone)]
pub(crate) struct Signals(watch::Receiver<usize>);

impl Signals {
    /// Listens for Ctrl-C, for SIGTERM as service managers send it, and for SIGHUP as a terminal that is closed does.
    /// There is nothing that a SIGHUP could reload; it is ignored where the program was started so, as by nohup.
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
        // Without it the channel would seem to end where no signal can be listened for.
        tokio::spawn(async move { count.closed().await });
        Self(signals)
    }

    /// Resolves once the program was asked to stop so many times.
    pub(crate) async fn received(&self, times: usize) {
        let mut signals = self.0.clone();
        if signals.wait_for(|count| *count >= times).await.is_err() {
            std::future::pending().await
        }
    }
}

/// Resolves when the program is asked to stop.
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

/// Whether the program was started with SIGHUP ignored, which listening for it would undo.
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
