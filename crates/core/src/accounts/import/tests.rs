//! Imports and exports of accounts, including rejected ones.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::{
    ErrorKind, Result, accounts,
    caller::Caller,
    connections,
    context::Context,
    domain::{Account, AccountRef},
    resource::{
        AccountImport, AccountImportResult, AccountWithTokens, AccountsExported, ChangeConnection,
        ConnectionChange, DisconnectAccount, Disconnection, ExistingAccounts, ImportOutcome,
        NewConnection, ReadAccount, RefreshAccount,
    },
    state::AccountState,
    testing::{Responses, STABLE, START, World, always, context, response},
};

/// A line of a file.
fn line(changed: Value) -> AccountWithTokens {
    let mut line = json!({
        "connection_name": "demo", "identifier": "ada", "scopes": ["notes"],
        "access_token": "access-CANARY", "refresh_token": "refresh-CANARY",
    });
    let changed: serde_json::Map<String, Value> = serde_json::from_value(changed).unwrap();
    line.as_object_mut().unwrap().extend(changed);
    line.as_object_mut()
        .unwrap()
        .retain(|_, member| !member.is_null());
    serde_json::from_value(line).unwrap()
}

async fn connect(context: &Context) {
    let connection = NewConnection::new("demo", "demo").client("client", "secret");
    connections::create(context, connection).await.unwrap();
}

fn ready(world: &World) -> Context {
    let context = context(world, &STABLE, always(200, ""));
    world.run(connect(&context));
    context
}

async fn import(
    context: &Context,
    line: AccountWithTokens,
    existing: ExistingAccounts,
) -> AccountImportResult {
    let import = AccountImport::new(vec![line]).existing(existing);
    let mut results = accounts::import::create(context, import)
        .await
        .unwrap()
        .results;
    assert_eq!(results.len(), 1);
    results.remove(0)
}

async fn account(context: &Context) -> Option<Account> {
    let of = AccountRef::new("demo", "ada").unwrap();
    let rows = context.account_rows(&of).await.ok();
    rows.map(|(_, account)| account.row)
}

/// The access and the refresh token of the account.
async fn tokens(context: &Context) -> (String, Option<String>) {
    use secrecy::ExposeSecret as _;
    let row = account(context).await.unwrap();
    let tokens = context.tokens(&row, row.generation).await.unwrap().unwrap();
    let refresh = tokens.refresh_token();
    (
        tokens.access_token().expose_secret().to_owned(),
        refresh.map(|token| token.expose_secret().to_owned()),
    )
}

async fn audited(context: &Context) -> Vec<String> {
    let rows = context.store.audit_entries(None, 100).await.unwrap();
    let told = rows.into_iter().map(|found| {
        let accounts = found.row.facts.get("accounts").map(Value::to_string);
        format!("{} {}", found.row.action, accounts.unwrap_or_default())
    });
    let mut told: Vec<String> = told.map(|text| text.trim().to_owned()).collect();
    told.retain(|action| action.starts_with("account"));
    told.reverse();
    told
}

#[test]
fn an_imported_account_is_active_with_its_tokens() {
    let world = World::new();
    let context = ready(&world);
    let given = line(json!({ "product_user_id": "u1", "product_user": "ada@example.com" }));
    let result = world.run(import(&context, given, ExistingAccounts::Refuse));
    assert_eq!(result.outcome, ImportOutcome::Created);
    let row = world.run(account(&context)).unwrap();
    assert_eq!(result.account_id, Some(row.id));
    assert_eq!((row.state, row.generation), (AccountState::Active, 1));
    assert_eq!(row.granted_scopes, ["notes"]);
    assert_eq!(row.missing_scopes, [""; 0]);
    assert_eq!(row.subject.unwrap().id, "u1");
    let (access, refresh) = world.run(tokens(&context));
    assert_eq!(access, "access-CANARY");
    assert_eq!(refresh.as_deref(), Some("refresh-CANARY"));
    assert_eq!(world.run(audited(&context)), ["account.imported"]);
}

