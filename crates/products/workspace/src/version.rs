//! The API version of a call. It determines the header and the paths together, because the product refuses a path of
//! another version (`invalid_request_url`).

use stead_core::tool::{ApiRequest, Call};

/// The version of a call that doesn't name one (Notion API, "Versioning").
pub(crate) const DEFAULT: &str = "2022-06-28";
/// The first version in which databases contain data sources, which have the rows and columns (Notion API, "Upgrading to
/// 2025-09-03").
const DATA_SOURCES: &str = "2025-09-03";
/// The version in which new blocks take a `position`, and `in_trash` replaces `archived` (Notion API, "Upgrading to
/// 2026-03-11"). It's the only one that the product's own description of its API knows.
const POSITIONS: &str = "2026-03-11";
/// The connection's setting for the version of calls and raw requests that don't name one.
pub(crate) const SETTING: &str = "workspace_version";
/// Name of the header, in lower case.
pub(crate) const HEADER: &str = "notion-version";
/// Form of a version. Only the product knows which ones exist.
pub(crate) const PATTERN: &str = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$";

/// The version of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Version<'a>(Option<&'a str>);

impl<'a> Version<'a> {
    /// The version that the caller asks for, or the default.
    pub(crate) fn of(asked: Option<&'a String>) -> Self {
        Self(asked.map(String::as_str))
    }

    /// Uses the version in the connection's settings, if the caller doesn't ask for one.
    pub(crate) fn or_of(self, call: &'a Call) -> Self {
        let set = || call.settings.get(SETTING)?.as_str();
        Self(self.0.or_else(set))
    }

    /// Uses the version of the product's own description, if neither the caller nor the connection asks for one.
    pub(crate) fn or_newest(self) -> Self {
        Self(self.0.or(Some(POSITIONS)))
    }

    /// Whether rows and columns belong to data sources. Dates in this form sort like text.
    pub(crate) fn has_data_sources(self) -> bool {
        self.0.unwrap_or(DEFAULT) >= DATA_SOURCES
    }

    /// This version if it has data sources, otherwise the first version that does.
    pub(crate) fn with_data_sources(self) -> Self {
        if self.has_data_sources() {
            self
        } else {
            Self(Some(DATA_SOURCES))
        }
    }

    /// Whether new blocks take a `position`, and `in_trash` replaces `archived`.
    pub(crate) fn has_positions(self) -> bool {
        self.0.unwrap_or(DEFAULT) >= POSITIONS
    }

    /// This version if it has positions, otherwise the first version that does.
    pub(crate) fn with_positions(self) -> Self {
        if self.has_positions() {
            self
        } else {
            Self(Some(POSITIONS))
        }
    }

    /// Sets the version on a request. The product's headers contain the default.
    pub(crate) fn on(self, request: ApiRequest) -> ApiRequest {
        match self.0 {
            Some(version) => request.header(HEADER, version),
            None => request,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sources_come_with_their_version() {
        for (asked, has) in [
            (None, false),
            (Some("2021-08-16"), false),
            (Some("2022-06-28"), false),
            (Some("2025-09-02"), false),
            (Some("2025-09-03"), true),
            (Some("2026-03-11"), true),
        ] {
            let asked = asked.map(String::from);
            let newer = Version::of(asked.as_ref()).with_data_sources();
            assert!(newer.has_data_sources());
            assert_eq!(
                Version::of(asked.as_ref()).has_data_sources(),
                has,
                "{asked:?}"
            );
        }
    }

    #[test]
    fn only_an_asked_version_is_put_on_a_request() {
        let asked = String::from("2025-09-03");
        let request = Version::of(Some(&asked)).on(ApiRequest::get(["search"]));
        assert_eq!(request.headers, [(HEADER, asked.clone())]);
        let settings = serde_json::json!({ "workspace_version": "2026-03-11" });
        let call = stead_testkit::fixture::CallSetup {
            settings: settings.as_object().cloned().unwrap(),
            ..Default::default()
        };
        let call = call.to_call(&crate::PRODUCT);
        for (version, expected) in [(Some(&asked), &*asked), (None, "2026-03-11")] {
            let request = Version::of(version)
                .or_of(&call)
                .on(ApiRequest::get(["search"]));
            assert_eq!(request.headers, [(HEADER, expected.to_owned())]);
        }
        assert!(
            Version::of(None)
                .on(ApiRequest::get(["search"]))
                .headers
                .is_empty()
        );
    }
}
