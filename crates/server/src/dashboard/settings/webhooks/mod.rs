//! Webhooks: URLs of the application that receive events.

use std::collections::BTreeMap;

use minijinja::{Value as Context, context, value::Serde};
use serde_json::{Value, json};
use stead::Error;
use stead_core::{
    api::Paging,
    environment::Environment,
    resource::{
        ChangeWebhook, DeleteWebhook, DeliveryFilter, DeliveryState, EVENT_TYPES,
        ListWebhookDeliveries, ListWebhooks, NewWebhook, ReadWebhook, ReplayWebhook,
        ReplayWebhookDelivery, RotateWebhookSecret, TestWebhook,
    },
};

use super::pages::{
    Action, Form as Asks, Input, Member, Options, Resource, Secret, Shown, separated,
};
use crate::{
    dashboard::{done::Done, form::Form, page::Page},
    extract::Query,
};

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    (
        "settings/webhooks/details.html",
        include_str!("details.html"),
    ),
    ("settings/webhooks/events.html", include_str!("events.html")),
];

pub(super) fn resource() -> Resource {
    Resource {
        about: "Send events to your application.",
        lead: "Stead sends events to these URLs as they happen, for example when an account is connected or must reconnect.",
        icon: "send",
        empty: "Create one to get events as they happen. Without one, your application can read them at GET /v1/events.",
        name: "{url}",
        subtitle: "{description}",
        columns: vec![
            Member::of("url"),
            state(),
            Member::of("events").none("all"),
            Member::of("description"),
            Member::of("updated_at"),
        ],
        details: vec![
            state(),
            Member::of("events").none("all"),
            Member::of("connections"),
            Member::of("previous_secret_until").label("Previous secret signs until"),
            Member::of("id").label("Webhook ID"),
            Member::of("created_at"),
            Member::of("updated_at"),
        ],
        inputs: inputs(),
        secret: Some(Secret {
            member: "secret",
            label: "Secret",
            warning: "Copy the secret now. You won’t see it again.",
            about: "Use it to verify the signatures of events (Standard Webhooks).",
            also: vec![Member::of("previous_secret_until").label("Previous secret signs until")],
            below: None,
        }),
        details_template: Some(("settings/webhooks/details.html", |page, webhook, query| {
            Box::pin(deliveries(page, webhook, query))
        })),
        ..Resource::of::<ListWebhooks, ReadWebhook>("webhook")
    }
    .with(Action {
        lead: "It gets events from now on. The next page shows its signing secret once.",
        ..Action::create::<NewWebhook>()
    })
    .with(Action {
        style: "primary",
        icon: "send",
        ..Action::new::<TestWebhook>("test", "Send test", Done::WebhookTested)
    })
    .with(Action {
        icon: "play",
        sends: json!({ "disabled": false }),
        steps_up: true,
        when: |webhook| !webhook["disabled"].is_null(),
        ..Action::new::<ChangeWebhook>("resume", "Resume", Done::WebhookResumed)
    })
    .with(Action {
        sends: json!({ "disabled": true }),
        when: |webhook| webhook["disabled"].is_null(),
        ..Action::new::<ChangeWebhook>("pause", "Pause", Done::WebhookPaused)
    })
    .with(Action {
        lead: "The secret stays the same.",
        done: Done::WebhookChanged,
        ..Action::change::<ChangeWebhook>()
    })
    .with(Action {
        title: "Rotate the webhook’s secret?",
        consequences: &[
            "Stead creates a new secret and shows it once on the next page.",
            "Both secrets sign events for 24 hours. Update your application within that time.",
            "If you rotated it before, that older secret stops working now.",
        ],
        made: "New secret created",
        ..Action::question::<RotateWebhookSecret>("rotate-secret", "Rotate secret", Done::Changed)
    })
    .with(Action {
        title: "Delete the webhook to {url}?",
        consequences: &[
            "Stead stops sending events there and drops pending deliveries.",
            "To stop it for a while, pause it instead.",
            "You can’t undo this.",
        ],
        done: Done::WebhookDeleted,
        ..Action::delete::<DeleteWebhook>()
    })
    .with(Action {
        form: Asks::Inline,
        title: "Send events again",
        inputs: vec![Input {
            label: "All events since",
            hint: "Time in UTC. Stead sends the events in order, with the same IDs, so your application can skip known ones.",
            ..Input::of("since")
        }],
        ..Action::new::<ReplayWebhook>("replay", "Send events again", Done::WebhookReplayed)
    })
    .with(Action {
        is_placed: true,
        ..Action::new::<ReplayWebhookDelivery>(
            "deliveries/{event_id}/replay",
            "Send again",
            Done::DeliveryReplayed,
        )
    })
}

fn inputs() -> Vec<Input> {
    vec![
        Input {
            hint: "Must be https and not in a private network, unless the operator allows the host by name.",
            placeholder: "https://app.example.com/hooks/stead",
            required: true,
            ..Input::of("url")
        },
        Input {
            hint: "Choose none to send all events.",
            options: Options::Loaded(|environment| Box::pin(groups(environment))),
            template: Some("settings/webhooks/events.html"),
            read: Some(events),
            ..Input::of("events")
        },
        Input {
            hint: "Optional. At most 200 characters.",
            ..Input::of("description")
        },
    ]
}

fn state() -> Member {
    Member::of("disabled").label("State").show(|webhook, _| {
        let state = match webhook["disabled"].as_str() {
            Some(why) => why,
            None if webhook["failing_since"].is_string() => "failing_now",
            None => "on",
        };
        Shown::states([format!("webhook_{state}")])
    })
}

/// The events that a form names: groups such as `account.*`, and single types.
fn events(form: &Form) -> Value {
    let mut events = form.all("groups");
    events.extend(separated(form.text("types").unwrap_or_default()));
    events.into()
}

/// The groups of events, each with its types.
async fn groups(_: &Environment) -> Result<Value, Error> {
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let names = EVENT_TYPES
        .iter()
        .filter_map(|known| known.name.split_once('.'));
    for (group, name) in names {
        groups
            .entry(group)
            .or_default()
            .push(name.replace('_', " "));
    }
    let groups = groups.into_iter().map(|(group, names)| {
        let group = format!("{group}.*");
        (group.clone(), group, names.join(", "))
    });
    Ok(json!(groups.collect::<Vec<_>>()))
}

/// The deliveries of a webhook.
async fn deliveries(page: &Page, webhook: &Value, query: &mut Query) -> Result<Context, Error> {
    let states = DeliveryState::ALL.map(|state| (state.name(), state));
    let state = query.one_of("state", &states)?;
    let paging = query.paging()?;
    let id = webhook["id"].as_str().unwrap_or_default();
    let list = ListWebhookDeliveries::new(id)
        .filter(DeliveryFilter::of(state))
        .page(Paging::new(paging.token.as_deref(), Paging::DEFAULT));
    let deliveries = page.environment.send(list).await?;
    let state = state.map(DeliveryState::name);
    Ok(context! {
        deliveries => Serde(deliveries.items),
        states => DeliveryState::ALL.map(DeliveryState::name),
        chosen => state,
        query => state.map_or_else(String::new, |state| format!("state={state}&")),
        page_token => paging.token,
        next_page_token => deliveries.next_page_token,
    })
}
