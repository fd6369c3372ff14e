//! Rows to try a store with: complete, bare and hostile ones.

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use stead_core::{
    identifier::{
        AccountId, AuthorizationId, ConnectionId, ConnectionName, DataKeyId, EventId, ExecutionId,
        Identifier, OutboxId,
    },
    resource::{AccountHealth, AccountReason, AccountState, ConnectionHealth, ConnectionState},
    store::{
        AccessTokenRow, AccountRow, AppCredentialRow, AuthorizationRow, AuthorizationState,
        ConnectionRow, CredentialRow, DataKeyRow, Digest, EndpointSnapshot, EventRow, ExecutionRow,
        Lease, OutboxRow, OutboxTask, PendingCredential, Row, Sealed, Subject,
    },
};
use uuid::Uuid;

/// Identifiers that have to be kept apart, byte for byte.
pub fn hostile_identifiers() -> Vec<Identifier> {
    let texts = [
        "a/b %2F@ü",
        "a/b /@ü",
        "'; DROP TABLE \"account\"; --",
        "\"quoted\" \\ 'twice'",
        "👩‍👩‍👧 😀",
        "user",
        "User",
        "user ",
        " ",
        "%",
        "_",
        "$1 ?1 :id",
        "null",
        "1",
        "1.0",
        // The same to the eye: composed, and with a combining mark.
        "\u{e9}",
        "e\u{301}",
        "\u{feff}",
        "\u{202e}resu",
    ];
    let long = ["x".repeat(256), "😀".repeat(256)];
    texts
        .iter()
        .map(|text| (*text).to_owned())
        .chain(long)
        .map(identifier)
        .collect()
}

/// An identifier of the right shape.
///
/// # Panics
/// Where it has not.
pub fn identifier(text: impl Into<String>) -> Identifier {
    Identifier::new(text).expect("an identifier")
}

/// A connection's name of the right shape.
///
/// # Panics
/// Where it has not.
pub fn name(text: impl Into<String>) -> ConnectionName {
    ConnectionName::new(text).expect("a connection's name")
}

/// A moment that needs every digit of a nanosecond, `seconds` after the beginning of 2026.
pub fn moment(seconds: i64) -> Timestamp {
    Timestamp::constant(1_767_225_600 + seconds, 123_456_789)
}

/// Id of the connection with this number. Ids rise with their numbers.
pub fn connection_id(number: u128) -> ConnectionId {
    ConnectionId::from_uuid(Uuid::from_u128(number))
}
/// Id of the account with this number.
pub fn account_id(number: u128) -> AccountId {
    AccountId::from_uuid(Uuid::from_u128(number))
}
/// Id of the authorization with this number.
pub fn authorization_id(number: u128) -> AuthorizationId {
    AuthorizationId::from_uuid(Uuid::from_u128(number))
}

/// A connection with everything; its name is made of its number.
pub fn connection(number: u128) -> ConnectionRow {
    ConnectionRow {
        id: connection_id(number),
        name: name(format!("mail-{number}")),
        product: String::from("mail"),
        client_id: Some(format!("client {number} \"quoted\"")),
        client_secret: Some(sealed(number)),
        permissions: vec![String::from("https://example.test/a b"), String::new()],
        settings: hostile_settings(),
        state: ConnectionState::Disabled,
        health: ConnectionHealth::ClientRejected,
        created_at: moment(0),
        updated_at: Timestamp::MAX,
    }
}

/// An account of connection 1 with everything; its identifier is made of its number.
pub fn account(number: u128) -> AccountRow {
    AccountRow {
        id: account_id(number),
        connection_id: connection_id(1),
        identifier: identifier(format!("user {number} / ü")),
        state: AccountState::Suspended,
        suspended_from: Some(AccountState::NeedsReauthorization),
        reason: Some(AccountReason::RefreshOutcomeLost),
        health: AccountHealth::Degraded,
        granted_scopes: vec![String::from("one"), String::from("two 'three'")],
        missing_scopes: vec![String::from("😀")],
        subject: Some(subject()),
        generation: u64::MAX - 1,
        last_generation: u64::MAX,
        token_expires_at: Some(moment(3600)),
        lease: Some(Lease {
            owner: Uuid::from_u128(u128::MAX - number),
            until: moment(60),
            generation: u64::MAX,
        }),
        refresh_failures: u32::MAX,
        created_at: Timestamp::MIN,
        updated_at: moment(1),
    }
}

/// A credential that is not shredded.
pub fn credential(account: u128, generation: u64) -> CredentialRow {
    CredentialRow {
        account_id: account_id(account),
        generation,
        sealed: Some(sealed(account + u128::from(generation))),
        created_at: moment(0),
        held_by: None,
    }
}

/// An authorization of account 1 with everything, which is over at [`moment`] 600.
pub fn authorization(number: u128) -> AuthorizationRow {
    AuthorizationRow {
        id: authorization_id(number),
        account_id: account_id(1),
        connection_id: connection_id(1),
        identifier: identifier("a/b %2F@ü"),
        state: AuthorizationState::Verifying,
        reason: Some(String::from("line\nbreak\tand \u{0} zero")),
        link: Digest::of(&format!("link {number}")),
        oauth_state: Some(Digest::of(&format!("state {number}"))),
        browser: Some(Digest::of("browser")),
        verifier: Some(sealed(number)),
        endpoints: Some(EndpointSnapshot {
            issuer: Some(String::from("https://issuer.test")),
            authorize: String::from("https://issuer.test/authorize?a=b&c=%20"),
            token: String::from("https://issuer.test/token"),
        }),
        scopes: vec![String::from("one")],
        verify_url: Some(String::from("https://app.test/back?x=ü#y")),
        app_state: Some("s".repeat(500)),
        allow_account_switch: true,
        quarantine: Some(PendingCredential {
            generation: u64::MAX,
            granted_scopes: vec![String::from("one")],
            missing_scopes: Vec::new(),
            subject: Some(subject()),
            token_expires_at: Some(moment(3600)),
        }),
        created_at: moment(0),
        expires_at: moment(600),
    }
}

