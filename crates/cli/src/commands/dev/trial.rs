//! What the dashboard of `stead dev` offers to try, and what it shows from the start.

use serde_json::{Value, json};
use stead::{
    ErrorKind,
    core::resource::{ExecuteRequest, NewAuthorizationLink},
};
use stead_server::{DashboardAccess, Sample, ServerOptions, Trial};

use crate::{
    failure::Outcome,
    target::{Stack, USER},
};

/// A user who is connected from the start, by the application's name and by the sandbox's.
const SAMPLE_USER: &str = "sample-user";
const SAMPLE_SANDBOX_USER: &str = "grace@example.com";
/// The connections of that user.
const SAMPLE_CONNECTIONS: [&str; 3] = ["mail", "calendar", "drive"];

/// When the sandbox's world takes place.
const WORLD: &str = "2026-05-04T00:00:00Z";

/// The options of the service: its dashboard is open to this machine, and offers a call for each product.
pub(super) fn options(sandbox_url: &str) -> ServerOptions {
    let mut trial = Trial::new(USER, "Ada", samples());
    trial.addresses = vec![(String::from("The sandbox"), sandbox_url.to_owned())];
    let mut options = ServerOptions::default();
    options.dashboard = DashboardAccess::SignedInOnLoopback;
    options.trial = Some(trial);
    options
}

fn samples() -> Vec<Sample> {
    vec![
        sample(
            ("mail", "Mails, threads and contacts"),
            (
                "Show unread mails",
                "mail_fetch_mails",
                json!({ "query": "is:unread" }),
            ),
            "/messages",
            &[
                "/readable/subject",
                "/readable/from/name|/readable/from/email",
            ],
        ),
        sample(
            ("calendar", "Events and calendars"),
            (
                "Show events",
                "calendar_list_events",
                json!({ "single_events": true, "order_by": "startTime", "time_min": WORLD }),
            ),
            "/events",
            &["/summary", "/start/dateTime|/start/date"],
        ),
        sample(
            ("drive", "Files and folders"),
            ("Show files", "drive_search_files", json!({})),
            "/files",
            &["/name", "/mimeType"],
        ),
        sample(
            ("sheets", "Spreadsheets and cells"),
            (
                "Read a table",
                "sheets_get_values",
                json!({ "spreadsheet_id": "1YVvIy6Vsx-ff1g9ZMMHLXHAKpVSjysMv", "range": "Plan!A1:B8" }),
            ),
            "/values",
            &["/0", "/1"],
        ),
        sample(
            ("workspace", "Pages, databases, comments"),
            (
                "Find pages",
                "workspace_search",
                json!({ "query": "engine" }),
            ),
            "/results",
            &[
                "/properties/title/title/0/plain_text|/properties/Name/title/0/plain_text|/title/0/plain_text",
                "/last_edited_time",
            ],
        ),
        sample(
            ("warehouse", "Databases, tables, SQL"),
            (
                "List tables",
                "warehouse_get_tables",
                json!({ "database": "sales" }),
            ),
            "/rows",
            &["/TABLE_NAME", "/TABLE_SCHEMA"],
        ),
    ]
}

fn sample(
    (connection, about): (&str, &str),
    (title, tool, input): (&str, &str, Value),
    list: &str,
    columns: &[&str],
) -> Sample {
    let mut sample = Sample::new(connection, tool, input);
    sample.about = about.to_owned();
    sample.title = title.to_owned();
    sample.list = list.to_owned();
    sample.columns = columns.iter().map(|column| (*column).to_owned()).collect();
    sample
}

/// Connects a user and makes a few calls, one of which fails, so that no page is empty at the start. A folder that was
/// used before has them already.
pub(super) async fn seed(stack: &Stack) -> Outcome {
    let environment = stack.platform.environment();
    for connection in SAMPLE_CONNECTIONS {
        match environment.account(connection, SAMPLE_USER).await {
            Err(error) if error.kind() == ErrorKind::AccountNotFound => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(()),
        }
        let new = NewAuthorizationLink::new(connection, SAMPLE_USER);
        let link = environment.create_authorization_link(new).await?;
        stack.consent_as(&link.link, SAMPLE_SANDBOX_USER).await?;
    }
    for (tool, input) in [
        ("mail_fetch_mails", json!({ "query": "is:unread" })),
        ("mail_list_drafts", json!({})),
        ("calendar_list_events", json!({})),
        ("drive_search_files", json!({})),
        ("drive_get_file_metadata", json!({ "file_id": "not-there" })),
    ] {
        let connection = tool.split('_').next().unwrap_or_default();
        let request = ExecuteRequest::new(connection, SAMPLE_USER, input);
        // The last one fails, as some calls do; so may others where the sandbox was told to.
        let _ = environment.execute(tool, request).await;
    }
    Ok(())
}
