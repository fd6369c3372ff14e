//! Keys are replaced while other processes keep running.

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

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;
use uuid::Uuid;

use super::{rows::usage, *};
use crate::{
    access, call,
    catalogue::Catalogue,
    connections,
    context::{Context, EnvironmentOptions, TokenSet},
    digest::Digest,
    domain::{
        Account, Approval, AuthorizationState, KeyedCall, OutboxEntry, OutboxTask, Session,
        approval::tests::waiting, authorization::new_authorization, member::Member,
    },
    events::webhooks,
    identifier::{ApprovalId, AuthorizationId, ConnectionId, ExecutionId, MemberId, OutboxId},
    maintenance, policy,
    ports::{BoxFuture, KeySource, Runtime as _},
    resource::{
        ActivateKey, AddKey, ExecuteRequest, KeyActivation, KeyCount, ListKeys, NewAccountToken,
        NewAppCredential, NewConnection, NewMcpSession, NewWebhook, Policy, Reencryption,
        RetireKey, SetPolicy,
    },
    seal::{KeyRing, Pseudonyms, data_keys_in},
    sealed::place,
    state::{AccountState, Role, TokenAccess},
    store::{Batch, Commit, MemoryStore, Row, Store as _, TABLES, Table, Write},
    testing::{
        Flaky, Machine, RING, STABLE, START, World, account, always, idle, insert_account_at,
        open_spooled, ports,
    },
};

