//! `POST /dashboard/settings/webhooks/{webhook_id}/replay`: all events since a time once more.
use stead_core::resource::ReplayWebhook;

use axum::response::Response;
use jiff::Timestamp;
use stead::Error;
use stead_core::resource::WebhookReplay;

use super::{super::refused::refused, path, read};
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::Path,
    problem::Result,
};

pub(super) async fn submit(page: Page, Path(id): Path<String>, form: Form) -> Result<Response> {
    let replayed = match moment(form.text("since").unwrap_or_default()) {
        Some(since) => {
            let replay = WebhookReplay::since(since);
            page.environment.send(ReplayWebhook::new(&id, replay)).await
        }
        None => Err(Error::invalid_at(
            "/since",
            "Enter a date and a time, in UTC.",
        )),
    };
    match replayed {
        Ok(_) => Ok(page.redirect_done(&path(&id), Done::WebhookReplayed)),
        Err(error) => {
            let context = read::context(&page, &id, None, None).await?;
            refused(&page, error, read::TEMPLATE, context)
        }
    }
}

/// The value of a browser's date and time field, in UTC.
fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim_end_matches('Z');
    format!("{text}Z").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_and_a_time_are_a_moment_in_utc() {
        let expected: Timestamp = "2026-11-22T02:05:00Z".parse().unwrap();
        for text in [
            "2026-11-22T02:05",
            "2026-11-22T02:05:00",
            "2026-11-22T02:05:00Z",
        ] {
            assert_eq!(moment(text), Some(expected), "{text}");
        }
        for text in ["", "yesterday", "2026-13-01T00:00"] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
