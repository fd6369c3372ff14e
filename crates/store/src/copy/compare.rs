//! Compares two databases by digests of their tables. If the digests differ, it compares row by row.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use stead_core::{
    Result,
    store::{Table, Value},
};

use super::end::{End, PageSize, Pages, StoredRow, key, named};

/// The size and digest of a table, which is the same in both databases.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableCopy {
    /// Name of the table.
    pub table: &'static str,
    /// Number of rows.
    pub rows: u64,
    /// SHA-256 of its rows in key order, in hexadecimal.
    pub digest: String,
}

/// Reads a whole table. `seen` gets the number of rows of each page.
pub(super) async fn digest(
    end: &dyn End,
    table: &'static Table,
    size: PageSize,
    mut seen: impl FnMut(u64),
) -> Result<TableCopy> {
    let mut pages = Pages::new(end, table, size, None);
    let mut digest = Sha256::new();
    let mut rows = 0_u64;
    loop {
        let page = pages.next().await?;
        if page.is_empty() {
            break;
        }
        for value in page.iter().flatten() {
            add(&mut digest, value);
        }
        let number = u64::try_from(page.len()).unwrap_or(u64::MAX);
        rows = rows.saturating_add(number);
        seen(number);
    }
    let mut text = String::new();
    for byte in digest.finalize() {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(TableCopy {
        table: table.name,
        rows,
        digest: text,
    })
}

/// Adds a value with its kind and its length, so that no two rows give the same bytes.
fn add(digest: &mut Sha256, value: &Value) {
    match value {
        Value::Null => digest.update([0]),
        Value::Integer(number) => {
            digest.update([1]);
            digest.update(number.to_be_bytes());
        }
        Value::Text(text) => {
            digest.update([2]);
            digest.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
            digest.update(text);
        }
    }
}

/// Describes the first row by key that differs. Returns `None` if all rows are the same.
pub(super) async fn difference(
    from: &dyn End,
    to: &dyn End,
    table: &'static Table,
    size: PageSize,
) -> Result<Option<String>> {
    let mut from = Rows::new(Pages::new(from, table, size, None));
    let mut to = Rows::new(Pages::new(to, table, size, None));
    loop {
        let (one, other) = (from.next().await?, to.next().await?);
        let (row, where_it_is) = match (&one, &other) {
            (None, None) => return Ok(None),
            (Some(one), Some(other)) if one == other => continue,
            (Some(one), Some(other)) if key(table, one) == key(table, other) => {
                (one, "differs between the two")
            }
            (Some(one), Some(other)) if key(table, one) > key(table, other) => {
                (other, "is only in the target")
            }
            (Some(one), _) => (one, "is only in the source"),
            (None, Some(other)) => (other, "is only in the target"),
        };
        let name = named(table, key(table, row));
        return Ok(Some(format!("the row {name} {where_it_is}")));
    }
}

/// The rows of pages, one by one.
struct Rows<'a> {
    pages: Pages<'a>,
    page: std::vec::IntoIter<StoredRow>,
}

impl<'a> Rows<'a> {
    fn new(pages: Pages<'a>) -> Self {
        let page = Vec::new().into_iter();
        Self { pages, page }
    }

    async fn next(&mut self) -> Result<Option<StoredRow>> {
        if let Some(row) = self.page.next() {
            return Ok(Some(row));
        }
        self.page = self.pages.next().await?.into_iter();
        Ok(self.page.next())
    }
}
