//! `spreadsheets.create`: creates a spreadsheet, which is also a file in Drive.

use serde_json::{Map, Value};

use super::{formula, get};
use crate::{
    google::{
        ApiError, Call, Members as _, State,
        world::files::{Cell, Entered, File, SHEET, Sheet, Spreadsheet},
    },
    shared::Ids,
};

type Members = Map<String, Value>;

pub(super) fn create(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let text = |name: &str| {
        call.body
            .object("properties")
            .and_then(|properties| properties.text(name))
    };
    let locale = text("locale").unwrap_or("en_US");
    if !is_locale(locale) {
        return Err(ApiError::invalid(format!("Unsupported locale: {locale}")));
    }
    let time_zone = text("timeZone").unwrap_or("Etc/GMT");
    if !is_time_zone(time_zone) {
        return Err(ApiError::invalid(format!("Invalid time zone: {time_zone}")));
    }
    let sheets: Vec<&Members> = call.body.objects("sheets").collect();
    let sheets = read(&sheets, state.ids)?;
    let spreadsheet = Spreadsheet {
        id: format!("1{}", state.ids.fresh("spreadsheet", 32)),
        locale: locale.to_owned(),
        time_zone: time_zone.to_owned(),
        sheets,
        named_ranges: Vec::new(),
    };
    let title = text("title").filter(|title| !title.is_empty());
    let title = title.unwrap_or("Untitled spreadsheet");
    let file = file(state, call, &spreadsheet.id, title);
    let shown = get::shown(&spreadsheet, &file.name, &[], false);
    state.world.files.all.push(file);
    state.world.files.spreadsheets.push(spreadsheet);
    Ok(shown)
}

/// The file of a new spreadsheet, at the top of the user's My Drive.
fn file(state: &State, call: &Call, id: &str, name: &str) -> File {
    let root = state.world.files.root(&call.user);
    File {
        parents: root.map(|root| root.id.clone()).into_iter().collect(),
        ..File::new(id, name, SHEET, &call.user, state.now)
    }
}

/// Whether this is a locale such as `en`, `fil` or `en_US` (`SpreadsheetProperties.locale`).
fn is_locale(text: &str) -> bool {
    let (language, country) = match text.split_once('_') {
        Some((language, country)) => (language, Some(country)),
        None => (text, None),
    };
    (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && country.is_none_or(|country| {
            country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase())
        })
}

/// Whether this looks like a name of the time zone database, or `GMT-07:00` (`SpreadsheetProperties.timeZone`).
fn is_time_zone(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_+-:".contains(&byte);
    let named = text.contains('/') || text.starts_with("GMT") || text == "UTC";
    named
        && text
            .split('/')
            .all(|part| !part.is_empty() && part.bytes().all(plain))
}

/// Reads the sheets. Without any, the spreadsheet gets one empty sheet.
fn read(sheets: &[&Members], ids: &mut Ids) -> Result<Vec<Sheet>, ApiError> {
    let mut read: Vec<(i32, Sheet)> = Vec::new();
    for (index, body) in (0..).zip(sheets) {
        let (index, mut sheet) = properties(body, index, ids)?;
        cells(body, &mut sheet)?;
        for (_, other) in &read {
            if other.title.eq_ignore_ascii_case(&sheet.title) {
                return Err(ApiError::invalid(format!(
                    "Invalid sheets[{index}]: A sheet with the name \"{}\" already exists. Please enter another name.",
                    sheet.title
                )));
            }
            if other.id == sheet.id {
                return Err(ApiError::invalid(format!(
                    "Invalid sheets[{index}]: A sheet with the id {} already exists.",
                    sheet.id
                )));
            }
        }
        read.push((index, sheet));
    }
    if read.is_empty() {
        return Ok(vec![Sheet::new(0, "Sheet1")]);
    }
    read.sort_by_key(|(index, _)| *index);
    Ok(read.into_iter().map(|(_, sheet)| sheet).collect())
}

