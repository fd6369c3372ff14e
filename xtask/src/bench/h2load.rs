//! Load over HTTP/2 by h2load.

use std::{fs, path::Path, process::Command};

use anyhow::{Context as _, Result};

use super::{
    load::{Errors, Load, Sample},
    programs,
};

/// Sends for `seconds` over one connection, with so many requests at a time.
pub(crate) fn run(
    load: &Load,
    program: &Path,
    folder: &Path,
    streams: u32,
    seconds: u32,
) -> Result<Sample> {
    let log = folder.join("h2load.log");
    // It adds to a log that is there.
    let _ = fs::remove_file(&log);
    let mut command = Command::new(program);
    command
        .args(["-c1", &format!("-m{streams}"), &format!("-D{seconds}")])
        .arg(format!("--log-file={}", log.display()));
    for (name, value) in &load.headers {
        command.arg(format!("-H{name}: {value}"));
    }
    if let Some(body) = &load.body {
        let file = folder.join("h2load.json");
        fs::write(&file, body)?;
        command.arg("-Hcontent-type: application/json");
        command.arg(format!("--data={}", file.display()));
    }
    let paths = load.paths.iter();
    command.args(paths.map(|path| format!("http://127.0.0.1:{}{path}", load.port)));
    let text = programs::output(&mut command)?;
    let log = fs::read_to_string(&log)?;
    read(&text, &log, f64::from(seconds))
        .with_context(|| format!("h2load prints no result: {text}"))
}

/// Counts and times are in its log: a line a request, with its start, status, and microseconds until its end. What it
/// prints is read for the bytes only.
fn read(text: &str, log: &str, seconds: f64) -> Option<Sample> {
    let traffic = text.lines().find(|line| line.starts_with("traffic: "))?;
    let (_, bytes) = traffic.split_once('(')?;
    let mut times = Vec::new();
    let mut failed = 0;
    for line in log.lines() {
        let mut columns = line.split('\t').skip(1);
        let status: i64 = columns.next()?.parse().ok()?;
        times.push(columns.next()?.parse::<f64>().ok()?);
        failed += u64::from(!(200..400).contains(&status));
    }
    times.sort_by(f64::total_cmp);
    let at = |part: usize| times.get(times.len() * part / 100).copied();
    Some(Sample {
        requests: times.len() as u64,
        errors: Errors {
            status: failed,
            ..Errors::default()
        },
        bytes: bytes.split(')').next()?.parse().ok()?,
        seconds,
        p50_micros: at(50)?,
        p99_micros: at(99)?,
        ..Sample::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read() {
        let text = "finished in 1.00s, 3 req/s\ntraffic: 3.2KB (3300) total, 100B (100) headers (space savings 9%), 3KB (3072) data\n";
        let log = "1\t200\t300\n2\t200\t100\n3\t503\t200\n";
        let sample = read(text, log, 1.0).unwrap();
        assert_eq!((sample.requests, sample.bytes), (3, 3300));
        assert_eq!(sample.errors.status, 1);
        assert_eq!((sample.p50_micros, sample.p99_micros), (200.0, 300.0));
        assert!(read("", log, 1.0).is_none());
    }
}
