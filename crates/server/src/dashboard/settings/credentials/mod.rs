//! Credentials of applications.

mod scopes;

use jiff::Timestamp;
use minijinja::{Value as Context, context};
use serde_json::{Value, json};
use stead::Error;
use stead_core::{
    api::Paging,
    environment::Environment,
    resource::{
        ChangeAppCredential, DeleteAppCredential, ListAppCredentials, ListConnections,
        ListPolicies, NewAppCredential, ReadAppCredential, RevokeAppSecret, RotateAppCredential,
    },
};

use super::pages::{Action, Input, Member, Options, Resource, Secret, Shown};
use crate::dashboard::{done::Done, page::Page};

pub(super) const TEMPLATES: &[(&str, &str)] = &[
    (
        "settings/credentials/details.html",
        include_str!("details.html"),
    ),
    (
        "settings/credentials/scopes.html",
        include_str!("scopes.html"),
    ),
    (
        "settings/credentials/secret.html",
        include_str!("secret.html"),
    ),
];

pub(super) fn resource() -> Resource {
    Resource {
        about: "Create and revoke the client IDs and secrets of your applications.",
        lead: "Your application signs in with a client ID and a secret. Give each application its own credential, with only the scopes it needs.",
        icon: "lock",
        empty: "Create one for your application. The application gets its token with it at POST /oauth/token.",
        name: "{name}",
        columns: vec![
            Member::of("name"),
            Member::of("secrets").label("State").show(state).note("until", "expires_at"),
            Member::of("scopes").hint("The permissions of the application."),
            Member::of("connections").label("Limits").show(limits),
            last_used(),
            Member::of("created_at"),
        ],
        details: vec![
            Member::of("client_id"),
            Member::of("connections").none("all"),
            Member::of("policy").none("none").link("/dashboard/policies"),
            Member::of("rate_per_minute").label("Requests per minute").none("no limit"),
            last_used(),
            Member::of("created_at"),
            Member::of("expires_at").none("never"),
        ],
        inputs: inputs(),
        secret: Some(Secret {
            member: "client_secret",
            label: "Secret",
            warning: "Copy the secret now. You won’t see it again.",
            about: "",
            also: vec![Member::of("client_id")],
            below: Some("settings/credentials/secret.html"),
        }),
        acts: true,
        details_template: Some(("settings/credentials/details.html", |page, credential, _| {
            Box::pin(async { Ok(details(page, credential)) })
        })),
        ..Resource::of::<ListAppCredentials, ReadAppCredential>("credential")
    }
    .with(Action {
        lead: "The next page shows the secret once.",
        ..Action::create::<NewAppCredential>()
    })
    .with(Action {
        title: "Edit {name}",
        lead: "Changes apply to existing tokens within a second.",
        done: Done::CredentialChanged,
        ..Action::change::<ChangeAppCredential>()
    })
    .with(Action {
        lead: "Stead creates a second secret. Both work for a while, so you can update your application without downtime.",
        submit: "Create new secret",
        made: "New secret created",
        inputs: vec![Input {
            label: "Current secret expires",
            hint: "Tokens issued with it expire at the same time.",
            required: true,
            initial: json!("86400"),
            options: Options::Fixed(&[
                ("86400", "in a day"),
                ("3600", "in an hour"),
                ("604800", "in 7 days"),
                ("2592000", "in 30 days"),
                ("0", "now (the application stops working until it has the new one)"),
            ]),
            ..Input::of("old_expires_in")
        }],
        ..Action::form::<RotateAppCredential>("rotate", "Rotate secret", Done::Changed)
    })
    .with(Action {
        path: "revoke",
        label: "Revoke",
        title: "Revoke {name}?",
        consequences: &[
            "Its secrets and all tokens issued with them stop working within a second.",
            "Stead refuses the application that uses it from then on.",
            "Connected accounts stay as they are.",
            "You can’t undo this.",
        ],
        submit: "Revoke credential",
        done: Done::CredentialRevoked,
        ..Action::delete::<DeleteAppCredential>()
    })
    .with(Action {
        title: "Revoke the secret …{ends_with|secret_id}?",
        consequences: &[
            "It stops working immediately, with all tokens issued with it.",
            "The other secret stays and doesn’t expire.",
            "You can’t undo this.",
        ],
        submit: "Revoke secret",
        is_placed: true,
        ..Action::question::<RevokeAppSecret>(
            "secrets/{secret_id}/revoke",
            "Revoke this secret",
            Done::SecretRevoked,
        )
    })
}

