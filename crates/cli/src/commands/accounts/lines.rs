//! Reads a file of accounts line by line. It can be encrypted with age.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use zeroize::Zeroizing;

use crate::failure::{Failure, Outcome};

/// Most bytes of a line.
const LONGEST: u64 = 256 * 1024;
/// Beginning of a file that age encrypted.
const AGE: &[u8] = b"age-encryption.org/";

/// A line; `None` if it's too long.
pub(super) type Line = Option<Zeroizing<Vec<u8>>>;

/// The remaining lines.
pub(super) struct Lines {
    reader: Box<dyn BufRead + Send>,
    number: u64,
}

impl Lines {
    /// Opens a file, or standard input for `-`. `identity` is a file with the secret key that decrypts it.
    pub(super) fn open(file: &Path, identity: Option<&Path>) -> Outcome<Self> {
        let input: Box<dyn Read + Send> = match file.to_str() {
            Some("-") => Box::new(io::stdin()),
            _ => Box::new(File::open(file).map_err(|error| cannot_read(file, &error))?),
        };
        let mut input = BufReader::new(input);
        let begins = input
            .fill_buf()
            .map_err(|error| cannot_read(file, &error))?
            .starts_with(AGE);
        let reader: Box<dyn BufRead + Send> = match (begins, identity) {
            (false, _) => Box::new(input),
            (true, Some(identity)) => Box::new(BufReader::new(decrypted(input, identity)?)),
            (true, None) => {
                return Err(Failure::usage(
                    format!("{} is encrypted", file.display()),
                    "Give the file with the secret key, for example with: --identity key.txt",
                ));
            }
        };
        Ok(Self { reader, number: 0 })
    }

    /// The next line that isn't empty, with its number.
    pub(super) fn next(&mut self) -> Outcome<Option<(u64, Line)>> {
        loop {
            let mut line = Zeroizing::new(Vec::new());
            let mut bounded = (&mut self.reader).take(LONGEST);
            let read = bounded.read_until(b'\n', &mut line).map_err(cut_off)?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            if read as u64 == LONGEST && line.last() != Some(&b'\n') {
                self.skip()?;
                return Ok(Some((self.number, None)));
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some((self.number, Some(line))));
            }
        }
    }

    /// Skips the rest of a line.
    fn skip(&mut self) -> Outcome {
        loop {
            let buffer = self.reader.fill_buf().map_err(cut_off)?;
            if buffer.is_empty() {
                return Ok(());
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(buffer.len(), |end| end + 1);
            self.reader.consume(length);
            if end.is_some() {
                return Ok(());
            }
        }
    }
}

#[cfg(feature = "export")]
fn decrypted(
    input: BufReader<Box<dyn Read + Send>>,
    identity: &Path,
) -> Outcome<impl Read + Send + use<>> {
    use age::{Decryptor, IdentityFile};

    let no_key = |error: &dyn std::fmt::Display| {
        Failure::configuration(
            format!(
                "{} doesn't contain an age secret key: {error}",
                identity.display()
            ),
            "Give the file that `age-keygen` created.",
        )
    };
    let file = File::open(identity).map_err(|error| cannot_read(identity, &error))?;
    let keys = IdentityFile::from_buffer(BufReader::new(file)).map_err(|error| no_key(&error))?;
    let keys = keys.into_identities().map_err(|error| no_key(&error))?;
    let opened = Decryptor::new_buffered(input)
        .and_then(|decryptor| decryptor.decrypt(keys.iter().map(|key| key.as_ref() as _)));
    opened.map_err(|error| {
        Failure::configuration(
            format!("can't decrypt the file: {error}"),
            "Give the secret key for the public key that encrypted it.",
        )
    })
}

#[cfg(not(feature = "export"))]
fn decrypted(_: BufReader<Box<dyn Read + Send>>, _: &Path) -> Outcome<io::Empty> {
    Err(Failure::usage(
        "this build lacks the feature `export`, so it can't read an encrypted file",
        "Decrypt the file with age first, or use a build with the feature.",
    ))
}

fn cannot_read(file: &Path, error: &io::Error) -> Failure {
    Failure::configuration(
        format!("can't read {}: {error}", file.display()),
        "Check that the file exists and that you may read it.",
    )
}

/// An encrypted file without its end also causes this error.
#[expect(clippy::needless_pass_by_value, reason = "as `map_err` gives it")]
fn cut_off(error: io::Error) -> Failure {
    Failure::configuration(
        format!("can't read the rest of the file: {error}"),
        "Give the complete file, and run the import again. Imported lines don't change.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(u64, Option<usize>)> {
        let reader = Box::new(io::Cursor::new(text.as_bytes().to_vec()));
        let mut lines = Lines { reader, number: 0 };
        let mut all = Vec::new();
        while let Some((number, line)) = lines.next().unwrap() {
            all.push((number, line.map(|line| line.trim_ascii().len())));
        }
        all
    }

    #[test]
    fn lines_have_numbers_and_a_long_line_does_not_affect_others() {
        let long = "x".repeat(600 * 1024);
        let text = format!("{{}}\n\n  \r\nabc\r\n{long}\nlast");
        let expected = [(1, Some(2)), (4, Some(3)), (5, None), (6, Some(4))];
        assert_eq!(lines(&text), expected);
        assert_eq!(lines(""), []);
        assert_eq!(lines(&long), [(1, None)]);
    }
}
