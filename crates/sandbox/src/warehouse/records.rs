//! The rows of Snowflake's tables, to view and change by hand.

use super::{
    Snowflake,
    account::{Account, Cell, Person, Table},
};
use crate::records::{Field, Record, Section, Values, missing, value};

const ROWS: &str = "table_rows";
/// How many rows of a table and how many values of a row to show.
const MOST: usize = 20;
const VALUES: usize = 5;

impl Snowflake {
    pub(super) fn sections_of(&mut self, user: &str) -> Vec<Section> {
        let opened = self
            .opened
            .get_or_insert_with(|| Self::open(&mut self.account));
        let mut records = Vec::new();
        let mut first = String::new();
        for (name, table) in tables(&self.account, user) {
            if first.is_empty() {
                first.clone_from(&name);
            }
            for (id, values) in opened.rows.texts(table, MOST) {
                let mut values = values.into_iter();
                let shown: [String; VALUES] =
                    std::array::from_fn(|_| values.next().unwrap_or_default());
                let id = format!("{}/{id}", table.stored);
                records.push(Record::new(id, std::iter::once(name.clone()).chain(shown)));
            }
        }
        vec![Section {
            name: ROWS,
            title: "Rows of tables",
            columns: vec!["Table", "1", "2", "3", "4", "5"],
            records,
            fields: vec![
                Field::line("table", "Table", first),
                Field::line(
                    "values",
                    "Values in the order of the columns, with commas between them",
                    "",
                ),
            ],
        }]
    }

    pub(super) fn add_by_hand(
        &mut self,
        user: &str,
        section: &str,
        values: &Values,
    ) -> Option<Result<(), String>> {
        (section == ROWS).then(|| self.add_row(user, values))
    }

    fn add_row(&mut self, user: &str, values: &Values) -> Result<(), String> {
        let (name, given) = (value(values, "table")?, value(values, "values")?);
        let opened = self
            .opened
            .get_or_insert_with(|| Self::open(&mut self.account));
        let table = tables(&self.account, user).find(|(known, _)| known == name);
        let (_, table) = table.ok_or_else(|| format!("there is no table {name}"))?;
        let mut given = given
            .split(',')
            .map(|text| Some(text.trim().to_owned()).filter(|text| !text.is_empty()));
        let row: Vec<Cell> = table
            .columns
            .iter()
            .map(|_| given.next().flatten())
            .collect();
        if given.next().is_some() {
            return Err(format!("{name} has {} columns", table.columns.len()));
        }
        let added = opened.rows.insert_cells(table, &[row]);
        added.map_err(|error| error.message)
    }

    pub(super) fn delete_by_hand(
        &mut self,
        user: &str,
        section: &str,
        id: &str,
    ) -> Option<Result<(), String>> {
        if section != ROWS {
            return None;
        }
        let opened = self
            .opened
            .get_or_insert_with(|| Self::open(&mut self.account));
        let place = id
            .split_once('/')
            .and_then(|(stored, row)| Some((stored, row.parse::<i64>().ok()?)));
        let gone = place.is_some_and(|(stored, row)| {
            // Only a name from the list becomes part of a statement.
            let table = tables(&self.account, user).find(|(_, table)| table.stored == stored);
            let gone = table.and_then(|(_, table)| {
                let sql = format!("DELETE FROM {} WHERE rowid = {row}", table.stored);
                opened.rows.execute(&sql).ok()
            });
            gone == Some(1)
        });
        Some(gone.then_some(()).ok_or_else(|| missing(id)))
    }
}

/// The tables that the user's default role can see, by full name.
fn tables<'a>(account: &'a Account, user: &str) -> impl Iterator<Item = (String, &'a Table)> {
    let role = account.person(user).map_or("PUBLIC", Person::default_role);
    let seen = account
        .databases
        .iter()
        .filter(move |database| database.roles.contains(&role));
    seen.flat_map(|database| {
        database.schemas.iter().flat_map(move |schema| {
            let tables = schema.tables.iter().filter(|table| !table.is_view);
            tables.map(move |table| {
                (
                    format!("{}.{}.{}", database.name, schema.name, table.name),
                    table,
                )
            })
        })
    })
}
