//! The programs that the bench starts, and their figures from `/proc`.

use std::{
    fs,
    net::TcpListener,
    process::{Child, Command},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::shell;

/// The longest wait until a program is ready.
const READY: Duration = Duration::from_secs(60);
/// How many clock ticks of `/proc` a second has: 100 on every Linux (`USER_HZ`).
const TICKS: f64 = 100.0;

/// A program that runs next to the bench. Dropping it stops the program.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn start(mut command: Command) -> Result<Self> {
        let child = command.spawn();
        Ok(Self(child.with_context(|| {
            format!("cannot start {:?}", command.get_program())
        })?))
    }

    /// Waits until the program is ready.
    ///
    /// # Errors
    /// If it exits first, or takes too long.
    pub(crate) fn wait_until(&mut self, is_ready: impl Fn() -> bool) -> Result<()> {
        let start = shell::now();
        while !is_ready() {
            if let Some(status) = self.0.try_wait()? {
                bail!("it ended before it was ready: {status}");
            }
            ensure!(
                start.elapsed() < READY,
                "it is not ready after {} s",
                READY.as_secs()
            );
            thread::sleep(Duration::from_micros(500));
        }
        Ok(())
    }

    /// The CPU time that it has used so far, including the kernel's work for it.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0.id()))
            .context("the bench reads processor times from /proc, which needs Linux")?;
        cpu_ticks(&stat)
            .map(|ticks| ticks / TICKS)
            .with_context(|| format!("cannot read {stat:?}"))
    }

    /// Memory by its name in `/proc/PID/status`: `VmRSS:` is everything, `RssAnon:` excludes what's mapped from files.
    pub(crate) fn mib(&self, name: &str) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id()))?;
        kib(&status, name)
            .map(|kib| kib / 1024.0)
            .with_context(|| format!("/proc does not say {name}"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Stop it normally, so that it writes its data. It may have exited already.
        let _ = shell::run(&format!("kill {}", self.0.id()));
        let _ = self.0.wait();
    }
}

/// Fields 14 and 15 (utime, stime). The name before them can contain blanks and parentheses (proc_pid_stat(5)).
fn cpu_ticks(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields
        .split(' ')
        .skip(11)
        .map_while(|field| field.parse::<f64>().ok());
    Some(fields.next()? + fields.next()?)
}

fn kib(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// A port on which nothing listens now. nginx can't choose one itself.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Returns what a program prints.
///
/// # Errors
/// If it fails.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let text = said(&output.stdout);
    ensure!(
        output.status.success(),
        "{:?} failed: {text}{}",
        command.get_program(),
        said(&output.stderr)
    );
    Ok(text)
}

/// The name of the machine's processor, and its number of cores.
pub(crate) fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text
        .lines()
        .find_map(|line| Some(line.strip_prefix("model name")?.split_once(": ")?.1));
    let cores = thread::available_parallelism().map_or(0, usize::from);
    format!(
        "{cores} cores of {}",
        model.unwrap_or("an unknown processor")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_memory_are_read() {
        let stat =
            "4242 (a (b) c) S 1 4242 4242 0 -1 4194304 900 0 0 0 1500 250 0 0 20 0 4 0 100 5 6";
        assert_eq!(cpu_ticks(stat), Some(1750.0));
        assert_eq!(cpu_ticks("4242 (half) S 1"), None);
        let status = "VmPeak:\t  900 kB\nVmRSS:\t   512 kB\n";
        assert_eq!(kib(status, "VmRSS:"), Some(512.0));
        assert_eq!(kib("", "VmRSS:"), None);
    }

    #[test]
    fn a_program_is_seen_and_ended() {
        let mut command = Command::new("sh");
        command.args(["-c", "exec sleep 60"]);
        let running = Running::start(command).unwrap();
        assert!(running.cpu_seconds().unwrap() < 5.0);
        assert!(running.mib("VmRSS:").unwrap() > 0.0);
        let folder = format!("/proc/{}", running.0.id());
        drop(running);
        assert!(!fs::exists(folder).unwrap());

        let mut ends = Running::start(Command::new("false")).unwrap();
        let error = ends.wait_until(|| false).unwrap_err().to_string();
        assert!(error.contains("ended before it was ready"), "{error}");
    }
}
