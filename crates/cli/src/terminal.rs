//! All output of the program.

use std::{
    fmt::Display,
    io::{self, IsTerminal as _, Write as _},
    sync::OnceLock,
};

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use console::{Term, measure_text_width, truncate_str};
use jiff::Timestamp;
use serde::Serialize;

/// How to print: for people or for programs, with or without color.
#[derive(Debug)]
pub(crate) struct Terminal {
    stdout: io::Stdout,
    stderr: io::Stderr,
    json: bool,
    quiet: bool,
    color: bool,
    /// Columns, if the results go to a terminal.
    width: Option<u16>,
    /// Why a result could not be written.
    lost: OnceLock<io::Error>,
}

impl Terminal {
    pub(crate) fn new(json: bool, quiet: bool, no_color: bool) -> Self {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let color = !no_color && stdout.is_terminal() && stderr.is_terminal();
        Self {
            stdout,
            stderr,
            json,
            quiet,
            color,
            width: Term::stdout().size_checked().map(|(_, width)| width),
            lost: OnceLock::new(),
        }
    }

    /// Whether a program reads the output.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// The result of the command.
    pub(crate) fn result(&self, text: impl Display) {
        self.written(writeln!(&self.stdout, "{text}"));
    }

    /// A result that is printed byte for byte.
    pub(crate) fn bytes(&self, bytes: &[u8]) {
        let mut stdout = &self.stdout;
        self.written(stdout.write_all(bytes).and_then(|()| stdout.flush()));
    }

    /// Stores why a result couldn't be written. A closed pipe isn't an error, because the reader has seen enough.
    fn written(&self, outcome: io::Result<()>) -> bool {
        match outcome {
            Ok(()) => true,
            Err(error) => {
                if error.kind() != io::ErrorKind::BrokenPipe {
                    // The first error is the cause.
                    let _ = self.lost.set(error);
                }
                false
            }
        }
    }

    /// Why a result was lost, if one was. A command that prints a secret once must not succeed if no one could read it.
    pub(crate) fn lost(&self) -> Option<String> {
        let error = self.lost.get()?.to_string();
        let (why, _number) = error.split_once(" (os error").unwrap_or((&error, ""));
        Some(why.to_owned())
    }

    /// The output for a result that isn't text; `None` if it's a terminal.
    #[cfg(feature = "export")]
    pub(crate) fn binary(&self) -> Option<impl io::Write + Send + use<>> {
        (!self.stdout.is_terminal()).then(io::stdout)
    }

    /// Whether standard error is a terminal, which doesn't keep what it shows.
    pub(crate) fn shows_errors(&self) -> bool {
        self.stderr.is_terminal()
    }

    /// Whether only results are printed.
    #[cfg(feature = "export")]
    pub(crate) fn quiet(&self) -> bool {
        self.quiet
    }

    /// Prints a line of a long result, and returns whether the reader still reads.
    pub(crate) fn line(&self, text: impl Display) -> bool {
        self.written(writeln!(&self.stdout, "{text}"))
    }

    /// A result as one line of JSON.
    pub(crate) fn result_json(&self, value: &impl Serialize) {
        self.result(serde_json::to_string(value).unwrap_or_default());
    }

    /// A result for a program as one line of JSON, or for people as text.
    pub(crate) fn either(&self, value: &impl Serialize, text: impl FnOnce() -> String) {
        if self.json {
            self.result_json(value);
        } else {
            self.result(text());
        }
    }

    /// Rows below headings. On a terminal they fit its width, and only the last column is broken into lines.
    pub(crate) fn table<const N: usize>(&self, headings: [&str; N], rows: Vec<[String; N]>) {
        let rows = rows.into_iter().map(Vec::from).collect();
        self.rows(&headings.map(str::to_owned), rows);
    }

    /// The same with any number of columns. No headings are printed if there are none.
    pub(crate) fn rows(&self, headings: &[String], rows: Vec<Vec<String>>) {
        let headings = (!self.quiet && !headings.is_empty()).then_some(headings);
        self.result(table(self.width, headings, rows));
    }

    /// A line, cut at the terminal's width.
    pub(crate) fn fit(&self, line: &str) -> String {
        let width = self.width.map_or(usize::MAX, usize::from);
        truncate_str(line, width, "…").into_owned()
    }

    /// A note for people that isn't a result; not with `--quiet` or `--json`.
    pub(crate) fn note(&self, text: impl Display) {
        if self.notes() {
            self.result(text);
        }
    }

    /// Whether notes are printed.
    pub(crate) fn notes(&self) -> bool {
        !self.quiet && !self.json
    }

    /// Something that happened while the command runs; not with `--quiet`. `text` returns `None` if people don't need
    /// to know it.
    pub(crate) fn event(&self, value: &impl Serialize, text: impl FnOnce() -> Option<String>) {
        if let Some(line) = self.event_line(value, text) {
            self.result(line);
        }
    }