/// Another key of the key ring.
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
        let rows = world.store();
        let store = Flaky::over(rows, true);
        let context = world.open(0, &STABLE, always(200, "{}"), &store);
        Self {
            world,
            store,
            context,
        }
    }

    /// Another process, with the same key ring.
    fn another(&self, process: u32) -> Context {
        self.with_ring(process, RING, None).unwrap()
    }

    /// Another process with this key ring, and with a source if the key ring can change.
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

    /// Runs work that has to succeed, and returns its result.
    fn done<T>(&self, work: impl Future<Output = Result<T>>) -> T {
        self.world.ok(work)
    }

    fn add(&self, context: &Context) -> resource::DataKey {
        self.done(add(context, AddKey::new()))
    }

    fn activate(&self, context: &Context, key: &str, at_once: bool) -> Result<resource::DataKey> {
        let how = KeyActivation::default().at_once(at_once);
        self.world
            .run(activate(context, ActivateKey::new(key, how)))
    }

    fn reencrypt(&self, context: &Context) -> Reencryption {
        self.done(reencrypt_all(context, |_| {}))
    }

    fn retire(&self, context: &Context, key: &str) -> Result<resource::DataKey> {
        self.world.run(retire(context, RetireKey::new(key)))
    }

    fn list(&self, context: &Context) -> resource::Keys {
        let count = KeyCount::rows(true);
        self.done(list(context, ListKeys::new().count(count)))
    }

    /// Adds a key, waits, and activates it.
    fn next_key(&self) -> String {
        let added = self.add(&self.context).key_id;
        self.world.advance(Duration::from_secs(61));
        let active = self.activate(&self.context, &added, false).unwrap();
        assert_eq!(active.state, DataKeyState::Active);
        added
    }

    fn connection(&self, context: &Context, name: &str) -> ConnectionId {
        let new = NewConnection::new(name, "demo").client("client", "secret");
        self.done(connections::create(context, new)).id
    }

    /// Adds a connection `demo` with this number of active accounts, and a row of each kind that has a secret or a MAC.
    /// Returns the first account.
    fn fill(&self, accounts: u128) -> Account {
        let (world, context) = (&self.world, &self.context);
        let (vault, store) = (&context.store.vault, &context.store);
        let connection = self.connection(context, "demo");
        let insert = |number| {
            let state = AccountState::Active;
            world.run(insert_account_at(context, connection, &user(number), state))
        };
        let accounts: Vec<Account> = (0..accounts).map(insert).collect();
        let (one, account) = (Uuid::from_u128(1), &accounts[0]);
        let hour = START + SignedDuration::from_hours(1);
        let id = AuthorizationId::from_uuid(one);
        let mut authorization = new_authorization(id, account, Digest::of("a"), START, hour);
        authorization.state = AuthorizationState::Redirected;
        authorization.verifier = Some(vault.seal(&place::Verifier(id), b"verifier").unwrap());
        let id = OutboxId::from_uuid(one);
        let entry = OutboxEntry {
            id,
            task: OutboxTask::Revoke {
                connection_id: connection,
                account_id: account.id,
                generation: 1,
                client_epoch: 0,
                token: vault.seal(&place::OutboxToken(id, 0), b"token").unwrap(),
                also_ends: Vec::new(),
            },
            attempts: 0,
            due_at: hour,
            extra: Default::default(),
        };
        let id = ExecutionId::from_uuid(one);
        let [key, request] = ["key", "request"].map(Digest::of);
        let keyed = KeyedCall::started(key, request, Uuid::nil(), (id, account.id), None, START);
        let outcome = vault.seal(&place::Outcome(id), b"outcome").unwrap();
        let id = MemberId::from_uuid(one);
        let sealed = vault.seal(&place::SecondFactor(id), b"second").unwrap();
        let member = Member::new(id, "ada@example.com", Role::Owner, START);
        let member = member.enrolling(sealed).unwrap();
        let id = ApprovalId::from_uuid(one);
        let sealed = vault.seal(&place::Arguments(id), b"{}").unwrap();
        let approval = Approval {
            request_to_send: Some(vault.seal(&place::ApprovedRequest(id), b"{}").unwrap()),
            ..waiting(id, sealed)
        };
        let batch = Batch::new()
            .insert(authorization)
            .insert(entry)
            .insert(keyed.with_outcome(Some(outcome)))
            .insert(Session::new(Digest::of("session"), &member, START))
            .insert(member)
            .insert(approval);
        let committed = self.done(store.commit(batch));
        assert_eq!(committed, Commit::Committed);
        let (runtime, entropy) = (context.host.runtime.as_ref(), context.host.entropy.as_ref());
        drop(self.done(Pseudonyms::open(vault, store, runtime, entropy)));
        let new = NewAppCredential::new("app");
        let app = self.done(access::app_credentials::create(context, new));
        let (id, secret) = (&app.credential.client_id, app.client_secret.expose_secret());
        drop(self.done(access::issue_access_token(context, id, secret, None)));
        let token = NewAccountToken::new("demo", user(0), TokenAccess::Read);
        drop(self.done(access::account_tokens::create(context, token)));
        let session = NewMcpSession::new(user(0)).verify_url("https://app.example/back");
        drop(self.done(access::mcp_sessions::create(context, session)));
        let rules = json!({ "name": "read", "read_only": true });
        let rules: Policy = serde_json::from_value(rules).unwrap();
        drop(self.done(policy::set(context, SetPolicy::from(rules))));
        let webhook = NewWebhook::new("https://app.example/").events(["account.created"]);
        drop(self.done(webhooks::create(context, webhook)));
        accounts.into_iter().next().unwrap()
    }

    /// The number of rows that need the store's first key.
    fn under_the_first(&self) -> u64 {
        let first = FIRST.parse().unwrap();
        self.done(usage(&self.context, &[first]))[&first]
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
    fn found(&self, of: impl Fn(&Table) -> bool) -> Vec<Versioned<Row>> {
        let tables = TABLES.iter().filter(|table| of(table));
        let rows = |table| self.done(self.store.rows().rows(table, None, u32::MAX)).0;
        tables.flat_map(|table| rows(table)).collect()
    }

    fn all_rows(&self, of: impl Fn(&Table) -> bool) -> Vec<Row> {
        self.found(of).into_iter().map(|found| found.row).collect()
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
