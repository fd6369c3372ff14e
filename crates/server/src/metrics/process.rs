//! The system's metrics of this process, under their usual names.

use std::fs;

use jiff::Timestamp;
use stead_core::metrics::Family;

/// The metrics that the system provides.
pub(super) fn families(started_at: Timestamp) -> Vec<Family> {
    let gauge = |name, help, value: f64| Family::gauge(name, help).number([], value);
    let start = gauge(
        "process_start_time_seconds",
        "Start time of the service, in seconds since 1970.",
        started_at.as_millisecond() as f64 / 1e3,
    );
    let resident = resident_bytes().map(|bytes| {
        let help = "Resident memory.";
        gauge("process_resident_memory_bytes", help, bytes as f64)
    });
    let open = fs::read_dir("/proc/self/fd").ok().map(|open| {
        // Reading the folder itself opens a descriptor.
        let open = open.count().saturating_sub(1);
        gauge("process_open_fds", "Open file descriptors.", open as f64)
    });
    let most = most_descriptors().map(|most| {
        let help = "Maximum number of open file descriptors.";
        gauge("process_max_fds", help, most as f64)
    });
    [Some(start), resident, open, most]
        .into_iter()
        .flatten()
        .collect()
}

fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

fn most_descriptors() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}
