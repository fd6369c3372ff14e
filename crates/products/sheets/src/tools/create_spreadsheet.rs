//! Creates a spreadsheet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stead_core::{
    Result, Setters,
    error::Violations,
    tool::{ApiRequest, Call, Effect, Io, Output, ReadableView, RequiredScopes, Tool},
};

use crate::{NewSheet, Spreadsheet, readable::SpreadsheetView, scopes};

/// Create a spreadsheet in the user's My Drive. Returns its id, URL and metadata.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, Setters)]
#[setters(new = title)]
#[serde(deny_unknown_fields)]
pub struct CreateSpreadsheet {
    /// Title of the spreadsheet.
    pub title: Option<String>,
    /// Locale of numbers and dates, such as `en_US`; the user's when absent.
    pub locale: Option<String>,
    /// IANA time zone, such as `Europe/Berlin`; the user's when absent.
    pub time_zone: Option<String>,
    /// Sheets to create, such as `{"title": "Plan"}`; one empty sheet when absent.
    pub sheets: Option<Vec<NewSheet>>,
}

impl Tool for CreateSpreadsheet {
    const NAME: &'static str = "sheets_create_spreadsheet";
    const EFFECT: Effect = Effect::Write;
    const SCOPES: RequiredScopes = scopes::WRITE;
    type Output = Spreadsheet;
    const READABLE: Option<ReadableView> = ReadableView::some::<SpreadsheetView>();

    fn check(&self) -> Result<()> {
        let mut violations = Violations::default();
        let sheets = self.sheets.iter().flatten().enumerate();
        violations.extend(sheets.filter_map(|(place, sheet)| sheet.violation(place)));
        violations.finish()
    }

    /// Sheets API, `spreadsheets.create`. The caller can't choose the id, so a repeat would create a second spreadsheet.
    async fn run(&self, _: &Call, io: Io<'_>) -> Result<Output> {
        let request = ApiRequest::post::<&str>([]).json(&self.body());
        Ok(io.send(request).await?.into())
    }
}

impl CreateSpreadsheet {
    fn body(&self) -> Value {
        let properties: Map<String, Value> = [
            ("title", &self.title),
            ("locale", &self.locale),
            ("timeZone", &self.time_zone),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))))
        .collect();
        let mut body = json!({ "properties": properties });
        if let Some(sheets) = &self.sheets {
            body["sheets"] = sheets.iter().map(|sheet| json!(sheet.to_wire())).collect();
        }
        body
    }
}
