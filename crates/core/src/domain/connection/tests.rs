//! The whole table of a connection's states and triggers.

use uuid::Uuid;

use super::*;
use crate::identifier::{ConnectionId, ConnectionName};
use ConnectionState::{Disabled, Draft, Ready};

const NOW: Timestamp = Timestamp::constant(1_767_225_600, 0);
const LATER: Timestamp = Timestamp::constant(1_767_229_200, 0);

fn connection(state: ConnectionState) -> Connection {
    Connection {
        id: ConnectionId::from_uuid(Uuid::from_u128(1)),
        name: ConnectionName::new("demo").unwrap(),
        product: String::from("demo"),
        client_id: Some(String::from("client")),
        client_epoch: 3,
        ended_epoch: 3,
        client_secret: (state != Draft).then(|| Sealed::from_bytes(vec![1])),
        permissions: Vec::new(),
        settings: Map::new(),
        allowed_requests: Vec::new(),
        state,
        health: ConnectionHealth::ClientOk,
        created_at: NOW,
        updated_at: NOW,
        extra: Default::default(),
    }
}

/// Changes that a developer makes.
fn changes() -> [(&'static str, Changes); 5] {
    let none = Changes::default;
    [
        ("nothing", none()),
        (
            "disable",
            Changes {
                disabled: Some(true),
                ..none()
            },
        ),
        (
            "enable",
            Changes {
                disabled: Some(false),
                ..none()
            },
        ),
        (
            "secret",
            Changes {
                client_secret: Some(Sealed::from_bytes(vec![2])),
                ..none()
            },
        ),
        (
            "client id",
            Changes {
                client_id: Some(String::from("other")),
                ..none()
            },
        ),
    ]
}

/// The name of a trigger in the table. The tests don't compile until a new trigger has one.
fn name(trigger: Trigger<'_>, what: &str) -> String {
    match trigger {
        Trigger::Changed { .. } => format!("Changed({what})"),
        Trigger::ClientUsed { health, .. } => format!("ClientUsed({what}, {health:?})"),
    }
}

#[test]
fn every_state_knows_every_trigger() {
    use ConnectionHealth::{ClientOk, ClientRejected};
    let changes = changes();
    let mut table = String::new();
    for (state, health) in [Draft, Ready, Disabled]
        .into_iter()
        .flat_map(|state| [(state, ClientOk), (state, ClientRejected)])
    {
        let row = Connection {
            health,
            ..connection(state)
        };
        let other = Connection {
            client_id: Some(String::from("before")),
            ..row.clone()
        };
        let used = |used, health| Trigger::ClientUsed { used, health };
        let triggers = changes
            .iter()
            .map(|(what, changes)| {
                let product = &Product::BASE;
                (*what, Trigger::Changed { changes, product })
            })
            .chain([
                ("this client", used(&row, ClientOk)),
                ("this client", used(&row, ClientRejected)),
                ("another client", used(&other, ClientOk)),
                ("another client", used(&other, ClientRejected)),
            ]);
        table += &format!("\n{state:?}, {health:?}\n");
        for (what, trigger) in triggers {
            let outcome = match row.on(trigger, LATER) {
                None => String::from("stays"),
                Some((next, event)) => {
                    assert_eq!(next.updated_at, LATER);
                    let epoch = match next.client_epoch - row.client_epoch {
                        0 => "",
                        _ => ", another epoch",
                    };
                    format!("{:?}, {:?}{epoch}: {event}", next.state, next.health)
                }
            };
            table += &format!("    {} -> {outcome}\n", name(trigger, what));
        }
    }
    insta::assert_snapshot!(table);
}