fn inputs() -> Vec<Input> {
    vec![
        Input {
            hint: "The application that uses it, for example billing.",
            required: true,
            ..Input::of("name")
        },
        Input {
            required: true,
            initial: json!(scopes::USUAL.map(|scope| scope.name())),
            options: Options::Loaded(|environment| Box::pin(scopes::groups(environment))),
            template: Some("settings/credentials/scopes.html"),
            ..Input::of("scopes")
        },
        Input {
            label: "Limit to connections",
            hint: "Choose none to allow all connections. A limited credential can’t see the others.",
            empty: json!(["*"]),
            options: Options::Loaded(|environment| Box::pin(connections(environment))),
            ..Input::of("connections")
        },
        Input {
            hint: "The rules apply to every call of this credential, and to the account tokens and MCP sessions it creates.",
            options: Options::Loaded(|environment| Box::pin(policies(environment))),
            ..Input::of("policy")
        },
        Input {
            label: "Requests per minute (optional)",
            hint: "Leave it empty for no limit.",
            empty: json!(0),
            ..Input::of("rate_per_minute")
        },
        Input {
            label: "Expires",
            hint: "You can’t change this later.",
            options: Options::Fixed(&[
                ("", "never"),
                ("2592000", "after 30 days"),
                ("7776000", "after 90 days"),
                ("31536000", "after a year"),
            ]),
            ..Input::of("expires_in")
        },
    ]
}

async fn connections(environment: &Environment) -> Result<Value, Error> {
    let list = ListConnections::new().page(Paging::new(None, Paging::MOST));
    let connections = environment.send(list).await?.items;
    let options = connections.into_iter().map(|one| {
        let name = one.connection_name.to_string();
        let product = environment.catalogue().product(&one.product);
        let title = product.map_or(one.product, |found| found.title.to_owned());
        (name.clone(), name, title)
    });
    Ok(json!(options.collect::<Vec<_>>()))
}

/// The policies, and the option to have none. If there are no policies, there's nothing to choose.
async fn policies(environment: &Environment) -> Result<Value, Error> {
    let policies = environment.send(ListPolicies::new()).await?.items;
    let none = (String::new(), String::from("No policy"));
    let mut options: Vec<_> = policies
        .into_iter()
        .map(|one| (one.name.clone(), one.name))
        .collect();
    if !options.is_empty() {
        options.insert(0, none);
    }
    Ok(json!(options))
}

fn last_used() -> Member {
    Member::of("last_used_at")
        .hint("Updated at most once an hour.")
        .none("never")
}

fn state(credential: &Value, now: Timestamp) -> Shown {
    let mut states = vec![match has_ended(credential, now) {
        true => "expired",
        false => "credential_active",
    }];
    if credential["secrets"].as_array().map_or(0, Vec::len) > 1 {
        states.push("credential_rotating");
    }
    Shown::states(states)
}

fn has_ended(credential: &Value, now: Timestamp) -> bool {
    let end = credential["expires_at"].as_str();
    let end = end.and_then(|end| end.parse::<Timestamp>().ok());
    end.is_some_and(|end| end <= now)
}

fn limits(credential: &Value, _: Timestamp) -> Shown {
    let names = credential["connections"].as_array().into_iter().flatten();
    let names: Vec<&str> = names.filter_map(Value::as_str).collect();
    let rate = credential["rate_per_minute"].as_u64();
    let rate = rate.map(|rate| format!("{} per minute", crate::dashboard::format::count(rate)));
    let names = (!names.is_empty()).then(|| names.join(", "));
    let limits: Vec<String> = names.into_iter().chain(rate).collect();
    Shown::Text(limits.join(" · "))
}

fn details(page: &Page, credential: &Value) -> Context {
    context! {
        scopes => scopes::described(&page.environment, &credential["scopes"]),
        has_ended => has_ended(credential, page.environment.runtime().now()),
    }
}