/// Reads a sheet without its cells. Returns it with its position.
fn properties(body: &Members, index: i32, ids: &mut Ids) -> Result<(i32, Sheet), ApiError> {
    let title = format!("Sheet{}", index + 1);
    let Some(properties) = body.object("properties") else {
        return Ok((index, Sheet::new(fresh_id(ids), title)));
    };
    match properties.text("sheetType") {
        None | Some("GRID") => {}
        Some("OBJECT" | "DATA_SOURCE") => {
            return Err(ApiError::unimplemented(
                "The sandbox has only sheets of cells.",
            ));
        }
        Some(other) => {
            return Err(ApiError::invalid(format!(
                "Invalid value at 'spreadsheet.sheets[{index}].properties.sheet_type' (TYPE_ENUM), \"{other}\""
            )));
        }
    }
    let id = match integer(properties, "sheetId")? {
        None => fresh_id(ids),
        Some(id) if id >= 0 => id,
        Some(id) => {
            return Err(ApiError::invalid(format!(
                "Invalid sheets[{index}]: sheetId {id} must not be negative."
            )));
        }
    };
    let title = properties.text("title").map_or(title, str::to_owned);
    let mut sheet = Sheet::new(id, title);
    sheet.hidden = properties.flag("hidden").unwrap_or_default();
    sheet.more = kept(properties, &["rightToLeft", "tabColor", "tabColorStyle"]);
    if let Some(grid) = properties.object("gridProperties") {
        sheet.rows = count(grid, "rowCount", 1)?.unwrap_or(sheet.rows);
        sheet.columns = count(grid, "columnCount", 1)?.unwrap_or(sheet.columns);
        sheet.frozen_rows = count(grid, "frozenRowCount", 0)?.unwrap_or_default();
        sheet.frozen_columns = count(grid, "frozenColumnCount", 0)?.unwrap_or_default();
        let flags = [
            "hideGridlines",
            "rowGroupControlAfter",
            "columnGroupControlAfter",
        ];
        sheet.more_of_grid = kept(grid, &flags);
    }
    Ok((integer(properties, "index")?.unwrap_or(index), sheet))
}

/// Reads the cells of `data`: the entered values, without their formats.
fn cells(body: &Members, sheet: &mut Sheet) -> Result<(), ApiError> {
    for data in body.objects("data") {
        let first_row = count(data, "startRow", 0)?.unwrap_or_default();
        let first_column = count(data, "startColumn", 0)?.unwrap_or_default();
        for (row, line) in (first_row..).zip(data.objects("rowData")) {
            for (column, value) in (first_column..).zip(line.objects("values")) {
                if let Some(entered) = entered(value)? {
                    sheet.cells.insert((row, column), Cell::from(entered));
                }
                if row >= sheet.rows || column >= sheet.columns {
                    return Err(ApiError::invalid("The data exceeds the grid of its sheet."));
                }
            }
        }
    }
    Ok(())
}

fn entered(cell: &Members) -> Result<Option<Entered>, ApiError> {
    let Some(value) = cell.object("userEnteredValue") else {
        return Ok(None);
    };
    if let Some(text) = value.text("formulaValue") {
        formula::check(text)?;
        return Ok(Some(Entered::Formula(text.to_owned())));
    }
    if let Some(flag) = value.flag("boolValue") {
        return Ok(Some(Entered::Bool(flag)));
    }
    if let Some(number) = value.get("numberValue").and_then(Value::as_f64) {
        return Ok(Some(Entered::Number(number)));
    }
    let text = value.text("stringValue");
    Ok(text.map(|text| Entered::Text(text.to_owned())))
}

/// A 32-bit integer. `None` if it's absent.
fn integer(members: &Members, name: &str) -> Result<Option<i32>, ApiError> {
    let Some(value) = members.get(name).filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let number = value.as_i64().and_then(|number| i32::try_from(number).ok());
    let message = format!("Invalid value at '{name}' (TYPE_INT32), {value}");
    number
        .map(Some)
        .ok_or_else(|| ApiError::unbound(name, message))
}

/// A number of rows or columns, which must be at least `least`. `None` if it's absent.
fn count(members: &Members, name: &str, least: u32) -> Result<Option<u32>, ApiError> {
    let Some(number) = integer(members, name)? else {
        return Ok(None);
    };
    let count = u32::try_from(number).ok().filter(|number| *number >= least);
    let message = format!("Invalid value at '{name}': {number} is too small");
    count.map(Some).ok_or_else(|| ApiError::invalid(message))
}

/// Copies these members, if they're present.
fn kept(members: &Members, names: &[&str]) -> Members {
    let is_kept =
        |(name, value): &(&String, &Value)| names.contains(&name.as_str()) && !value.is_null();
    let kept = members.iter().filter(is_kept);
    kept.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// An ID that no one can guess, but that is the same in every run.
fn fresh_id(ids: &mut Ids) -> i32 {
    let letters = ids.fresh("sheet", 8);
    let number = letters.bytes().fold(0_i32, |number, byte| {
        number.wrapping_mul(31).wrapping_add(i32::from(byte))
    });
    number & i32::MAX
}
