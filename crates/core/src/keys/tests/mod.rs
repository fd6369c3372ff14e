//! Keys are replaced while other processes go on.

mod replaced;
mod shared;
mod staged;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt as _;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use uuid::Uuid;

use super::{lifecycle::usage, *};
use crate::{
    access, call,
    catalogue::Catalogue,
    connections,
    context::{Context, EnvironmentOptions, TokenSet},
    digest::Digest,
    domain::{
        Account, AuthorizationState, Credential, KeyedCall, OutboxEntry, OutboxTask, Session,
        account::new_account,
        approval::tests::waiting,
        authorization::new_authorization,
        member::Member,
        webhook::{SigningSecret, Webhook},
    },
    identifier::{
        AccountId, ApprovalId, AuthorizationId, ConnectionId, ExecutionId, Identifier, MemberId,
        OutboxId, WebhookId,
    },
    maintenance, policy,
    ports::{BoxFuture, KeySource, Runtime as _},
    resource::{
        ActivateKey, AddKey, ExecuteRequest, KeyActivation, NewAccountToken, NewAppCredential,
        NewConnection, NewMcpSession, Policy, Reencryption, SetPolicy,
    },
    seal::{KeyRing, Pseudonyms, data_keys_in, place},
    state::{AccountState, Role, TokenAccess},
    store::{Batch, Commit, MemoryStore, Row, Store as _, TABLES, Table, Write},
    testing::{
        Flaky, Machine, RING, STABLE, START, World, account, always, idle, open, open_spooled,
        ports,
    },
};

/// Another key of the ring.
const NEW: &str = "new:AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI";

