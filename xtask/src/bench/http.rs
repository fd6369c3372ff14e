//! Single requests, where wrk is too much: HTTP/1.0, so that a response ends with its connection and has no chunks.

use std::{
    io::{Read, Write as _},
    net::TcpStream,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// Longest silence of a server.
const SILENCE: Duration = Duration::from_secs(60);

/// A request to this machine.
pub(crate) struct Request<'a> {
    pub(crate) port: u16,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) bearer: Option<&'a str>,
    pub(crate) content_type: &'a str,
}

impl<'a> Request<'a> {
    pub(crate) fn get(port: u16, path: &'a str) -> Self {
        Self {
            port,
            method: "GET",
            path,
            bearer: None,
            content_type: "application/json",
        }
    }

    pub(crate) fn post(port: u16, path: &'a str) -> Self {
        Self {
            method: "POST",
            ..Self::get(port, path)
        }
    }

    /// Sends it, and gives the status; nothing where no response comes.
    pub(crate) fn status(&self) -> Option<u16> {
        let mut response = self.open(0).ok()?;
        Some(read_head(&mut response).ok()?.0)
    }

    /// Sends it with this body, and gives the JSON of a response of success.
    pub(crate) fn json(&self, body: &str) -> Result<Value> {
        let mut connection = self.open(body.len() as u64)?;
        connection.write_all(body.as_bytes())?;
        let (status, mut bytes) = read_head(&mut connection)?;
        connection.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        ensure!(status < 300, "{} gives {status}: {text}", self.path);
        serde_json::from_str(&text).with_context(|| format!("{} gives no JSON", self.path))
    }

    /// Sends it with a body of so many zeros, and gives how many bytes the body of the response has.
    pub(crate) fn stream(&self, bytes: u64) -> Result<u64> {
        let mut connection = self.open(bytes)?;
        let piece = vec![b'0'; 64 * 1024];
        let mut left = bytes;
        while left > 0 {
            let now = left.min(piece.len() as u64);
            connection.write_all(&piece[..usize::try_from(now)?])?;
            left -= now;
        }
        let (status, first) = read_head(&mut connection)?;
        ensure!(status < 300, "{} gives {status}", self.path);
        let rest = std::io::copy(&mut connection, &mut std::io::sink())?;
        Ok(first.len() as u64 + rest)
    }

    /// Connects and sends the head.
    pub(crate) fn open(&self, length: u64) -> Result<TcpStream> {
        let mut connection = TcpStream::connect(("127.0.0.1", self.port))?;
        connection.set_nodelay(true)?;
        connection.set_read_timeout(Some(SILENCE))?;
        let Self {
            port,
            method,
            path,
            content_type,
            ..
        } = self;
        let mut head = format!("{method} {path} HTTP/1.0\r\nhost: 127.0.0.1:{port}\r\n");
        if let Some(bearer) = self.bearer {
            head += &format!("authorization: Bearer {bearer}\r\n");
        }
        if length > 0 {
            head += &format!("content-type: {content_type}\r\ncontent-length: {length}\r\n");
        }
        connection.write_all((head + "\r\n").as_bytes())?;
        Ok(connection)
    }
}

/// Status of a response, and what came of its body with the head.
pub(crate) fn read_head(response: &mut impl Read) -> Result<(u16, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
            let status = status.with_context(|| format!("no status in {head:?}"))?;
            return Ok((status, bytes.split_off(end + 4)));
        }
        let count = response.read(&mut piece)?;
        ensure!(count > 0, "the connection ends before the response");
        bytes.extend_from_slice(&piece[..count]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_and_no_byte_of_the_body_lost() {
        let mut response = "HTTP/1.1 201 Created\r\na: b\r\n\r\nbody".as_bytes();
        let (status, first) = read_head(&mut response).unwrap();
        assert_eq!((status, first.as_slice()), (201, b"body".as_slice()));
        assert!(read_head(&mut "HTTP/1.1 200 OK\r\n".as_bytes()).is_err());
    }
}
