//! Prints lines on a thread of its own. If a program starts `stead dev` and reads only its first line, the service must still
//! work, and stop.

use std::{
    io,
    sync::mpsc::{self, SyncSender, TrySendError},
    thread,
    time::Duration,
};

use serde_json::json;
use tokio::sync::oneshot;

/// Lines that wait for a slow reader. Further ones are skipped.
const WAITING: usize = 1000;
/// How long the end waits for the reader.
const END: Duration = Duration::from_secs(1);

/// Prints on standard output.
#[derive(Debug)]
pub(super) struct Printer {
    lines: SyncSender<String>,
    /// Whether a program reads the lines, as JSON.
    json: bool,
    /// Lines that were skipped and not yet reported.
    skipped: usize,
    ended: oneshot::Receiver<()>,
}

impl Printer {
    pub(super) fn start(json: bool) -> Self {
        Self::to(io::stdout(), WAITING, json)
    }

    fn to(mut output: impl io::Write + Send + 'static, waiting: usize, json: bool) -> Self {
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
            json,
            skipped: 0,
            ended,
        }
    }

    /// Prints this line soon. If too many lines wait, it's skipped, and the next line that fits follows a notice.
    pub(super) fn print(&mut self, line: String) {
        if self.skipped > 0 && self.lines.try_send(self.notice()).is_ok() {
            self.skipped = 0;
        }
        if let Err(TrySendError::Full(_)) = self.lines.try_send(line) {
            self.skipped += 1;
        }
    }

    /// Says that lines are missing, because nothing read them in time.
    fn notice(&self) -> String {
        let lines = self.skipped;
        match self.json {
            true => json!({ "event": "skipped", "lines": lines }).to_string(),
            false => format!("({lines} lines skipped, because nothing read this output)"),
        }
    }

    /// Waits for the lines that aren't printed yet, at most a second.
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
        let mut printer = Printer::to(pipe.clone(), 2, false);
        for line in 1..=10 {
            printer.print(line.to_string());
        }
        let skipped = printer.skipped;
        assert!([7, 8].contains(&skipped), "{skipped}");
        drop(closed);
        while printer.skipped > 0 {
            printer.print(String::from("next"));
            thread::yield_now();
        }
        printer.end().await;
        let printed = String::from_utf8(pipe.0.lock().unwrap().clone()).unwrap();
        assert!(printed.starts_with("1\n2\n"), "{printed}");
        assert!(printed.contains(" lines skipped, "), "{printed}");
    }
}
