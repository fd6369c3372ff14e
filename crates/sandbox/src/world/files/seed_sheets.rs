//! The seeded spreadsheets.

use super::{
    seed::id,
    spreadsheet::{Cell, Entered, Format, NamedRange, Sheet, Spreadsheet},
};

/// The seeded spreadsheets, one per file of that type.
pub(super) fn spreadsheets() -> Vec<Spreadsheet> {
    vec![budget(), guests(), observations()]
}

/// Text, dates, money, a formula, gaps; a title that needs quotes; a sheet without cells.
fn budget() -> Spreadsheet {
    let mut plan = Sheet::new(0, "Plan");
    plan.frozen_rows = 1;
    row(
        &mut plan,
        0,
        [text("Item"), text("Due"), text("Cost"), text("Paid")],
    );
    row(
        &mut plan,
        1,
        [text("Cards"), date(46_147), money(120.5), truth(true)],
    );
    row(
        &mut plan,
        2,
        [text("Oil"), date(46_174), money(19.0), truth(false)],
    );
    row(&mut plan, 4, [text("Travel"), None, money(300.0), None]);
    row(
        &mut plan,
        6,
        [text("Sum"), None, formula("=SUM(C2:C5)"), None],
    );

    let mut research = Sheet::new(1_043_207, "It's R/D");
    research.rows = 50;
    research.columns = 5;
    row(&mut research, 0, [text("Idea"), text("Share")]);
    row(&mut research, 1, [text("Loom"), share(0.125)]);

    Spreadsheet {
        id: id("ada/budget"),
        locale: "en_US".to_owned(),
        time_zone: "Europe/London".to_owned(),
        sheets: vec![plan, research, Sheet::new(7, "Empty")],
        named_ranges: vec![NamedRange {
            id: "n1costs",
            name: "Costs",
            sheet: 0,
            rows: (1, 5),
            columns: (2, 3),
        }],
    }
}

/// Grace's, which Ada may read.
fn guests() -> Spreadsheet {
    let mut sheet = Sheet::new(0, "Sheet1");
    row(&mut sheet, 0, [text("Guest"), text("Seat")]);
    row(&mut sheet, 1, [text("Ada Lovelace"), number(1.0)]);
    row(&mut sheet, 2, [text("Betty Holberton"), number(2.0)]);
    Spreadsheet {
        id: id("grace/guests"),
        locale: "en_US".to_owned(),
        time_zone: "America/New_York".to_owned(),
        sheets: vec![sheet],
        named_ranges: Vec::new(),
    }
}

/// In the shared drive.
fn observations() -> Spreadsheet {
    let mut sheet = Sheet::new(0, "Stars");
    row(&mut sheet, 0, [text("Star"), text("Magnitude")]);
    row(&mut sheet, 1, [text("Vega"), number(0.03)]);
    row(&mut sheet, 2, [text("Deneb"), number(1.25)]);
    Spreadsheet {
        id: id("shared/observations"),
        locale: "en_GB".to_owned(),
        time_zone: "Etc/UTC".to_owned(),
        sheets: vec![sheet],
        named_ranges: Vec::new(),
    }
}

fn row<const N: usize>(sheet: &mut Sheet, row: u32, cells: [Option<Cell>; N]) {
    for (column, cell) in (0..).zip(cells) {
        if let Some(cell) = cell {
            sheet.cells.insert((row, column), cell);
        }
    }
}

fn text(text: &str) -> Option<Cell> {
    Some(Entered::Text(text.to_owned()).into())
}

fn truth(value: bool) -> Option<Cell> {
    Some(Entered::Bool(value).into())
}

fn formula(text: &str) -> Option<Cell> {
    Some(Entered::Formula(text.to_owned()).into())
}

fn number(value: f64) -> Option<Cell> {
    Some(Entered::Number(value).into())
}

/// A day, counted from 1899-12-30.
fn date(days: u32) -> Option<Cell> {
    shown(f64::from(days), Format::Date)
}

fn money(value: f64) -> Option<Cell> {
    shown(value, Format::Currency)
}

fn share(value: f64) -> Option<Cell> {
    shown(value, Format::Percent { digits: 2 })
}

fn shown(value: f64, format: Format) -> Option<Cell> {
    let entered = Entered::Number(value);
    Some(Cell { entered, format })
}
