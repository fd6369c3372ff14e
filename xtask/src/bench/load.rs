//! Load by wrk.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::programs;

/// Requests that are sent one after the other, again and again.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) port: u16,
    pub(crate) paths: Vec<String>,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Option<String>,
    /// Requests that are sent in a second, over all connections together.
    rate: Option<u32>,
}

/// What came of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sample {
    pub(crate) requests: u64,
    pub(crate) errors: Errors,
    /// Bytes of all responses, heads included.
    pub(crate) bytes: u64,
    pub(crate) seconds: f64,
    pub(crate) p50_micros: f64,
    pub(crate) p99_micros: f64,
    /// Processor time of the subject during the run.
    pub(crate) cpu_seconds: f64,
    /// Memory of the subject after the run.
    pub(crate) resident_bytes: u64,
}

/// Requests that came to nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Errors {
    /// A status of 400 or above.
    pub(crate) status: u64,
    /// No response within the 2 s that wrk waits.
    pub(crate) timeout: u64,
    /// Connections that were refused or broke.
    pub(crate) connection: u64,
}

/// Prints what wrk knows as one line of JSON, so that none of its prose is parsed. wrk counts times in microseconds.
const SCRIPT: &str = r#"
function done(summary, latency, requests)
    local e = summary.errors
    io.write(string.format(
        '{"requests":%d,"status":%d,"timeout":%d,"connection":%d,"bytes":%d,"micros":%d,"p50":%f,"p99":%f}\n',
        summary.requests, e.status, e.timeout, e.connect + e.read + e.write, summary.bytes, summary.duration,
        latency:percentile(50), latency:percentile(99)))
end
"#;

/// Takes the paths in turns. The requests are made once, for wrk's own work is not what is measured.
const EACH: &str = r#"
local requests, turn = {}, 0
function init()
    for number, path in ipairs(paths) do requests[number] = wrk.format(nil, path) end
end
function request()
    turn = turn % #requests + 1
    return requests[turn]
end
"#;

/// Gives each request a turn, in milliseconds of the monotonic clock, and has its connection wait for it.
const RATED: &str = r#"
local ffi = require('ffi')
ffi.cdef('typedef struct { long s, ns; } moment; int clock_gettime(int, moment *);')
local moment, turn = ffi.new('moment'), 0
function delay()
    ffi.C.clock_gettime(1, moment)
    local now = tonumber(moment.s) * 1e3 + tonumber(moment.ns) / 1e6
    turn = math.max(turn + 1e3 / rate, now)
    return math.floor(turn - now + 0.5)
end
"#;

impl Load {
    pub(crate) fn get(port: u16, path: &str) -> Self {
        Self::get_each(port, vec![path.to_owned()])
    }

    pub(crate) fn get_each(port: u16, paths: Vec<String>) -> Self {
        Self {
            port,
            paths,
            headers: Vec::new(),
            body: None,
            rate: None,
        }
    }

    pub(crate) fn post(port: u16, path: &str, json: String) -> Self {
        Self {
            body: Some(json),
            ..Self::get(port, path)
        }
    }

    /// Sends so many requests a second, however long the responses take: fewer only where all connections wait.
    pub(crate) fn with_rate(mut self, per_second: u32) -> Self {
        self.rate = Some(per_second);
        self
    }

    pub(crate) fn with_bearer(self, token: &str) -> Self {
        self.with_header("authorization", format!("Bearer {token}"))
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Sends for `seconds` over `connections`, each with one request at a time.
    pub(crate) fn run(
        &self,
        wrk: &Path,
        folder: &Path,
        connections: u32,
        seconds: u32,
    ) -> Result<Sample> {
        let mut command = self.command(wrk, folder, connections, seconds)?;
        let text = programs::output(&mut command)?;
        Sample::read(&text).with_context(|| format!("wrk prints no result: {text}"))
    }

    /// wrk with these requests.
    pub(crate) fn command(
        &self,
        wrk: &Path,
        folder: &Path,
        connections: u32,
        seconds: u32,
    ) -> Result<Command> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        // Two of them may run at the same time.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed) % 8;
        let file = folder.join(format!("load-{number}.lua"));
        fs::write(&file, self.script())?;
        let mut command = Command::new(wrk);
        command
            .arg("-t1")
            .arg(format!("-c{connections}"))
            .arg(format!("-d{seconds}s"))
            .arg("-s")
            .arg(&file)
            .arg(format!("http://127.0.0.1:{}{}", self.port, self.paths[0]));
        Ok(command)
    }