#[test]
fn importing_the_same_line_again_changes_nothing_even_after_a_refresh() {
    let refreshed =
        r#"{"access_token":"a2","refresh_token":"r2","expires_in":3600,"token_type":"Bearer"}"#;
    let world = World::new();
    let responses = Responses::by(move |_| std::future::ready(Ok(response(200, refreshed))));
    let context = context(&world, &STABLE, responses);
    world.run(connect(&context));
    let given = || line(json!({ "expires_at": START - SignedDuration::from_hours(1) }));
    let first = world.run(import(&context, given(), ExistingAccounts::Refuse));
    assert_eq!(first.outcome, ImportOutcome::Created);
    // The access token had expired. The refresh token works with the connection's own client.
    world.send(&context, RefreshAccount::new("demo", "ada"));
    assert_eq!(world.run(tokens(&context)).0, "a2");
    for existing in [
        ExistingAccounts::Refuse,
        ExistingAccounts::Skip,
        ExistingAccounts::Replace,
    ] {
        let again = world.run(import(&context, given(), existing));
        assert_eq!(again.outcome, ImportOutcome::Unchanged, "{existing:?}");
        assert_eq!(again.account_id, first.account_id);
    }
    assert_eq!(world.run(tokens(&context)).0, "a2");
    assert_eq!(world.run(audited(&context)), ["account.imported"]);
}

#[test]
fn an_account_that_exists_is_refused_skipped_or_replaced_as_asked() {
    let world = World::new();
    let context = ready(&world);
    world.run(import(&context, line(json!({})), ExistingAccounts::Refuse));
    let other = || line(json!({ "access_token": "other", "refresh_token": null }));

    let refused = world.run(import(&context, other(), ExistingAccounts::Refuse));
    assert_eq!(refused.outcome, ImportOutcome::Refused);
    assert_eq!(refused.problem.unwrap().kind, ErrorKind::AlreadyExists);
    let skipped = world.run(import(&context, other(), ExistingAccounts::Skip));
    assert_eq!(skipped.outcome, ImportOutcome::Skipped);
    assert_eq!(world.run(tokens(&context)).0, "access-CANARY");

    let replaced = world.run(import(&context, other(), ExistingAccounts::Replace));
    assert_eq!(replaced.outcome, ImportOutcome::Replaced);
    assert_eq!(world.run(tokens(&context)), (String::from("other"), None));
    let row = world.run(account(&context)).unwrap();
    assert_eq!((row.generation, row.last_generation), (2, 2));
    let credentials = world.ok(context.store.credentials(row.id));
    let live = credentials.iter().filter(|one| one.row.sealed.is_some());
    assert_eq!(live.count(), 1, "the tokens before are gone");
}

#[test]
fn an_account_ended_by_a_client_change_can_be_imported_again() {
    let world = World::new();
    let context = ready(&world);
    world.run(import(&context, line(json!({})), ExistingAccounts::Refuse));
    let change = ConnectionChange::default().client_id("the-right-one");
    world.send(&context, ChangeConnection::new("demo", change));
    let replaced = world.run(import(&context, line(json!({})), ExistingAccounts::Replace));
    assert_eq!(replaced.outcome, ImportOutcome::Replaced);
    let read = world.send(&context, ReadAccount::new("demo", "ada"));
    assert_eq!(read.state, AccountState::Active);
    assert_eq!(world.run(tokens(&context)).0, "access-CANARY");
}

#[test]
fn importing_a_disconnected_account_needs_replace() {
    let world = World::new();
    let context = ready(&world);
    world.run(import(&context, line(json!({})), ExistingAccounts::Refuse));
    world.send(
        &context,
        DisconnectAccount::new("demo", "ada").how(Disconnection::new()),
    );
    let refused = world.run(import(&context, line(json!({})), ExistingAccounts::Refuse));
    let problem = refused.problem.unwrap();
    assert_eq!(problem.kind, ErrorKind::AlreadyExists);
    assert!(
        problem.detail.contains("disconnected"),
        "{}",
        problem.detail
    );
    let replaced = world.run(import(&context, line(json!({})), ExistingAccounts::Replace));
    assert_eq!(replaced.outcome, ImportOutcome::Replaced);
    assert_eq!(world.run(tokens(&context)).0, "access-CANARY");
}

#[test]
fn an_import_does_not_replace_an_account_of_another_product_user() {
    let world = World::new();
    let context = ready(&world);
    let of = |id: &str| line(json!({ "product_user_id": id, "access_token": id }));
    world.run(import(&context, of("u1"), ExistingAccounts::Refuse));
    let refused = world.run(import(&context, of("u2"), ExistingAccounts::Replace));
    let kind = refused.problem.unwrap().kind;
    assert_eq!(kind, ErrorKind::ProductAccountMismatch);
    assert_eq!(world.run(tokens(&context)).0, "u1");
}

