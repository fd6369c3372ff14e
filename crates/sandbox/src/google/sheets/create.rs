//! `spreadsheets.create`: a new spreadsheet, which is also a new file in Drive.

use axum::http::Method;
use serde_json::Value;

use super::{WRITE, get, new_sheets};
use crate::google::{
    ApiError, ApiMethod, Body, Call, State,
    world::files::{File, SHEET, Spreadsheet},
};

pub(super) static METHOD: ApiMethod = ApiMethod {
    id: "sheets.spreadsheets.create",
    verb: Method::POST,
    path: "v4/spreadsheets",
    parameters: &[],
    scopes: WRITE,
    schema: "Spreadsheet",
    run,
};

/// Members of `Spreadsheet` (discovery, `schemas`).
const SPREADSHEET: &[&str] = &[
    "comments",
    "commentsViewMode",
    "dataSourceSchedules",
    "dataSources",
    "developerMetadata",
    "namedRanges",
    "properties",
    "sheets",
    "spreadsheetId",
    "spreadsheetUrl",
];
/// Members of `SpreadsheetProperties`.
pub(super) const PROPERTIES: &[&str] = &[
    "autoRecalc",
    "defaultFormat",
    "importFunctionsExternalUrlAccessAllowed",
    "iterativeCalculationSettings",
    "locale",
    "spreadsheetTheme",
    "timeZone",
    "title",
];

fn run(state: &mut State, call: &Call) -> Result<Value, ApiError> {
    let object = call.object()?;
    let body = Body::new(&object, "spreadsheet", SPREADSHEET)?;
    body.unsupported(&[
        "comments",
        "dataSources",
        "dataSourceSchedules",
        "developerMetadata",
        "namedRanges",
    ])?;
    let properties = body.object("properties", PROPERTIES)?;
    let text = |name: &str| match &properties {
        Some(properties) => properties.text(name),
        None => Ok(None),
    };
    if let Some(properties) = &properties {
        properties.unsupported(&[
            "autoRecalc",
            "defaultFormat",
            "importFunctionsExternalUrlAccessAllowed",
            "iterativeCalculationSettings",
            "spreadsheetTheme",
        ])?;
    }
    let locale = text("locale")?.unwrap_or("en_US");
    if !is_locale(locale) {
        return Err(ApiError::invalid(format!("Unsupported locale: {locale}")));
    }
    let time_zone = text("timeZone")?.unwrap_or("Etc/GMT");
    if !is_time_zone(time_zone) {
        return Err(ApiError::invalid(format!("Invalid time zone: {time_zone}")));
    }
    let sheets = new_sheets::read(&body.objects("sheets", new_sheets::SHEET)?, state.ids)?;
    let spreadsheet = Spreadsheet {
        id: format!("1{}", state.ids.fresh("spreadsheet", 32)),
        locale: locale.to_owned(),
        time_zone: time_zone.to_owned(),
        sheets,
        named_ranges: Vec::new(),
    };
    let title = text("title")?.filter(|title| !title.is_empty());
    let file = file(
        state,
        call,
        &spreadsheet.id,
        title.unwrap_or("Untitled spreadsheet"),
    );
    let shown = get::shown(&spreadsheet, &file.name, &[], false);
    state.world.files.all.push(file);
    state.world.files.spreadsheets.push(spreadsheet);
    Ok(shown)
}

/// The file of a new spreadsheet: at the top of the user's My Drive.
fn file(state: &State, call: &Call, id: &str, name: &str) -> File {
    let root = state.world.files.root(&call.user);
    File {
        parents: root.map(|root| root.id.clone()).into_iter().collect(),
        ..File::new(id, name, SHEET, &call.user, state.now)
    }
}

/// `en`, `fil`, `en_US` (`SpreadsheetProperties.locale`).
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

/// The shape of a name of the time zone database, or `GMT-07:00` (`SpreadsheetProperties.timeZone`).
fn is_time_zone(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_+-:".contains(&byte);
    let named = text.contains('/') || text.starts_with("GMT") || text == "UTC";
    named
        && text
            .split('/')
            .all(|part| !part.is_empty() && part.bytes().all(plain))
}
