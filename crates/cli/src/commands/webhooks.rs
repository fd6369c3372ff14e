//! `stead webhooks`: URLs of the application that receive events, at a service or in a database.

use clap::{Args, Subcommand};
use secrecy::ExposeSecret as _;
use serde_json::json;
use stead::resource::Page;
use stead_core::resource::{
    NewWebhook, Webhook, WebhookChange, WebhookDelivery, WebhookReplay, WebhookWithSecret,
};

use crate::{
    exit::Exit,
    failure::{Failure, Flags, Outcome},
    target::Target,
    terminal::{Terminal, time},
};

const FLAGS: Flags = &[
    ("/url", "ADDRESS", ""),
    ("/events", "--event", ""),
    ("/description", "--description", ""),
];

/// Webhooks: addresses of your application that get signed events (Standard Webhooks).
#[derive(Debug, Args)]
pub(crate) struct Webhooks {
    #[command(subcommand)]
    command: WebhooksCommand,
    #[command(flatten)]
    target: Target,
}

#[derive(Debug, Subcommand)]
enum WebhooksCommand {
    /// Create a webhook, and print the secret that verifies its events. Stead shows the secret only once.
    Create {
        /// HTTPS address to which Stead sends events. It can't be in a private network.
        #[arg(value_name = "ADDRESS")]
        address: String,
        /// Only events of this type, such as account.*. You can repeat this option.
        #[arg(long = "event", value_name = "TYPE")]
        events: Vec<String>,
        /// Description for people.
        #[arg(long)]
        description: Option<String>,
    },
    /// List all webhooks.
    List,
    /// Show one webhook.
    Show {
        /// ID of the webhook.
        id: String,
    },
    /// Send a test event now.
    Test {
        /// ID of the webhook.
        id: String,
    },
    /// List tests, replays, and deliveries that failed at the first attempt.
    Deliveries {
        /// ID of the webhook.
        id: String,
    },
    /// Send one event again, or all events since a time.
    Replay {
        /// ID of the webhook.
        id: String,
        /// ID of the event.
        #[arg(required_unless_present = "since", conflicts_with = "since")]
        event: Option<String>,
        /// All events since this time, such as 2026-11-22T02:00:00Z.
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
    },
    /// Create a new secret. Stead also signs with the previous one for 24 hours.
    Rotate {
        /// ID of the webhook.
        id: String,
    },
    /// Enable a webhook again. Stead also sends the events that it missed.
    Enable {
        /// ID of the webhook.
        id: String,
    },
    /// Disable a webhook. Stead sends nothing until you enable it again.
    Disable {
        /// ID of the webhook.
        id: String,
    },
    /// Delete a webhook and its deliveries.
    Delete {
        /// ID of the webhook.
        id: String,
    },
}

impl Webhooks {
    pub(crate) async fn run(self, terminal: &Terminal) -> Outcome {
        let target = self.target.open().await?;
        let outcome = self.command.run(&target.stead.webhooks(), terminal).await;
        target.close().await;
        outcome.map_err(|failure| failure.with_flags(FLAGS))
    }
}

impl WebhooksCommand {
    async fn run(self, webhooks: &stead::Webhooks, terminal: &Terminal) -> Outcome {
        match self {
            Self::Create {
                address,
                events,
                description,
            } => {
                let mut new = NewWebhook::new(address).events(events);
                new.description = description;
                show_secret(&webhooks.create(new).await?, terminal);
            }
            Self::List => list(&webhooks.list().page_size(100).all().await?, terminal),
            Self::Show { id } => show(&webhooks.read(&id).await?, terminal),
            Self::Test { id } => {
                let delivery = webhooks.test(&id).await?;
                show_delivery(&delivery, terminal);
                if delivery.state != "delivered" {
                    return Err(Failure::new(
                        Exit::Failed,
                        "the endpoint didn't accept the test event",
                        "It must respond with a 2xx status within 15 seconds.",
                    ));
                }
            }
            Self::Deliveries { id } => {
                let page: Page<WebhookDelivery> = webhooks.deliveries(&id).page_size(100).await?;
                deliveries(&page.items, terminal);
            }
            Self::Replay { id, event, since } => match (event, since) {
                (Some(event), _) => {
                    show_delivery(&webhooks.replay_delivery(&id, &event).await?, terminal);
                }
                (None, since) => {
                    let replay = since.unwrap_or_default().parse().map_err(|_| {
                        Failure::usage(
                            "--since isn't a time",
                            "Use a time such as 2026-11-22T02:00:00Z.",
                        )
                    })?;
                    let webhook = webhooks.replay(&id, WebhookReplay::since(replay)).await?;
                    terminal.either(&webhook, || {
                        String::from("Stead sends all events since then again.")
                    });
                }
            },
            Self::Rotate { id } => show_secret(&webhooks.rotate_secret(&id).await?, terminal),
            Self::Enable { id } => set_disabled(webhooks, &id, false, terminal).await?,
            Self::Disable { id } => set_disabled(webhooks, &id, true, terminal).await?,
            Self::Delete { id } => {
                webhooks.delete(&id).await?;
                terminal.note(format_args!("Deleted {id}."));
            }
        }
        Ok(())
    }
}