#[test]
fn an_invalid_line_is_refused_with_the_place_and_without_tokens() {
    let world = World::new();
    let context = ready(&world);
    let past = START - SignedDuration::from_mins(1);
    let table = [
        (json!({ "identifier": "" }), "/identifier"),
        (json!({ "access_token": "" }), "/access_token"),
        (json!({ "access_token": "CANARY\n" }), "/access_token"),
        (json!({ "refresh_token": " " }), "/refresh_token"),
        (json!({ "scopes": null }), "/scopes"),
        (json!({ "scopes": ["notes", "a b"] }), "/scopes/1"),
        (json!({ "state": "disconnected" }), "/state"),
        (json!({ "state": "CANARY" }), "/state"),
        (json!({ "product_user_id": "" }), "/product_user_id"),
        (
            json!({ "expires_at": past, "refresh_token": null }),
            "/expires_at",
        ),
        (
            json!({ "expires_at": past, "refresh_expires_at": past }),
            "/expires_at",
        ),
        (json!({ "connection_name": "demos" }), ""),
    ];
    for (changed, place) in table {
        let result = world.run(import(
            &context,
            line(changed.clone()),
            ExistingAccounts::Refuse,
        ));
        assert_eq!(result.outcome, ImportOutcome::Refused, "{changed}");
        let problem = serde_json::to_value(result.problem.unwrap()).unwrap();
        let path = problem["violations"][0]["path"].as_str();
        assert_eq!(path.unwrap_or_default(), place, "{changed}: {problem}");
        assert!(!problem.to_string().contains("CANARY"), "{problem}");
    }
    assert!(world.run(account(&context)).is_none());
    assert!(!format!("{:?}", line(json!({}))).contains("CANARY"));
}

#[test]
fn a_refused_line_does_not_stop_others_and_a_dry_run_writes_nothing() {
    let world = World::new();
    let context = ready(&world);
    let lines = || {
        vec![
            line(json!({ "identifier": "grace", "access_token": "" })),
            line(json!({ "state": "suspended" })),
        ]
    };
    let outcomes = |dry_run| {
        let import = AccountImport::new(lines()).dry_run(dry_run);
        let results = world.send(&context, import);
        let ids = results.results.iter().map(|one| one.account_id.is_some());
        let outcomes = results.results.iter().map(|one| one.outcome);
        (outcomes.collect::<Vec<_>>(), ids.collect::<Vec<_>>())
    };
    let expected = vec![ImportOutcome::Refused, ImportOutcome::Created];
    assert_eq!(outcomes(true), (expected.clone(), vec![false, false]));
    assert!(world.run(account(&context)).is_none());
    assert!(world.run(audited(&context)).is_empty());

    assert_eq!(outcomes(false), (expected, vec![false, true]));
    let row = world.run(account(&context)).unwrap();
    assert_eq!(row.state, AccountState::Suspended);
    assert_eq!(row.suspended_from, Some(AccountState::Active));

    let many = (0..101).map(|_| line(json!({})));
    let refused = world.run(accounts::import::create(&context, AccountImport::new(many)));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::InvalidRequest);
}

#[test]
fn only_the_operator_can_export_imported_accounts() {
    let world = World::new();
    let context = ready(&world);
    let given = || {
        line(json!({
            "state": "suspended", "expires_at": START + SignedDuration::from_hours(1),
            "product_user_id": "u1", "product_user": "ada@example.com",
        }))
    };
    world.run(import(&context, given(), ExistingAccounts::Refuse));
    let grace = line(json!({ "identifier": "grace" }));
    world.run(import(&context, grace, ExistingAccounts::Refuse));
    world.send(
        &context,
        DisconnectAccount::new("demo", "grace").how(Disconnection::new()),
    );
    let mut out = Vec::new();
    let export = |context: &Context, out: &mut Vec<Value>| -> Result<AccountsExported> {
        let write = |account: AccountWithTokens| {
            out.push(serde_json::to_value(account).unwrap());
            Ok(())
        };
        world.run(accounts::export(context, Some("demo"), write))
    };
    let exported = export(&context, &mut out).unwrap();
    assert_eq!((exported.accounts, exported.without_tokens), (1, 1));
    assert_eq!(out, [serde_json::to_value(given()).unwrap()]);
    let told = world.run(audited(&context));
    let last = ["accounts.export_started", "accounts.exported 1"];
    assert_eq!(told[told.len() - 2..], last);

    let application = context.acting_as(Caller::application("app"));
    let refused = export(&application, &mut out).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Forbidden);
    assert_eq!(out.len(), 1);
}
