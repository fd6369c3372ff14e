//! The audit log over a store: the entries of changes, and the faults that a verification finds.

use std::sync::Arc;

use futures_util::future::join_all;
use secrecy::ExposeSecret as _;
use serde_json::{Value as Json, json};

use super::*;
use crate::{
    ErrorKind, Result,
    api::Paging,
    caller::Caller,
    connections,
    context::Context,
    resource::{
        AuditEntry, AuditFilter, AuditHead, AuditVerification, ChangeConnection, Connection,
        ConnectionChange, DeleteAccountToken, DeleteConnection, DisconnectAccount, Disconnection,
        ExpectedAudit, ListAuditEntries, NewAccountToken, NewAppCredential, NewConnection, Page,
        ResumeAccount, SuspendAccount, VerifyAudit,
    },
    state::{AccountState, TokenAccess},
    store::{Batch, Commit, Key, MemoryStore, Store as _, TABLES, Value, Write},
    testing::{Flaky, STABLE, World, always, insert_account},
};

struct Log {
    world: World,
    rows: Arc<MemoryStore>,
    store: Arc<Flaky>,
    context: Context,
}

impl Log {
    fn new() -> Self {
        let world = World::new();
        let rows = world.store();
        let store = Flaky::over(Arc::clone(&rows) as _, true);
        let context = process(&world, 0, &store);
        Self {
            world,
            rows,
            store,
            context,
        }
    }

    /// Creates a log with this number of entries.
    fn of(entries: usize) -> Self {
        let log = Self::new();
        for number in 1..=entries {
            log.create(&format!("c{number}")).unwrap();
        }
        log
    }

    fn create(&self, name: &str) -> Result<Connection> {
        let new = NewConnection::new(name, "demo").client("id-1", "secret-1");
        self.world.run(connections::create(&self.context, new))
    }

    fn page(
        &self,
        filter: &AuditFilter,
        token: Option<&str>,
        size: u32,
    ) -> Result<Page<AuditEntry>> {
        let all = ListAuditEntries::new().filter(filter.clone());
        let page = list(&self.context, all.page(Paging::new(token, size)));
        self.world.run(page)
    }

    /// Returns the entries, oldest first.
    fn entries(&self) -> Vec<AuditEntry> {
        let mut items = self.page(&AuditFilter::default(), None, 100).unwrap().items;
        items.reverse();
        items
    }

    fn numbers(&self, filter: &AuditFilter) -> Vec<u64> {
        let items = self.page(filter, None, 100).unwrap().items.into_iter();
        items.map(|entry| entry.number).collect()
    }

    fn verify(&self, expect: Option<&AuditHead>) -> AuditVerification {
        let expected = ExpectedAudit::new(expect.cloned());
        let verify = VerifyAudit::new().expected(expected);
        self.world.send(&self.context, verify)
    }

    fn fault(&self, expect: Option<&AuditHead>) -> Option<(u64, String)> {
        let fault = self.verify(expect).fault;
        fault.map(|fault| (fault.number, fault.message))
    }

    /// Changes or deletes an entry's row directly in the store.
    fn tamper(&self, number: i64, change: Option<fn(&mut Json)>) {
        let table = TABLES.iter().find(|table| table.name == "audit").unwrap();
        let key = Key::new(table, vec![Value::Integer(number)]);
        let found = self.world.ok(self.rows.get(&key)).unwrap();
        let write = match change {
            None => Write::Delete(key, found.version),
            Some(change) => {
                let mut row = found.row;
                let mut body = serde_json::from_str(&row.body).unwrap();
                change(&mut body);
                row.body = body.to_string();
                Write::Update(row, found.version)
            }
        };
        let committed = self.world.run(self.rows.commit(Batch::new().write(write)));
        assert_eq!(committed.unwrap(), Commit::Committed);
    }
}

fn process(world: &World, number: u32, store: &Arc<Flaky>) -> Context {
    world.open(number, &STABLE, always(200, ""), store)
}