/// Processes on one store.
struct Stage {
    world: World,
    store: Arc<Flaky>,
    context: Context,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let rows = Arc::new(MemoryStore::new(world.process(0)));
        let store = Flaky::over(rows, true);
        let context = world.run(open(
            world.process(0),
            &STABLE,
            always(200, "{}"),
            Arc::clone(&store) as _,
        ));
        Self {
            world,
            store,
            context,
        }
    }

    /// Another process, with the same ring.
    fn another(&self, process: u32) -> Context {
        self.with_ring(process, RING, None).unwrap()
    }

    /// Another process with this ring, and with a source where that can change.
    fn with_ring(
        &self,
        process: u32,
        ring: &str,
        source: Option<Arc<dyn KeySource>>,
    ) -> Result<Context> {
        let store = Arc::clone(&self.store) as _;
        let mut ports = ports(self.world.process(process), always(200, "{}"), store);
        ports.keys = KeyRing::from_text(ring).unwrap();
        ports.key_source = source;
        let options = EnvironmentOptions::new("https://stead.test").unwrap();
        let catalogue = Catalogue::new([&STABLE]);
        let context = self.world.run(Context::open(options, catalogue, ports))?;
        maintenance::start(&context);
        Ok(context)
    }

    /// Adds a key, waits, and lets it seal.
    fn next_key(&self) -> String {
        let added = self
            .world
            .run(add(&self.context, AddKey::new()))
            .unwrap()
            .key_id;
        self.world.advance(Duration::from_secs(61));
        let active = self.world.run(activate(
            &self.context,
            ActivateKey::new(&added, KeyActivation::default().at_once(false)),
        ));
        assert_eq!(active.unwrap().state, DataKeyState::Active);
        added
    }

    fn connection(&self, context: &Context, name: &str) -> ConnectionId {
        let new = NewConnection {
            connection_name: name.to_owned(),
            product: String::from("demo"),
            client_id: Some(String::from("client")),
            client_secret: Some("secret".into()),
            ..NewConnection::default()
        };
        let made = self.world.run(connections::create(context, new));
        made.unwrap().id
    }

    /// A connection `demo` with so many active accounts, an authorization and a revocation under way, a webhook,
    /// a member, and a secret of the deployment.
    fn fill(&self, accounts: u128) {
        let connection = self.connection(&self.context, "demo");
        let vault = &self.context.store.vault;
        let accounts: Vec<Account> = (0..accounts)
            .map(|number| Account {
                state: AccountState::Active,
                generation: 1,
                last_generation: 1,
                ..new_account(
                    AccountId::from_uuid(Uuid::from_u128(number)),
                    connection,
                    Identifier::new(user(number)).unwrap(),
                    START,
                )
            })
            .collect();
        let mut batch = Batch::new();
        for account in &accounts {
            let token = SecretString::from(format!("token of {}", account.identifier));
            let tokens = TokenSet::new(token, None, None);
            let credential = Credential {
                account_id: account.id,
                generation: 1,
                sealed: Some(tokens.seal(vault, account, 1).unwrap()),
                pending_for: None,
                client_epoch: 0,
                sent_at: None,
                created_at: START,
                extra: Default::default(),
            };
            batch = batch.insert(account.clone()).insert(credential);
        }
        let id = AuthorizationId::from_uuid(Uuid::from_u128(1));
        let end = START + SignedDuration::from_hours(1);
        let mut authorization = new_authorization(id, &accounts[0], Digest::of("a"), START, end);
        authorization.state = AuthorizationState::Redirected;
        authorization.verifier = Some(vault.seal(place::verifier(id), b"verifier").unwrap());
        let id = OutboxId::from_uuid(Uuid::from_u128(1));
        let token = vault.seal(place::outbox_token(id, 0), b"token").unwrap();
        let entry = OutboxEntry {
            id,
            task: OutboxTask::Revoke {
                connection_id: connection,
                account_id: accounts[0].id,
                generation: 1,
                client_epoch: 0,
                token,
                also_ends: Vec::new(),
            },
            attempts: 0,
            due_at: START + SignedDuration::from_hours(1),
            extra: Default::default(),
        };
        let id = ExecutionId::from_uuid(Uuid::from_u128(1));
        let keyed = KeyedCall::started(
            Digest::of("key"),
            Digest::of("request"),
            Uuid::nil(),
            (id, accounts[0].id),
            None,
            START,
        );
        let outcome = vault.seal(place::outcome(id), b"outcome").unwrap();
        let keyed = keyed.with_outcome(Some(outcome));
        let batch = batch.insert(authorization).insert(entry).insert(keyed);
        let id = WebhookId::from_uuid(Uuid::from_u128(1));
        let sealed = vault
            .seal(place::webhook_secret(id, 1), b"signing")
            .unwrap();
        let webhook = Webhook {
            id,
            url: String::from("https://app.example/"),
            connections: Default::default(),
            events: Vec::new(),
            description: None,
            secrets: vec![SigningSecret {
                generation: 1,
                sealed,
                until: None,
            }],
            disabled: None,
            created_at: START,
            updated_at: START,
            extra: Default::default(),
        };
        let batch = batch.insert(webhook);
        let id = MemberId::from_uuid(Uuid::from_u128(1));
        let sealed = vault.seal(place::second_factor(id), b"second").unwrap();
        let member = Member::new(id, "ada@example.com", Role::Owner, START);
        let member = member.enrolling(sealed).unwrap();
        let batch = batch.insert(member.clone());
        let id = ApprovalId::from_uuid(Uuid::from_u128(1));
        let sealed = vault.seal(place::arguments(id), b"{}").unwrap();
        let batch = batch.insert(waiting(id, sealed));
        let (runtime, entropy) = (
            self.context.host.runtime.as_ref(),
            self.context.host.entropy.as_ref(),
        );
        let pseudonyms = Pseudonyms::open(vault, &self.context.store, runtime, entropy);
        drop(self.world.run(pseudonyms).unwrap());
        let committed = self.world.run(self.context.store.commit(batch));
        assert_eq!(committed.unwrap(), Commit::Committed);
        let (world, context) = (&self.world, &self.context);
        let new = NewAppCredential::new("app");
        let app = world
            .run(access::app_credentials::create(context, new))
            .unwrap();
        let (id, secret) = (&app.credential.client_id, app.client_secret.expose_secret());
        world
            .run(access::issue_access_token(context, id, secret, None))
            .unwrap();
        let token = NewAccountToken::new("demo", user(0), TokenAccess::Read);
        let token = access::account_tokens::create(context, token);
        world.run(token).unwrap();
        let session = NewMcpSession::new(user(0)).verify_url("https://app.example/back");
        let session = access::mcp_sessions::create(context, session);
        world.run(session).unwrap();
        let rules = json!({ "name": "read", "read_only": true });
        let rules: Policy = serde_json::from_value(rules).unwrap();
        world
            .run(policy::set(context, SetPolicy::from(rules)))
            .unwrap();
        let session = Session::new(Digest::of("session"), &member, START);
        let batch = Batch::new().insert(session);
        let committed = world.run(context.store.commit(batch)).unwrap();
        assert_eq!(committed, Commit::Committed);
    }

    /// How many rows the first key of the store has sealed.
    fn under_the_first(&self) -> u64 {
        let first = FIRST.parse().unwrap();
        let usage = self.world.run(usage(&self.context, &[first])).unwrap();
        usage[&first]
    }

    fn events(&self) -> Vec<(String, serde_json::Value)> {
        let rows = self.all_rows(|table| table.name == "event");
        let bodies = rows.iter().map(|row| {
            let body: serde_json::Value = serde_json::from_str(&row.body).unwrap();
            (
                body["name"].as_str().unwrap().to_owned(),
                body["data"].clone(),
            )
        });
        bodies
            .filter(|(name, _)| name.starts_with("key."))
            .collect()
    }

    /// The rows of some tables.
    fn all_rows(&self, of: impl Fn(&Table) -> bool) -> Vec<Row> {
        let tables = TABLES.iter().filter(|table| of(table));
        let rows = tables.flat_map(|table| {
            let store = self.store.rows();
            let all = store.rows(table, None, u32::MAX);
            all.now_or_never().unwrap().unwrap().0
        });
        rows.map(|found| found.row).collect()
    }
}

const FIRST: &str = "key_00000000000000000000000000000001";

fn user(number: u128) -> String {
    format!("user-{number}")
}

async fn call_as(context: &Context, number: u128) -> Result<resource::Execution> {
    let input = json!({ "note_id": "1" });
    let request = ExecuteRequest::new("demo", user(number), input);
    call::execute(context, "demo_read_note", request).await
}

/// A file that the operator rewrites.
struct File(Mutex<String>, AtomicUsize);

impl KeySource for File {
    fn read(&self) -> BoxFuture<'_, Result<SecretString>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        let text = self.0.lock().unwrap().clone();
        Box::pin(std::future::ready(Ok(text.into())))
    }
}