async fn set_disabled(
    webhooks: &stead::Webhooks,
    id: &str,
    disabled: bool,
    terminal: &Terminal,
) -> Outcome {
    let mut change = WebhookChange::default();
    change.disabled = Some(disabled);
    let webhook = webhooks.change(id, change).await?;
    let state = if disabled { "disabled" } else { "enabled" };
    terminal.either(&webhook, || format!("{id} is {state}."));
    Ok(())
}

fn show_secret(made: &WebhookWithSecret, terminal: &Terminal) {
    let secret = made.secret.expose_secret();
    terminal.either(
        &json!({ "id": made.webhook.id, "url": made.webhook.url, "secret": secret }),
        || {
            format!(
                "STEAD_WEBHOOK_ID={}\nSTEAD_WEBHOOK_SECRET={secret}",
                made.webhook.id
            )
        },
    );
}

fn list(all: &[Webhook], terminal: &Terminal) {
    if terminal.json() {
        return terminal.result_json(&all);
    }
    if all.is_empty() {
        return terminal
            .note("There are no webhooks yet. Create one with `stead webhooks create`.");
    }
    let rows = all.iter().map(|webhook| {
        let (id, url) = (webhook.id.to_string(), webhook.url.clone());
        [id, state(webhook).0, url]
    });
    terminal.table(["ID", "STATE", "URL"], rows.collect());
}

/// How a webhook does, and since when.
fn state(webhook: &Webhook) -> (String, String) {
    match (&webhook.disabled, webhook.failing_since) {
        (Some(why), Some(since)) if why == "failing" => (
            String::from("disabled"),
            format!("failed since {}", time(since)),
        ),
        (Some(why), _) if why == "gone" => (
            String::from("disabled"),
            String::from("it responded with 410"),
        ),
        (Some(_), _) => (String::from("disabled"), String::new()),
        (None, Some(since)) => (String::from("failing"), format!("since {}", time(since))),
        (None, None) => (String::from("ok"), String::new()),
    }
}

fn show(webhook: &Webhook, terminal: &Terminal) {
    terminal.either(webhook, || {
        let (state, details) = state(webhook);
        let mut text = format!("{}\n  url      {}", webhook.id, webhook.url);
        if let Some(description) = &webhook.description {
            text.push_str(&format!("\n  for      {description}"));
        }
        text.push_str(&format!(
            "\n  state    {}",
            [state, details].join(" ").trim_end()
        ));
        if let Some(until) = webhook.previous_secret_until {
            text.push_str(&format!(
                "\n  secrets  the previous one signs until {}",
                time(until)
            ));
        }
        text.push_str("\n  events");
        match webhook.events.as_slice() {
            [] => text.push_str("   all"),
            some => some
                .iter()
                .for_each(|one| text.push_str(&format!("\n    {one}"))),
        }
        text
    });
}

fn deliveries(all: &[WebhookDelivery], terminal: &Terminal) {
    if terminal.json() {
        return terminal.result_json(&all);
    }
    if all.is_empty() {
        return terminal.note("Every delivery succeeded at the first attempt.");
    }
    for delivery in all {
        for line in lines(delivery) {
            terminal.result(terminal.fit(&line));
        }
    }
}

fn show_delivery(delivery: &WebhookDelivery, terminal: &Terminal) {
    terminal.either(delivery, || lines(delivery).join("\n"));
}

/// Which event it is, where it stands, and what the endpoint said last.
fn lines(delivery: &WebhookDelivery) -> Vec<String> {
    let attempts = match delivery.attempts {
        1 => String::from("1 attempt"),
        more => format!("{more} attempts"),
    };
    let next = delivery.next_attempt_at;
    let next = next.map(|next| format!(", next at {}", time(next)));
    let status = delivery.status.map(|status| status.to_string());
    let said: Vec<String> = [status, delivery.message.clone()]
        .into_iter()
        .flatten()
        .collect();
    // An endpoint's response may contain line breaks.
    let said = said.join(" ");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines = vec![
        format!("{}  {}", delivery.event_id, delivery.event_type),
        format!(
            "  {} after {attempts}{}",
            delivery.state,
            next.unwrap_or_default()
        ),
    ];
    if !said.is_empty() {
        lines.push(format!("  {said}"));
    }
    lines
}
