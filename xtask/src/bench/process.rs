//! A program that runs next to the bench and ends with it.

use std::{
    fs,
    net::TcpStream,
    process::{Child, Command, ExitStatus},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};

use crate::shell;

/// Longest wait for a program to be ready.
const READY: Duration = Duration::from_secs(10);

/// Clock ticks of `/proc` in a second: 100 on every Linux (`USER_HZ`).
const TICKS: f64 = 100.0;

/// A running program; ended when dropped.
pub(crate) struct Running {
    child: Child,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        Ok(Self {
            child: command.spawn()?,
        })
    }

    /// Waits until something listens on `port`.
    pub(crate) fn wait_for_port(&mut self, port: u16) -> Result<()> {
        let start = shell::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Some(status) = self.child.try_wait()? {
                bail!("it ended before it was ready: {status}");
            }
            if start.elapsed() > READY {
                bail!("it is not ready after {} s", READY.as_secs());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// How it ended, if it did.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// Asks it to stop in order, and waits until it has.
    pub(crate) fn stop(mut self) -> Result<()> {
        shell::run(&format!("kill -s TERM {}", self.child.id()))?;
        self.child.wait()?;
        Ok(())
    }

    /// The most memory that it held since the start, or since this was last called; counts from now on.
    pub(crate) fn peak_bytes(&self) -> Result<u64> {
        let peak = self.bytes("VmHWM:")?;
        // 5 sets the mark back (proc(5), clear_refs). Only root may, of a process that keeps its memory private; without it
        // the most since the start counts, which is no less.
        let _ = fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5");
        Ok(peak)
    }

    /// Processor time that it has used so far, its own and the kernel's for it.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))
            .context("processor times are read from /proc, which needs Linux")?;
        cpu_ticks(&stat)
            .map(|ticks| ticks as f64 / TICKS)
            .with_context(|| format!("cannot read {stat:?}"))
    }

    /// Memory that it holds.
    pub(crate) fn resident_bytes(&self) -> Result<u64> {
        self.bytes("VmRSS:")
    }

    /// The part of it that is not pages of its program's file.
    pub(crate) fn anonymous_bytes(&self) -> Result<u64> {
        self.bytes("RssAnon:")
    }

    fn bytes(&self, name: &str) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        kib(&status, name)
            .map(|kib| kib * 1024)
            .context("/proc does not tell the memory")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Fields 14 and 15 (utime, stime); the name before them may hold blanks and parentheses (proc_pid_stat(5)).
fn cpu_ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ').skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

fn kib(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{super::free_port, *};

    #[test]
    fn times_and_memory_are_read() {
        let stat =
            "4242 (a (b) c) S 1 4242 4242 0 -1 4194304 900 0 0 0 1500 250 0 0 20 0 4 0 100 5 6";
        assert_eq!(cpu_ticks(stat), Some(1750));
        assert_eq!(cpu_ticks("4242 (half) S 1"), None);
        assert_eq!(
            kib("VmPeak:\t  900 kB\nVmRSS:\t   512 kB\n", "VmRSS:"),
            Some(512)
        );
        assert_eq!(kib("", "VmRSS:"), None);
    }

    #[test]
    fn a_program_is_seen_and_ended() {
        let mut command = Command::new("sh");
        command.args(["-c", "exec sleep 60"]);
        let mut running = Running::start(command).unwrap();
        assert!(running.cpu_seconds().unwrap() < 5.0);
        assert!(running.ended().unwrap().is_none());
        assert!(running.peak_bytes().unwrap() > 0);
        let folder = format!("/proc/{}", running.child.id());
        drop(running);
        assert!(!fs::exists(folder).unwrap());
    }

    #[test]
    fn a_program_that_ends_early_is_noticed() {
        let mut running = Running::start(Command::new("false")).unwrap();
        let error = running.wait_for_port(free_port().unwrap()).unwrap_err();
        assert!(error.to_string().contains("ended before it was ready"));
    }
}
