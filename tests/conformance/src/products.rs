//! The descriptions of each product. A new product needs one more entry, and a journey through its sandbox.

pub(crate) struct Product {
    pub(crate) name: &'static str,
    pub(crate) sources: &'static [Source],
    /// Headers that every request has in addition to its fixture's, with their values if those are fixed. The sandbox's
    /// log shows whether the requests have them.
    pub(crate) adds: &'static [(&'static str, Option<&'static str>)],
    /// The header with the API version.
    pub(crate) version_header: Option<&'static str>,
    /// Requests for the sandbox, as a JSON list of `sandbox::journey::Step`.
    pub(crate) journey: &'static str,
}

#[derive(Debug)]
pub(crate) struct Source {
    /// The name of the origin in fixtures. `None` for the product's main origin.
    pub(crate) origin: Option<&'static str>,
    /// The API version that it describes, if the product has several.
    pub(crate) version: Option<&'static str>,
    /// The file in the folder of descriptions.
    pub(crate) file: &'static str,
}

pub(crate) const GMAIL: &str = "google/gmail.v1.json";
pub(crate) const PEOPLE: &str = "google/people.v1.json";
pub(crate) const CALENDAR: &str = "google/calendar.v3.json";
pub(crate) const DRIVE: &str = "google/drive.v3.json";
pub(crate) const NOTION_2022: &str = "notion/notion-mcp-server-1.9.1-openapi.json";
pub(crate) const NOTION_2025: &str = "notion/notion-mcp-server-2.5.2-openapi.json";
pub(crate) const NOTION_2026: &str = "notion/notion-official-openapi.json";
pub(crate) const SNOWFLAKE: &str = "snowflake/sqlapi.yaml";

pub(crate) const PRODUCTS: &[Product] = &[
    Product {
        sources: &[
            Source::only(GMAIL),
            Source {
                origin: Some("people"),
                ..Source::only(PEOPLE)
            },
        ],
        ..Product::new("mail", include_str!("sandbox/journeys/mail.json"))
    },
    Product {
        sources: &[Source::only(CALENDAR)],
        ..Product::new("calendar", include_str!("sandbox/journeys/calendar.json"))
    },
    Product {
        sources: &[Source::only("google/sheets.v4.json")],
        ..Product::new("sheets", include_str!("sandbox/journeys/sheets.json"))
    },
    Product {
        sources: &[Source::only(DRIVE)],
        ..Product::new("drive", include_str!("sandbox/journeys/drive.json"))
    },
    Product {
        sources: &[
            Source::version("2022-06-28", NOTION_2022),
            Source::version("2025-09-03", NOTION_2025),
            Source::version("2026-03-11", NOTION_2026),
        ],
        adds: &[("notion-version", Some("2022-06-28"))],
        version_header: Some("notion-version"),
        ..Product::new("workspace", include_str!("sandbox/journeys/workspace.json"))
    },
    Product {
        sources: &[Source::only(SNOWFLAKE)],
        adds: &[
            ("user-agent", None),
            ("accept", Some("application/json")),
            ("x-snowflake-authorization-token-type", Some("OAUTH")),
        ],
        ..Product::new("warehouse", include_str!("sandbox/journeys/warehouse.json"))
    },
];

impl Product {
    const fn new(name: &'static str, journey: &'static str) -> Self {
        Self {
            name,
            sources: &[],
            adds: &[],
            version_header: None,
            journey,
        }
    }

    /// The description for requests to `origin` in `version`.
    pub(crate) fn source(
        &self,
        origin: Option<&str>,
        version: Option<&str>,
    ) -> Option<&'static Source> {
        self.sources
            .iter()
            .find(|source| source.origin == origin && source.version == version)
    }
}

impl Source {
    const fn only(file: &'static str) -> Self {
        Self {
            origin: None,
            version: None,
            file,
        }
    }

    const fn version(version: &'static str, file: &'static str) -> Self {
        Self {
            version: Some(version),
            ..Self::only(file)
        }
    }
}
