//! Prints lines on a thread of its own. A program that starts `stead dev` and reads only its first line mustn't hold up the
//! service, or its end.

use std::{
    io,
    sync::mpsc::{self, SyncSender, TrySendError},
    thread,
    time::Duration,
};

use tokio::sync::oneshot;

/// Lines that wait for a slow reader. Further ones are skipped.
const WAITING: usize = 1000;
/// How long the end waits for the reader.
const END: Duration = Duration::from_secs(1);

/// Prints on standard output.
#[derive(Debug)]
pub(super) struct Printer {
    lines: SyncSender<String>,
    /// Lines since the last one that had to be skipped.
    skipped: usize,
    ended: oneshot::Receiver<()>,
}

impl Printer {
    pub(super) fn start() -> Self {
        Self::to(io::stdout(), WAITING)
    }

    fn to(mut output: impl io::Write + Send + 'static, waiting: usize) -> Self {
        let (lines, to_print) = mpsc::sync_channel::<String>(waiting);
        let (end, ended) = oneshot::channel();
        thread::spawn(move || {
            for line in to_print {
                // A reader that closed its pipe has seen enough.
                let _ = writeln!(output, "{line}").and_then(|()| output.flush());
            }
            let _ = end.send(());
        });
        Self {
            lines,
            skipped: 0,
            ended,
        }
    }

    /// Prints this line soon. If too many lines wait, it's skipped, and `notice` of the number is printed later.
    pub(super) fn print(&mut self, line: String, notice: impl FnOnce(usize) -> String) {
        if self.skipped > 0 && self.lines.try_send(notice(self.skipped)).is_ok() {
            self.skipped = 0;
        }
        if let Err(TrySendError::Full(_)) = self.lines.try_send(line) {
            self.skipped += 1;
        }
    }

    /// Waits for what isn't printed yet, at most a second.
    pub(super) async fn end(self) {
        drop(self.lines);
        let _ = tokio::time::timeout(END, self.ended).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Takes nothing until it's open.
    #[derive(Clone)]
    struct Pipe(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn lines_are_skipped_while_the_reader_does_not_read() {
        let pipe = Pipe(Arc::default());
        let closed = pipe.0.lock().unwrap();
        let mut printer = Printer::to(pipe.clone(), 2);
        let notice = |lines| format!("{lines} skipped");
        for line in 1..=10 {
            printer.print(line.to_string(), notice);
        }
        let skipped = printer.skipped;
        assert!([7, 8].contains(&skipped), "{skipped}");
        drop(closed);
        // It's the first line that fits again which tells how many didn't.
        while printer.skipped > 0 {
            printer.print(String::from("next"), notice);
            thread::yield_now();
        }
        printer.end().await;
        let printed = String::from_utf8(pipe.0.lock().unwrap().clone()).unwrap();
        assert!(printed.starts_with("1\n2\n"), "{printed}");
        assert!(printed.contains(" skipped\n"), "{printed}");
    }
}
