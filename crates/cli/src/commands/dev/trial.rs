//! The examples and the sample data in the dashboard of `stead dev`.

use std::sync::Arc;

use serde_json::{Value, json};
use stead_core::{
    api::Paging,
    resource::{ExecuteRequest, ListWebhooks, NewAuthorizationLink, NewWebhook},
};
use stead_sandbox::Sandbox;
use stead_server::{DashboardAccess, Sample, ServerOptions, Trial};

use super::drawer::Drawer;
use crate::{failure::Outcome, target::Stack};

/// Identifiers that are connected to every product from the start, for the home page and for the documentation's
/// examples. Both are Ada in the sandbox.
const CONNECTED: [&str; 2] = [SAMPLE_USER, "user-1"];
const SAMPLE_USER: &str = "ada";

/// The start of the sandbox's calendar data.
const WORLD: &str = "2026-05-04T00:00:00Z";

/// The options of the service. Its dashboard needs no sign-in on this machine, and offers a call for each product.
pub(super) fn options(sandbox: &Sandbox, sandbox_url: &str) -> ServerOptions {
    let mut trial = Trial::new(SAMPLE_USER, "Ada", samples());
    trial.addresses = vec![(String::from("The sandbox"), sandbox_url.to_owned())];
    let mut options = ServerOptions::default();
    options.dashboard.access = DashboardAccess::SignedInOnLoopback;
    options.dashboard.trial = Some(trial);
    options.dashboard.sandbox = Some(Arc::new(Drawer(sandbox.clone())));
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

/// Fills the dashboard's pages: connects two users to every product, makes a few calls, and adds a webhook to the
/// sandbox. A folder of an earlier run already has all that.
pub(super) async fn seed(stack: &Stack) -> Outcome {
    let environment = stack.platform.environment();
    if !environment
        .send(ListWebhooks::new().page(Paging::new(None, 1)))
        .await?
        .items
        .is_empty()
    {
        return Ok(());
    }
    let mut webhook = NewWebhook::new(format!("{}/sandbox/hook", stack.sandbox_url));
    webhook.description = Some(String::from(
        "An endpoint of the sandbox that accepts every event",
    ));
    environment.send(webhook).await?;
    for product in environment.catalogue().products() {
        for user in CONNECTED {
            let new = NewAuthorizationLink::new(product.name, user);
            let link = environment.send(new).await?;
            stack.consent(&link.link).await?;
        }
    }
    let samples = samples().into_iter();
    let calls = samples.map(|sample| (sample.tool, sample.input));
    let failing = ("drive_get_file_metadata", json!({ "file_id": "not-there" }));
    for (tool, input) in calls.chain([(failing.0.to_owned(), failing.1)]) {
        let connection = tool.split('_').next().unwrap_or_default();
        let request = ExecuteRequest::new(connection, SAMPLE_USER, input);
        // The last call fails on purpose. Others may fail if the sandbox has a fault.
        let _ = environment.execute(&tool, request).await;
    }
    Ok(())
}