/// A client id of the application.
pub fn app_credential(number: u128) -> AppCredentialRow {
    AppCredentialRow {
        client_id: format!("app_{number} 'ü' \"%\""),
        name: String::from("Backend 😀"),
        secret: Digest::of("secret"),
        created_at: moment(0),
    }
}

/// A bearer token of the application.
pub fn access_token(number: u128) -> AccessTokenRow {
    AccessTokenRow {
        token: Digest::of(&format!("token {number}")),
        client_id: String::from("app_1"),
        expires_at: moment(3600),
    }
}

/// A data key; those with greater numbers are younger.
pub fn data_key(number: u128) -> DataKeyRow {
    DataKeyRow {
        id: DataKeyId::from_uuid(Uuid::from_u128(number)),
        ring_key: String::from("ring/2026 ü"),
        wrapped: sealed(number),
        created_at: moment(i64::try_from(number).unwrap_or(i64::from(u32::MAX))),
    }
}

/// An execution.
pub fn execution(number: u128) -> ExecutionRow {
    ExecutionRow {
        id: ExecutionId::from_uuid(Uuid::from_u128(number)),
        tool: String::from("mail_list_messages"),
        tool_version: String::from("2026-01-01"),
        account_id: Some(account_id(1)),
        connection_name: String::from("no such / name"),
        identifier: String::from("a/b %2F@ü\n"),
        started_at: moment(0),
        duration_micros: u64::MAX,
        outcome: String::from("product_rate_limited"),
        requests: u32::MAX,
    }
}

/// An event.
pub fn event(number: u128) -> EventRow {
    EventRow {
        id: EventId::from_uuid(Uuid::from_u128(number)),
        name: String::from("account.activated"),
        at: moment(0),
        account_id: Some(account_id(1)),
        data: Value::Object(hostile_settings()),
    }
}

/// An outbox entry that is due at [`moment`] 60.
pub fn outbox(number: u128) -> OutboxRow {
    OutboxRow {
        id: OutboxId::from_uuid(Uuid::from_u128(number)),
        task: OutboxTask::Revoke {
            connection_id: connection_id(1),
            account_id: account_id(1),
            generation: u64::MAX,
            token: sealed(number),
        },
        attempts: u32::MAX,
        due_at: moment(60),
    }
}

/// One row of every kind, with everything. Those of different numbers share no unique value.
pub fn full_rows(number: u128) -> Vec<Row> {
    vec![
        connection(number).into(),
        account(number).into(),
        credential(number, 1).into(),
        authorization(number).into(),
        app_credential(number).into(),
        access_token(number).into(),
        data_key(number).into(),
        execution(number).into(),
        event(number).into(),
        outbox(number).into(),
    ]
}

/// One row of every kind that can lack something, with nothing that it can lack.
pub fn bare_rows(number: u128) -> Vec<Row> {
    let connection = ConnectionRow {
        client_id: None,
        client_secret: None,
        permissions: Vec::new(),
        settings: Map::new(),
        state: ConnectionState::Draft,
        health: ConnectionHealth::ClientOk,
        ..connection(number)
    };
    let account = AccountRow {
        state: AccountState::PendingAuthorization,
        suspended_from: None,
        reason: None,
        health: AccountHealth::Ok,
        granted_scopes: Vec::new(),
        missing_scopes: Vec::new(),
        subject: None,
        generation: 0,
        last_generation: 0,
        token_expires_at: None,
        lease: None,
        refresh_failures: 0,
        ..account(number)
    };
    let authorization = AuthorizationRow {
        state: AuthorizationState::Created,
        reason: None,
        oauth_state: None,
        browser: None,
        verifier: None,
        endpoints: None,
        scopes: Vec::new(),
        verify_url: None,
        app_state: None,
        allow_account_switch: false,
        quarantine: None,
        ..authorization(number)
    };
    vec![
        connection.into(),
        account.into(),
        CredentialRow {
            sealed: None,
            ..credential(number, 1)
        }
        .into(),
        authorization.into(),
        DataKeyRow {
            ring_key: String::new(),
            wrapped: Sealed::from_bytes(Vec::new()),
            ..data_key(number)
        }
        .into(),
        ExecutionRow {
            account_id: None,
            duration_micros: 0,
            requests: 0,
            ..execution(number)
        }
        .into(),
        EventRow {
            account_id: None,
            data: Value::Null,
            ..event(number)
        }
        .into(),
    ]
}

/// Every byte there is, and the number.
fn sealed(number: u128) -> Sealed {
    Sealed::from_bytes((0..=u8::MAX).chain(number.to_be_bytes()).collect())
}

fn subject() -> Subject {
    Subject {
        id: String::from("subject-1"),
        display: Some(String::from("Ü <u@example.test>")),
    }
}

fn hostile_settings() -> Map<String, Value> {
    let settings = json!({
        "": null,
        "ü \" \\ 😀 \u{0} \u{2028}": ["'", "$1", "\u{7f}"],
        "numbers": [0, -1, u64::MAX, i64::MIN, 0.1, -0.5, 1e300, 5e-324, 2.2250738585072014e-308, 0.30000000000000004, 143.99936574739993, 987.5957295437595, 1.0],
        "nested": { "a": [{ "b": [[], {}, true, false] }] },
    });
    match settings {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}