#[test]
fn each_change_is_an_entry_without_its_secrets() {
    let log = Log::new();
    let (world, context) = (&log.world, &log.context);
    log.create("mail").unwrap();
    let change = ConnectionChange::default().client_secret("secret-2");
    let change = change.permissions(["notes"]).disabled(true);
    for _ in 0..2 {
        // The second change has no effect.
        world.send(context, ChangeConnection::new("mail", change.clone()));
    }
    world.send(context, DeleteConnection::new("mail"));
    let account = world.run(insert_account(context, AccountState::Active));
    world.send(context, SuspendAccount::new("demo", "ada"));
    world.send(context, SuspendAccount::new("demo", "ada"));
    world.send(context, ResumeAccount::new("demo", "ada"));
    let how = Disconnection::new().revoke_at_product(true);
    world.send(context, DisconnectAccount::new("demo", "ada").how(how));
    let made = world.send(context, NewAppCredential::new("shop"));

    let entries = log.entries();
    for (index, entry) in entries.iter().enumerate() {
        assert_eq!(entry.number, index as u64 + 1);
    }
    let told = entries.iter();
    let told = told.map(|entry| (entry.action.as_str(), Json::Object(entry.facts.clone())));
    let told: Vec<(&str, Json)> = told.collect();
    let of = |name: &str| json!({ "connection_name": name, "product": "demo" });
    let changed = json!({
        "connection_name": "mail", "product": "demo",
        "changed": ["client_secret", "permissions", "disabled"],
    });
    let account_of = json!({ "connection_name": "demo" });
    let ended = json!({ "connection_name": "demo", "revocation_requested": true });
    let scopes = crate::scope::Scopes::usual().words();
    let made_of = json!({ "name": "shop", "scopes": scopes });
    let expected = [
        ("connection.created", of("mail")),
        ("connection.changed", changed),
        ("connection.deleted", of("mail")),
        ("connection.created", of("demo")),
        ("account.suspended", account_of.clone()),
        ("account.resumed", account_of),
        ("account.disconnected", ended),
        ("app_credential.created", made_of),
    ];
    assert_eq!(told, expected);
    assert_eq!(entries[4].target.id, account.id.to_string());
    assert_eq!(entries[7].target.kind, "app_credential");
    assert_eq!(entries[7].target.id, made.credential.client_id);
    assert!(entries.iter().all(|entry| entry.actor.kind == "operator"));
    let text = serde_json::to_string(&entries).unwrap();
    let secret = made.client_secret.expose_secret();
    for secret in ["secret-1", "secret-2", secret, "ada"] {
        assert!(!text.contains(secret), "{secret}");
    }
    let found = log.verify(None);
    assert_eq!(found.fault, None);
    let head = found.head.unwrap();
    assert_eq!((head.number, &head.hash), (8, &entries[7].hash));
}

#[test]
fn entries_of_account_tokens_have_the_actor_and_the_request() {
    let log = Log::new();
    let account = insert_account(&log.context, AccountState::Active);
    let account = log.world.run(account);
    let shop = log.context.acting_as(Caller::application("app_1"));
    let new = NewAccountToken::new("demo", "ada", TokenAccess::Read);
    let asked = shop.clone().in_request("req_1");
    let made = log.world.send(&asked, new);
    let id = made.token_id.to_string();
    log.world.send(&log.context, DeleteAccountToken::new(&id));

    let entries = log.entries();
    let [_, created, ended] = entries.as_slice() else {
        panic!("{entries:?}")
    };
    assert_eq!(created.action, "account_token.created");
    assert_eq!(ended.action, "account_token.ended");
    assert_eq!(created.actor, shop.caller.actor());
    assert_eq!(created.request_id.as_deref(), Some("req_1"));
    assert_eq!(ended.actor.kind, "operator");
    assert_eq!(ended.request_id, None);
    for entry in [created, ended] {
        assert_eq!(entry.target.kind, "account_token");
        assert_eq!(entry.target.id, id);
        assert_eq!(entry.facts["account_id"], account.id.to_string());
        assert_eq!(entry.facts["connection_name"], "demo");
        assert_eq!(entry.facts["access"], "read");
    }
    let text = serde_json::to_string(&entries).unwrap();
    for secret in [made.token.expose_secret(), "ada"] {
        assert!(!text.contains(secret), "{secret}");
    }
    assert_eq!(log.fault(None), None);
}

