//! The exceptions of each product.

use super::{Exception, Instead};
use crate::products::{
    CALENDAR, DRIVE, GMAIL, NOTION_2022, NOTION_2025, NOTION_2026, PEOPLE, SNOWFLAKE,
};

/// All exceptions.
pub(crate) const EXCEPTIONS: &[Exception] = &[
    // ---- mail
    Exception::new(
        PEOPLE,
        &["scope"],
        "People API, otherContacts.search: takes a scope of its own; the tool calls it where that was granted",
    )
    .of("GET", "/v1/otherContacts:search"),
    Exception {
        case: Some("content that is not base64"),
        ..Exception::new(
            GMAIL,
            &["response/data"],
            "the case shows a response that breaks Gmail API, MessagePartBody.data",
        )
    },
    // ---- calendar
    Exception {
        saying: Some("is not of the format date-time"),
        ..Exception::new(
            CALENDAR,
            &["body/*/dateTime", "response/*/dateTime"],
            "Calendar API, EventDateTime.dateTime: no offset is needed where timeZone is given",
        )
    },
    Exception {
        saying: Some(", found null"),
        ..Exception::new(
            CALENDAR,
            &["body"],
            "Calendar API, \"Performance tips\", patch: a member that is null is cleared",
        )
        .of("PATCH", "/calendar/v3/calendars/{calendar}/events/{event}")
    },
    // ---- drive
    Exception {
        case: Some("a field that does not exist"),
        ..Exception::new(
            DRIVE,
            &["query/fields"],
            "the case shows how the product refuses a field",
        )
    },
    // ---- workspace: the older descriptions cover only a few uses. The newest one has the rest.
    Exception::new(NOTION_2022, &["method"], RETRIEVE_A_COMMENT)
        .of("GET", "/v1/comments/{comment}")
        .instead(Instead::Description(NOTION_2026)),
    Exception::new(NOTION_2025, &["method"], RETRIEVE_A_COMMENT)
        .of("GET", "/v1/comments/{comment}")
        .instead(Instead::Description(NOTION_2026)),
    Exception::new(NOTION_2022, COMMENT, CREATE_A_COMMENT)
        .of("POST", "/v1/comments")
        .instead(Instead::Description(NOTION_2026)),
    Exception::new(NOTION_2025, COMMENT, CREATE_A_COMMENT)
        .of("POST", "/v1/comments")
        .instead(Instead::Description(NOTION_2026)),
    Exception::new(NOTION_2022, PAGE, CREATE_A_PAGE)
        .of("POST", "/v1/pages")
        .instead(Instead::Description(NOTION_2026)),
    Exception::new(NOTION_2025, PAGE, CREATE_A_PAGE)
        .of("POST", "/v1/pages")
        .instead(Instead::Description(NOTION_2026)),
    Exception::new(
        NOTION_2022,
        &["body/children"],
        "Notion API, \"Append block children\": every kind of block",
    )
    .of("PATCH", "/v1/blocks/{block}/children")
    .instead(Instead::Description(NOTION_2026)),
    Exception::new(
        NOTION_2022,
        &["body/properties/*"],
        "Notion API, \"Property schema object\": every kind of column",
    )
    .of("POST", "/v1/databases")
    .instead(Instead::Schema(
        NOTION_2026,
        "/components/schemas/propertyConfigurationRequest",
    )),
    Exception::new(
        NOTION_2025,
        &["method"],
        "Notion API, \"Upgrading to 2025-09-03\": a database is created with initial_data_source",
    )
    .of("POST", "/v1/databases")
    .instead(Instead::Description(NOTION_2026)),
    Exception::new(NOTION_2022, &["body/sorts/*"], SORT_BY_TIME)
        .of("POST", "/v1/databases/{database}/query")
        .instead(Instead::Schema(NOTION_2026, SORTS)),
    Exception::new(NOTION_2025, &["body/sorts/*"], SORT_BY_TIME)
        .of("POST", "/v1/data_sources/{data_source}/query")
        .instead(Instead::Schema(NOTION_2026, SORTS)),
    Exception::new(
        NOTION_2025,
        &["body/result_type"],
        "Notion API, \"Query a data source\": pages or data sources",
    )
    .of("POST", "/v1/data_sources/{data_source}/query")
    .instead(Instead::Description(NOTION_2026)),
    Exception::new(NOTION_2026, &["response/request_status"], INCOMPLETE)
        .of("POST", "/v1/data_sources/{data_source}/query"),
    Exception::new(NOTION_2025, &["response/additional_data"], ERRORS)
        .instead(Instead::Description(NOTION_2026)),
    Exception::new(NOTION_2025, &["response/request_id"], ERRORS),
    Exception::new(NOTION_2026, &["response/request_id"], ERRORS),
    Exception::new(NOTION_2026, EDITORS, DATABASE).of("GET", "/v1/databases/{database}"),
    Exception::new(NOTION_2026, EDITORS, DATABASE).of("POST", "/v1/databases"),
    Exception::new(
        NOTION_2026,
        &["body/properties/title"],
        "notion-mcp-server 1.9.1, \"Create a page\": a title as a plain list",
    )
    .of("POST", "/v1/pages")
    .instead(Instead::Description(NOTION_2022)),
    // ---- warehouse
    Exception::new(
        SNOWFLAKE,
        &["query/retry"],
        "SQL API, \"POST /api/v2/statements\": a request is sent again under its requestId",
    )
    .of("POST", "/api/v2/statements"),
    Exception {
        saying: Some("there is no such member"),
        ..Exception::new(
            SNOWFLAKE,
            &["body/parameters/MULTI_STATEMENT_COUNT", "body/parameters/QUERY_TAG"],
            "SQL API, \"Submitting multiple SQL statements in a single request\": in capitals",
        )
    },
    Exception::new(
        SNOWFLAKE,
        &["response/statementHandles"],
        "SQL API, \"Submitting multiple SQL statements in a single request\": one for each",
    ),
    Exception {
        saying: Some("is not of the format uri"),
        ..Exception::new(
            SNOWFLAKE,
            &["response/statementStatusUrl"],
            "SQL API, \"Handling responses\": the examples have neither scheme nor host",
        )
    },
];

const RETRIEVE_A_COMMENT: &str =
    "Notion API, \"Retrieve a comment\": newer than this description, for every version";
const COMMENT: &[&str] = &["body/parent", "body/discussion_id", "body/rich_text"];
const CREATE_A_COMMENT: &str =
    "Notion API, \"Create a comment\": replies, and every kind of rich text";
const PAGE: &[&str] = &[
    "body/parent",
    "body/properties",
    "body/children",
    "body/icon",
    "body/cover",
];
const CREATE_A_PAGE: &str =
    "Notion API, \"Create a page\": every kind of parent, property, block, icon and cover";
const SORT_BY_TIME: &str = "Notion API, \"Sort database entries\": by a timestamp";
const SORTS: &str = "/paths/~1v1~1data_sources~1{data_source_id}~1query/post/requestBody/content\
     /application~1json/schema/properties/sorts/items";
const INCOMPLETE: &str =
    "Notion API, \"Query a data source\": a result of more than ten thousand rows is incomplete";
const ERRORS: &str = "Notion API, \"Errors\": request_id and additional_data";
const EDITORS: &[&str] = &["response/created_by", "response/last_edited_by"];
const DATABASE: &str = "Notion API, \"Database\": created_by and last_edited_by";
