//! Versions of the API (Notion API, "Versioning"). Older ones are not supported.

use super::errors::ApiError;
use crate::request::Request;

/// The versions, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Version {
    /// 2022-06-28: a database has columns and rows.
    Databases,
    /// 2025-09-03: a database has data sources, which have columns and rows.
    DataSources,
    /// 2026-03-11: `in_trash` instead of `archived`, `position` instead of `after`.
    InTrash,
}

impl Version {
    /// The version that the request names (Notion API, "Versioning").
    pub(crate) fn of(request: &Request) -> Result<Self, ApiError> {
        let date = request
            .header("notion-version")
            .ok_or_else(ApiError::missing_version)?;
        Self::named(date).ok_or_else(|| {
            let should = format!(
                "`\"2022-06-28\"` or `\"2025-09-03\"` or `\"2026-03-11\"`, instead was `\"{date}\"`"
            );
            ApiError::at("Notion-Version header", &should)
        })
    }

    /// The version of this date.
    pub(crate) fn named(date: &str) -> Option<Self> {
        match date {
            "2022-06-28" => Some(Self::Databases),
            "2025-09-03" => Some(Self::DataSources),
            "2026-03-11" => Some(Self::InTrash),
            _ => None,
        }
    }

    /// Whether columns and rows belong to data sources.
    pub(crate) fn has_data_sources(self) -> bool {
        self >= Self::DataSources
    }
}
