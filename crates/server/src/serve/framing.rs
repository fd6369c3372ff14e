//! Finds the end of a request: its head, and its body by the only length that the head gives.
//!
//! If a request has both a length and chunks, or two equal lengths, the HTTP server drops one before anyone can see it.
//! It gets the bytes of one request at a time from here. If the two disagree about the end, nothing is served.

/// Longest relevant line: a name with a length or a coding.
const LONGEST: usize = 64;

/// Reads one request as it arrives.
#[derive(Debug)]
pub(super) struct Framing {
    part: Part,
    /// The beginning of the present line, in lower case.
    line: [u8; LONGEST],
    /// Length of the line. If it's longer than `line`, the rest isn't kept.
    length: usize,
    has_request_line: bool,
    /// How many headers give the body's length.
    lengths: u8,
    body: u64,
    is_chunked: bool,
    is_unclear: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    /// This many bytes are missing.
    Body(u64),
    ChunkSize,
    Chunk(u64),
    /// The line break after a chunk.
    ChunkEnd,
    Trailers,
    Over,
}

impl Default for Framing {
    fn default() -> Self {
        Self {
            part: Part::Head,
            line: [0; LONGEST],
            length: 0,
            has_request_line: false,
            lengths: 0,
            body: 0,
            is_chunked: false,
            is_unclear: false,
        }
    }
}

impl Framing {
    /// How many of these bytes belong to the request. The rest follows it.
    pub(super) fn read(&mut self, bytes: &[u8]) -> usize {
        let mut read = 0;
        while let Some(rest) = bytes.get(read..).filter(|rest| !rest.is_empty()) {
            match &mut self.part {
                Part::Over => break,
                Part::Body(left) | Part::Chunk(left) => {
                    let taken =
                        usize::try_from(*left).map_or(rest.len(), |left| left.min(rest.len()));
                    // At most `left`.
                    *left -= taken as u64;
                    read += taken;
                    if *left == 0 {
                        self.part = match self.part {
                            Part::Chunk(_) => Part::ChunkEnd,
                            _ => Part::Over,
                        };
                    }
                }
                _ => match rest.iter().position(|byte| *byte == b'\n') {
                    Some(end) => {
                        read += end + 1;
                        self.read_line(&rest[..end]);
                        let length = std::mem::take(&mut self.length);
                        let line = self.line;
                        self.end_line(&line[..length.min(LONGEST)], length > LONGEST);
                    }
                    None => {
                        read = bytes.len();
                        self.read_line(rest);
                    }
                },
            }
        }
        read
    }

    /// Whether the head is complete.
    pub(super) fn has_head(&self) -> bool {
        self.part != Part::Head
    }

    /// Whether the request is complete.
    pub(super) fn is_over(&self) -> bool {
        self.part == Part::Over
    }

    /// Whether the request's end is ambiguous or can't be found.
    pub(super) fn is_unclear(&self) -> bool {
        self.is_unclear
    }

    /// A piece of a line, without its line break.
    fn read_line(&mut self, piece: &[u8]) {
        for byte in piece {
            if *byte == b'\r' {
                continue;
            }
            // A line that is longer, or whose name is irrelevant, is cut here.
            let Some(place) = self.line.get_mut(self.length) else {
                self.length = LONGEST + 1;
                return;
            };
            *place = byte.to_ascii_lowercase();
            self.length += 1;
            if self.part == Part::Head && !matches!(self.line[0], b'c' | b't') {
                return;
            }
        }
    }

    fn end_line(&mut self, line: &[u8], is_cut: bool) {
        match self.part {
            Part::Head => self.end_head_line(line, is_cut),
            // If the size is cut, its end is unknown. An extension may be cut.
            Part::ChunkSize if is_cut && !line.contains(&b';') => self.give_up(),
            Part::ChunkSize => match chunk_size(line) {
                Some(0) => self.part = Part::Trailers,
                Some(size) => self.part = Part::Chunk(size),
                None => self.give_up(),
            },
            Part::ChunkEnd if line.is_empty() => self.part = Part::ChunkSize,
            Part::ChunkEnd => self.give_up(),
            Part::Trailers if line.is_empty() => self.part = Part::Over,
            _ => {}
        }
    }