    /// The line that [`event`](Self::event) prints.
    pub(crate) fn event_line(
        &self,
        value: &impl Serialize,
        text: impl FnOnce() -> Option<String>,
    ) -> Option<String> {
        match (self.quiet, self.json) {
            (true, _) => None,
            (false, true) => Some(serde_json::to_string(value).unwrap_or_default()),
            (false, false) => text(),
        }
    }

    /// A line on the standard error stream.
    pub(crate) fn error(&self, text: impl Display) {
        let _ = writeln!(&self.stderr, "{text}");
    }

    pub(crate) fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }
    pub(crate) fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }
    pub(crate) fn green(&self, text: &str) -> String {
        self.styled("32", text)
    }
    pub(crate) fn red(&self, text: &str) -> String {
        self.styled("31", text)
    }

    fn styled(&self, code: &str, text: &str) -> String {
        if self.color {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// A time for people, in UTC, in JSON's format, to the second.
pub(crate) fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Smallest width of a table's last column, if it doesn't fit on one line.
const LEAST: usize = 24;

/// A block for each row with a line for each column, for rows that are too wide for a table.
fn blocks(headings: Option<&[String]>, rows: Vec<Vec<String>>) -> String {
    let headings = headings.unwrap_or_default();
    let width = headings.iter().map(String::len).max().unwrap_or(0);
    let block = |row: Vec<String>| {
        let lines = row.into_iter().enumerate();
        let lines = lines.map(|(column, value)| match headings.get(column) {
            Some(heading) => format!("{heading:<width$}  {value}"),
            None => value,
        });
        let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n")
    };
    let all: Vec<String> = rows.into_iter().map(block).collect();
    all.join("\n\n")
}

/// The width that is left for the last of the columns, and the width that it needs.
fn last_column(
    width: u16,
    columns: usize,
    headings: Option<&[String]>,
    rows: &[Vec<String>],
) -> (usize, usize) {
    let widest = |column: usize| {
        let heading = headings.map_or(0, |all| measure_text_width(&all[column]));
        let values = rows.iter().map(|row| measure_text_width(&row[column]));
        values.max().unwrap_or_default().max(heading)
    };
    let others: usize = (0..columns - 1).map(|column| widest(column) + 2).sum();
    (
        usize::from(width).saturating_sub(others),
        widest(columns - 1),
    )
}

fn table(width: Option<u16>, headings: Option<&[String]>, rows: Vec<Vec<String>>) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    if let (Some(width), 1..) = (width, columns) {
        let (left, needed) = last_column(width, columns, headings, &rows);
        if left < needed && left < LEAST {
            return blocks(headings, rows);
        }
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).add_rows(rows);
    if let Some(headings) = headings {
        table.set_header(headings);
    }
    if let Some(width) = width {
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width);
    }
    for (number, column) in table.column_iter_mut().enumerate() {
        if number + 1 < columns {
            column
                .set_padding((0, 2))
                .set_constraint(ColumnConstraint::ContentWidth);
        } else {
            column.set_padding((0, 0));
        }
    }
    table.trim_fmt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: [&str; 3]) -> Vec<String> {
        values.map(str::to_owned).to_vec()
    }

    #[test]
    fn a_table_fits_the_terminal_and_is_not_broken_elsewhere() {
        let rows = || {
            vec![
                row([
                    "a_rather_long_name",
                    "read",
                    "one two three four five six seven",
                ]),
                row(["short", "create", "six"]),
            ]
        };
        let headings = row(["NAME", "EFFECT", "SUMMARY"]);
        let headings = Some(headings.as_slice());
        let lines = |text: String| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            lines(table(Some(52), headings, rows())),
            [
                "NAME                EFFECT  SUMMARY",
                "a_rather_long_name  read    one two three four five",
                "                            six seven",
                "short               create  six",
            ]
        );
        assert_eq!(
            lines(table(None, None, rows())),
            [
                "a_rather_long_name  read    one two three four five six seven",
                "short               create  six",
            ]
        );
    }

    #[test]
    fn a_row_without_room_for_its_last_column_is_a_block() {
        let rows = vec![
            row(["1", "a_rather_long_name", "one two three four five"]),
            row(["2", "short", ""]),
        ];
        assert_eq!(
            table(
                Some(40),
                Some(&row(["NUMBER", "NAME", "FACTS"])),
                rows.clone()
            ),
            "NUMBER  1\nNAME    a_rather_long_name\nFACTS   one two three four five\n\n\
             NUMBER  2\nNAME    short\nFACTS"
        );
        assert!(table(Some(60), None, rows).starts_with("1  a_rather_long_name  one two"));
    }

    #[test]
    fn a_line_is_cut_at_the_width_of_the_terminal() {
        let mut terminal = Terminal::new(false, false, true);
        assert_eq!(terminal.fit("abcdef"), "abcdef");
        terminal.width = Some(5);
        assert_eq!(terminal.fit("abcdef"), "abcd…");
        assert_eq!(terminal.fit("abcde"), "abcde");
    }
}
