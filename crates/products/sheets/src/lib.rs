//! The sheets product of Stead: four tools over Google Sheets.
