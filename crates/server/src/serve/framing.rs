//! Whether the head of a request says in one way where its body ends.
//!
//! The HTTP server drops a length next to chunks, and the second of two equal lengths, before anyone can see it.

/// Longest name that matters, with its colon.
const LONGEST: usize = b"transfer-encoding:".len();

/// Reads a head as it comes, and counts the headers that say how long the body is.
#[derive(Debug, Default)]
pub(super) struct Framing {
    /// The beginning of the line that is being read, in lower case.
    line: [u8; LONGEST],
    length: usize,
    has_request_line: bool,
    is_over: bool,
    lengths: u8,
    codings: u8,
}

impl Framing {
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            match byte {
                _ if self.is_over => return,
                b'\n' => self.end_line(),
                b'\r' => {}
                byte => {
                    if let Some(place) = self.line.get_mut(self.length) {
                        *place = byte.to_ascii_lowercase();
                        self.length += 1;
                    }
                }
            }
        }
    }

    fn end_line(&mut self) {
        let line = &self.line[..self.length];
        if line.starts_with(b"content-length:") {
            self.lengths = self.lengths.saturating_add(1);
        } else if line.starts_with(b"transfer-encoding:") {
            self.codings = self.codings.saturating_add(1);
        }
        // Empty lines before a request line are skipped (RFC 9112, section 2.2).
        self.is_over = line.is_empty() && self.has_request_line;
        self.has_request_line |= !line.is_empty();
        self.length = 0;
    }

    pub(super) fn is_ambiguous(&self) -> bool {
        self.lengths.saturating_add(self.codings) > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ambiguous(head: &str) -> bool {
        let mut at_once = Framing::default();
        at_once.read(head.as_bytes());
        let mut by_bytes = Framing::default();
        head.bytes().for_each(|byte| by_bytes.read(&[byte]));
        assert_eq!(at_once.is_ambiguous(), by_bytes.is_ambiguous(), "{head:?}");
        at_once.is_ambiguous()
    }

    #[test]
    fn a_head_says_once_how_long_its_body_is() {
        for head in [
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            "\r\n\nPOST / HTTP/1.1\nTRANSFER-ENCODING:chunked\ncontent-length:3\n\n",
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nA: b\r\nContent-Length: 3\r\n\r\n",
        ] {
            assert!(is_ambiguous(head), "{head:?}");
        }
        for head in [
            "GET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nContent-Length: 3\r\nContent-Length: 3\r\n",
            "POST / HTTP/1.1\r\nContent-Length-2: 3\r\nX-Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert!(!is_ambiguous(head), "{head:?}");
        }
    }
}
