//! Generates load with wrk.

use std::{fs, path::Path, process::Command};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::process::output;

/// The size of the stub's response in bytes. A shorter response comes from something else.
pub(crate) const RESPONSE: usize = 1024;

/// Requests that wrk sends in turn until the time is up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Load {
    pub(crate) port: u16,
    pub(crate) paths: Vec<String>,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Option<String>,
    /// How long each connection waits before a request.
    pub(crate) delay_ms: u32,
}

/// The result of one load.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sample {
    pub(crate) requests: f64,
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// The subject's CPU time per request, in the program and in the kernel.
    pub(crate) cpu_us: f64,
    /// The subject's memory afterwards.
    pub(crate) mib: f64,
}

/// Prints wrk's results as one line of JSON, so that we don't parse its prose. wrk counts times in microseconds.
const DONE: &str = r#"
function done(summary, latency, requests)
    local e = summary.errors
    io.write(string.format(
        '{"requests":%d,"failed":%d,"bytes":%d,"micros":%d,"p50":%f,"p99":%f}\n',
        summary.requests, e.status + e.timeout + e.connect + e.read + e.write, summary.bytes, summary.duration,
        latency:percentile(50), latency:percentile(99)))
end
"#;

/// Formats each request only once, because the bench doesn't measure wrk's own work.
const IN_TURNS: &str = r#"
local requests, turn = {}, 0
function init()
    for number, path in ipairs(paths) do requests[number] = wrk.format(nil, path) end
end
function request()
    turn = turn % #requests + 1
    return requests[turn]
end
"#;

impl Load {
    /// Sends requests for `seconds` over `connections`. Each connection has one request in flight.
    ///
    /// # Errors
    /// If a request fails, or a response is shorter than the stub's.
    pub(crate) fn run(&self, folder: &Path, connections: u32, seconds: u32) -> Result<Sample> {
        let script = folder.join("load.lua");
        fs::write(&script, self.script())?;
        let mut command = Command::new("wrk");
        command
            .args(["-t1", &format!("-c{connections}"), &format!("-d{seconds}s")])
            .arg("-s")
            .arg(script)
            .arg(format!("http://127.0.0.1:{}", self.port));
        read(&output(&mut command)?)
    }

    /// wrk's script for the requests. Lua's long strings keep every byte as it is.
    fn script(&self) -> String {
        let mut script = DONE.to_owned();
        for (name, value) in &self.headers {
            script += &format!("wrk.headers['{name}'] = [==[{value}]==]\n");
        }
        if let Some(body) = &self.body {
            script += &format!(
                "wrk.method = 'POST'\nwrk.headers['content-type'] = 'application/json'\nwrk.body = [==[{body}]==]\n"
            );
        }
        if self.delay_ms > 0 {
            script += &format!("function delay() return {} end\n", self.delay_ms);
        }
        let paths: String = self
            .paths
            .iter()
            .map(|path| format!("[==[{path}]==], "))
            .collect();
        script + &format!("local paths = {{ {paths}}}\n{IN_TURNS}")
    }
}

/// Reads the line that [`DONE`] prints.
fn read(output: &str) -> Result<Sample> {
    let line = output.lines().find(|line| line.starts_with('{'));
    let line = line.with_context(|| format!("wrk prints no result: {output}"))?;
    let value: Value = serde_json::from_str(line)?;
    let number = |name: &str| {
        value[name]
            .as_f64()
            .with_context(|| format!("no {name} in {line}"))
    };
    let (requests, failed) = (number("requests")?, number("failed")?);
    ensure!(
        requests > 0.0 && failed == 0.0,
        "{failed} of {requests} requests failed"
    );
    let bytes = number("bytes")? / requests;
    ensure!(
        bytes >= RESPONSE as f64,
        "a response has {bytes:.0} bytes, and the stub's has {RESPONSE}"
    );
    Ok(Sample {
        requests,
        per_second: requests * 1e6 / number("micros")?,
        p50_ms: number("p50")? / 1e3,
        p99_ms: number("p99")? / 1e3,
        ..Sample::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_read_and_a_wrong_response_noticed() {
        let result = |requests: u32, failed: u32, bytes: u32| {
            read(&format!(
                "Running 3s test\n{{\"requests\":{requests},\"failed\":{failed},\"bytes\":{bytes},\"micros\":3000000,\"p50\":250.0,\"p99\":900.0}}\n"
            ))
        };
        let sample = result(300, 0, 360_000).unwrap();
        assert_eq!(
            (sample.per_second, sample.p50_ms, sample.p99_ms),
            (100.0, 0.25, 0.9)
        );
        for (wrong, says) in [
            (result(300, 1, 360_000), "1 of 300 requests failed"),
            (result(0, 0, 0), "0 of 0"),
            (result(300, 0, 3000), "a response has 10 bytes"),
            (read("Running 3s test\n"), "wrk prints no result"),
        ] {
            let error = wrong.unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn a_request_is_written_unchanged() {
        let load = Load {
            paths: vec!["/a".to_owned(), "/b".to_owned()],
            headers: vec![("authorization", "Bearer secret".to_owned())],
            body: Some(r#"{"a":"]]"}"#.to_owned()),
            ..Load::default()
        };
        let script = load.script();
        for line in [
            "wrk.headers['authorization'] = [==[Bearer secret]==]\n",
            "wrk.body = [==[{\"a\":\"]]\"}]==]\n",
            "local paths = { [==[/a]==], [==[/b]==], }\n",
        ] {
            assert!(script.contains(line), "{script}");
        }
        assert!(!script.contains("function delay"));
    }
}