    /// The requests, as wrk's script; a Lua long string takes every byte as it is.
    fn script(&self) -> String {
        let mut script = SCRIPT.to_owned();
        for (name, value) in &self.headers {
            script.push_str(&format!("wrk.headers['{name}'] = [==[{value}]==]\n"));
        }
        if let Some(body) = &self.body {
            script.push_str(&format!("wrk.method = 'POST'\nwrk.headers['content-type'] = 'application/json'\nwrk.body = [==[{body}]==]\n"));
        }
        if let Some(rate) = self.rate {
            script.push_str(&format!("local rate = {rate}\n{RATED}"));
        }
        if self.paths.len() > 1 {
            let paths: Vec<String> = self
                .paths
                .iter()
                .map(|path| format!("[==[{path}]==]"))
                .collect();
            script.push_str(&format!("local paths = {{ {} }}\n{EACH}", paths.join(", ")));
        }
        script
    }
}

impl Sample {
    /// Reads the last line that is JSON.
    pub(crate) fn read(output: &str) -> Option<Self> {
        let line = output.lines().rev().find(|line| line.starts_with('{'))?;
        let value: Value = serde_json::from_str(line).ok()?;
        Some(Self {
            requests: value["requests"].as_u64()?,
            errors: Errors {
                status: value["status"].as_u64()?,
                timeout: value["timeout"].as_u64()?,
                connection: value["connection"].as_u64()?,
            },
            bytes: value["bytes"].as_u64()?,
            seconds: value["micros"].as_f64()? / 1e6,
            p50_micros: value["p50"].as_f64()?,
            p99_micros: value["p99"].as_f64()?,
            // Only a subject that knows them itself says these.
            cpu_seconds: value["cpu"].as_f64().unwrap_or_default(),
            resident_bytes: value["resident"].as_u64().unwrap_or_default(),
        })
    }

    /// The same where a response may take as long as it takes.
    pub(crate) fn whatever_it_took(mut self) -> Self {
        self.errors.timeout = 0;
        self
    }

    /// Whether every request got a response of at least `bytes`.
    pub(crate) fn check(self, bytes: usize) -> Result<()> {
        let Errors {
            status,
            timeout,
            connection,
        } = self.errors;
        if self.requests == 0 || self.errors != Errors::default() {
            bail!(
                "of {} requests {status} got an error, {timeout} no response in time; {connection} connections failed",
                self.requests
            );
        }
        if self.bytes / self.requests < bytes as u64 {
            bail!(
                "a response has {} bytes, less than the {bytes} of the stub",
                self.bytes / self.requests
            );
        }
        Ok(())
    }

    pub(crate) fn per_second(self) -> f64 {
        self.requests as f64 / self.seconds
    }

    pub(crate) fn cpu_micros(self) -> f64 {
        self.cpu_seconds * 1e6 / self.requests as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "Running 3s test @ http://127.0.0.1:1/\n  1 threads and 32 connections\nRequests/sec:  4\n\
        {\"requests\":300,\"status\":0,\"timeout\":0,\"connection\":0,\"bytes\":360000,\"micros\":3000000,\"p50\":250.000000,\"p99\":900.000000}\n";

    #[test]
    fn a_result_is_read() {
        let mut sample = Sample::read(OUTPUT).unwrap();
        sample.cpu_seconds = 0.03;
        assert_eq!(
            (sample.per_second(), sample.p50_micros, sample.p99_micros),
            (100.0, 250.0, 900.0)
        );
        assert!((sample.cpu_micros() - 100.0).abs() < 1e-9);
        assert!(Sample::read("Running 3s test\n").is_none());
    }

    #[test]
    fn a_response_that_is_too_short_is_noticed() {
        let sample = Sample::read(OUTPUT).unwrap();
        assert!(sample.check(1024).is_ok());
        assert!(sample.check(1201).is_err());
        assert!(
            Sample {
                requests: 0,
                ..sample
            }
            .check(1)
            .is_err()
        );

        let errors = Errors {
            timeout: 32,
            ..Errors::default()
        };
        let slow = Sample { errors, ..sample };
        assert!(slow.whatever_it_took().check(1).is_ok());
        let error = slow.check(1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "of 300 requests 0 got an error, 32 no response in time; 0 connections failed"
        );
    }

    #[test]
    fn a_request_is_written_as_it_is() {
        let script = Load::post(1, "/", r#"{"a":"]]"}"#.to_owned())
            .with_bearer("secret")
            .script();
        assert!(script.contains("wrk.headers['authorization'] = [==[Bearer secret]==]\n"));
        assert!(script.ends_with("wrk.body = [==[{\"a\":\"]]\"}]==]\n"));
    }

    #[test]
    fn paths_take_turns_and_requests_have_a_rate() {
        let script = Load::get_each(1, vec!["/a".into(), "/b".into()])
            .with_rate(400)
            .script();
        assert!(script.contains("local paths = { [==[/a]==], [==[/b]==] }\n"));
        assert!(script.contains("local rate = 400\n"));
        assert!(!Load::get(1, "/a").script().contains("local paths"));
    }
}