#[test]
fn a_list_is_narrowed_by_action_actor_and_target() {
    let log = Log::of(2);
    let second = log.entries()[1].target.id.clone();
    log.world.send(&log.context, NewAppCredential::new("shop"));
    let filter = |action: &str, actor: &str, target: &str| {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        AuditFilter {
            action: given(action),
            actor: given(actor),
            target: given(target),
        }
    };
    for (filter, expected) in [
        (filter("", "", ""), [3, 2, 1].as_slice()),
        (filter("connection.*", "", ""), &[2, 1]),
        (filter("connection.created", "operator", &second), &[2]),
        (filter("connection", "", ""), &[]),
        (filter("", "app_1", ""), &[]),
    ] {
        assert_eq!(log.numbers(&filter), expected, "{filter:?}");
    }
    let page = |token: Option<&str>| log.page(&AuditFilter::default(), token, 2);
    let first = page(None).unwrap();
    assert_eq!(first.next_page_token.as_deref(), Some("2"));
    let rest = page(first.next_page_token.as_deref()).unwrap();
    assert_eq!((rest.items[0].number, rest.next_page_token), (1, None));
    let error = page(Some("x")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
}

/// Three processes write to one store at the same time. Each number is used once, and the log still shows which rows
/// exist.
#[test]
fn concurrent_writers_make_one_chain() {
    let log = Log::new();
    let others = [1, 2].map(|number| process(&log.world, number, &log.store));
    let contexts = [&log.context, &others[0], &others[1]];
    let work = contexts.into_iter().flat_map(|context| {
        (0..10).map(move |number| {
            let new = NewConnection::new(format!("c{number}"), "demo");
            connections::create(context, new)
        })
    });
    let outcomes = log.world.run(join_all(work));
    let (created, refused): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert_eq!((created.len(), refused.len()), (10, 20));
    for error in refused {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::AlreadyExists);
    }
    let numbers: Vec<u64> = log.entries().iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, (1..=10).collect::<Vec<_>>());
    assert_eq!(log.fault(None), None);
}

#[test]
fn a_commit_with_a_lost_response_is_one_entry() {
    for applied in [true, false] {
        let log = Log::of(1);
        log.store.doubt(1, applied);
        let created = log.create("mail");
        assert_eq!(created.is_ok(), applied, "{created:?}");
        assert_eq!(log.entries().len(), if applied { 2 } else { 1 });
        log.create("other").unwrap();
        assert_eq!(log.fault(None), None);
    }
}

#[test]
fn tampering_is_named_at_its_first_place() {
    let log = Log::of(5);
    let head = log.verify(None).head.unwrap();
    log.tamper(3, Some(|body| body["actor"]["type"] = json!("stead")));
    log.tamper(5, None);
    let (number, message) = log.fault(None).unwrap();
    assert_eq!(number, 3);
    let without = "it was written without the key";
    assert!(message.contains(without), "{message}");
    assert_eq!(log.verify(None).head.map(|head| head.number), Some(2));

    let log = Log::of(5);
    log.tamper(3, Some(|body| *body = json!("gone")));
    let (number, message) = log.fault(None).unwrap();
    assert_eq!(number, 3);
    assert!(message.contains("row 3 of table audit"), "{message}");
    // An unreadable entry doesn't block later ones.
    log.create("later").unwrap();
    assert_eq!(log.entries().last().map(|entry| entry.number), Some(6));

    let log = Log::of(5);
    log.tamper(2, None);
    let missing = (2, String::from("entry 2 is missing"));
    assert_eq!(log.fault(None), Some(missing));

    // Someone who kept the head can detect that the end was cut off.
    let log = Log::of(5);
    for number in [4, 5] {
        log.tamper(number, None);
    }
    assert_eq!(log.fault(None), None);
    // The rows of the removed entries still exist, and no entry records them.
    let rows = log.verify(None).suspect_rows;
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows.iter().all(|row| row.table == "connection"), "{rows:?}");
    let cut = "the log ends with entry 3, but it once had an entry 5, so its end was removed";
    assert_eq!(log.fault(Some(&head)), Some((4, cut.to_owned())));
    // They can also detect it after the log has grown again.
    for name in ["c6", "c7", "c8"] {
        log.create(name).unwrap();
    }
    assert_eq!(log.fault(None), None);
    let (number, message) = log.fault(Some(&head)).unwrap();
    assert_eq!(number, 5);
    let other = "entry 5 has a different hash";
    assert!(message.starts_with(other), "{message}");
}

#[test]
fn an_empty_log_verifies_unless_entries_are_expected() {
    let log = Log::new();
    let empty = AuditVerification::new(None, None, Vec::new());
    assert_eq!(log.verify(None), empty);
    let head = AuditHead {
        number: 1,
        hash: "00".repeat(32),
    };
    let empty = "the log is empty, but it once had an entry 1, so its end was removed";
    assert_eq!(log.fault(Some(&head)), Some((1, empty.to_owned())));
}