    fn end_head_line(&mut self, line: &[u8], is_cut: bool) {
        if line.is_empty() {
            // Empty lines before a request line are skipped (RFC 9112, section 2.2).
            if self.has_request_line {
                self.end_head();
            }
            return;
        }
        self.has_request_line = true;
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return;
        };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        match name {
            b"content-length" => match number(value, 10).filter(|_| !is_cut) {
                Some(length) => self.body = length,
                None => self.is_unclear = true,
            },
            b"transfer-encoding" => {
                self.is_chunked = true;
                // Other codings aren't supported here (RFC 9112, section 6.1).
                self.is_unclear |= value != b"chunked" || is_cut;
            }
            _ => return,
        }
        self.lengths = self.lengths.saturating_add(1);
    }

    fn end_head(&mut self) {
        self.is_unclear |= self.lengths > 1;
        self.part = match (self.is_unclear, self.is_chunked, self.body) {
            (true, ..) | (false, false, 0) => Part::Over,
            (false, true, _) => Part::ChunkSize,
            (false, false, body) => Part::Body(body),
        };
    }

    /// Gives up: the following bytes belong to no request.
    fn give_up(&mut self) {
        self.is_unclear = true;
        self.part = Part::Over;
    }
}

/// The size of a chunk, without its extensions.
fn chunk_size(line: &[u8]) -> Option<u64> {
    let size = line.split(|byte| *byte == b';').next()?;
    number(size.trim_ascii_end(), 16)
}

/// Only digits, because `from_str_radix` accepts a sign as well.
fn number(digits: &[u8], radix: u32) -> Option<u64> {
    let digits = std::str::from_utf8(digits).ok()?;
    let is_number = digits.chars().all(|digit| digit.is_digit(radix));
    is_number.then(|| u64::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of the first request, whether it's complete, and whether it's unclear. Reading all bytes together and
    /// one by one must give the same.
    fn read(text: &str) -> (usize, bool, bool) {
        let mut at_once = Framing::default();
        let read = at_once.read(text.as_bytes());
        let mut by_bytes = Framing::default();
        let one_by_one: usize = text.bytes().map(|byte| by_bytes.read(&[byte])).sum();
        assert_eq!(one_by_one, read, "{text:?}");
        assert_eq!(by_bytes.is_over(), at_once.is_over(), "{text:?}");
        (read, at_once.is_over(), at_once.is_unclear())
    }

    #[test]
    fn a_head_says_once_how_long_its_body_is() {
        for head in [
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            "\r\n\nPOST / HTTP/1.1\nTRANSFER-ENCODING:chunked\ncontent-length:3\n\n",
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nA: b\r\nContent-Length: 3\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n",
        ] {
            assert_eq!(read(head), (head.len(), true, true), "{head:?}");
        }
        let long = format!(
            "POST / HTTP/1.1\r\nContent-Length: {}3\r\n\r\n",
            "0".repeat(70)
        );
        assert!(read(&long).2, "a length that is too long to be read");
    }

    #[test]
    fn a_request_ends_where_its_length_or_its_chunks_say() {
        for request in [
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nContent-Length: 44\r\n\r\nContent-Length: 3\r\nTransfer-Encoding: gzip\r\n",
            "POST / HTTP/1.1\r\nContent-Length-2: 3\r\nX-Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\nA;x=\"y\"\r\n0\r\n\r\n45678\r\n0\r\nTrailer: 1\r\n\r\n",
        ] {
            let two = format!("{request}GET /next HTTP/1.1\r\n\r\n");
            assert_eq!(read(&two), (request.len(), true, false), "{request:?}");
        }
        for part in [
            "POST / HTTP/1.1\r\nContent-Length: 3\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
        ] {
            assert_eq!(read(part), (part.len(), false, false), "{part:?}");
        }
    }

    #[test]
    fn after_chunks_that_cannot_be_read_nothing_belongs_to_the_request() {
        const HEAD: &str = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        for chunks in [
            "x\r\n",
            "\r\n",
            "-1\r\n",
            "3\r\nabcd\r\n",
            "fffffffffffffffff\r\n",
            "000000000000000000000000000000000000000000000000000000000000000004\r\n",
        ] {
            let request = format!("{HEAD}{chunks}GET /next HTTP/1.1\r\n\r\n");
            let (read, over, unclear) = read(&request);
            assert!(over && unclear, "{chunks:?}");
            assert!(read <= HEAD.len() + chunks.len(), "{chunks:?}");
        }
    }
}
