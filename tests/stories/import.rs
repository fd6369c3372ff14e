//! Accounts move from one environment into another with their tokens, and calls continue without the users.

use std::sync::Arc;

use jiff::SignedDuration;
use serde_json::{Value, json};
use stead::{NewConnection, Platform, mail::ListDrafts};
use stead_core::resource::{AccountImport, AccountWithTokens, ImportOutcome, NewAppCredential};
use stead_sandbox::{CLIENT_ID, CLIENT_SECRET, Fault};

use crate::stage::{ADA, GRACE, Stage};

/// The accounts of a stage as lines.
async fn exported(stage: &Stage) -> Vec<Value> {
    let mut lines = Vec::new();
    let write = |account: AccountWithTokens| {
        lines.push(serde_json::to_value(account).unwrap());
        Ok(())
    };
    let environment = stage.platform.environment();
    let exported = environment.export_accounts(Some("mail"), write).await;
    assert_eq!(exported.unwrap().accounts, lines.len() as u64);
    lines
}

/// Another environment in front of the same products, with the same OAuth client.
async fn another(stage: &Stage) -> Platform {
    let platform = Platform::builder("https://another.example.com")
        .ephemeral_key()
        .in_memory()
        .runtime(Arc::clone(&stage.clock) as _)
        .gateway(&stage.sandbox.url)
        .build()
        .await
        .unwrap();
    let mail = NewConnection::mail("post").client(CLIENT_ID, CLIENT_SECRET);
    platform.connections().create(mail).await.unwrap();
    platform
}

fn refreshes(stage: &Stage) -> usize {
    stage.sandbox.sandbox.token_requests_of("refresh_token")
}

#[tokio::test]
async fn an_imported_account_works_like_an_authorized_one() {
    let stage = Stage::connected().await;
    stage.connect("user-2", GRACE).await;
    let lines = exported(&stage).await;
    let platform = another(&stage).await;
    let accounts: Vec<AccountWithTokens> = lines
        .into_iter()
        .map(|mut line| {
            line["connection_name"] = "post".into();
            serde_json::from_value(line).unwrap()
        })
        .collect();
    let import = AccountImport::new(accounts);
    let dry = import.clone().dry_run(true);
    for (import, there) in [(dry, 0), (import.clone(), 2)] {
        let results = platform.accounts().import(import).await.unwrap().results;
        let all = results.iter().map(|one| one.outcome);
        assert_eq!(all.collect::<Vec<_>>(), [ImportOutcome::Created; 2]);
        let listed = platform.accounts().list().all().await.unwrap();
        assert_eq!(listed.len(), there);
    }
    let ada = platform.account("post", "user-1").unwrap();
    assert_eq!(ada.read().await.unwrap().product_user.as_deref(), Some(ADA));
    ada.call(&ListDrafts::default()).await.unwrap();
    assert_eq!(refreshes(&stage), 0, "the access token serves");

    stage.clock.advance(SignedDuration::from_hours(2));
    stage.fault(Fault::Advance { seconds: 7200 });
    ada.call(&ListDrafts::default()).await.unwrap();
    assert_eq!(refreshes(&stage), 1, "the refresh token serves");

    // Importing the same file again doesn't bring older tokens back.
    let results = platform.accounts().import(import).await.unwrap().results;
    let all = results.iter().map(|one| one.outcome);
    assert_eq!(all.collect::<Vec<_>>(), [ImportOutcome::Unchanged; 2]);
    ada.call(&ListDrafts::default()).await.unwrap();
    assert_eq!(refreshes(&stage), 1);
}

#[tokio::test]
async fn an_access_token_that_has_ended_is_refreshed_by_the_first_call() {
    let stage = Stage::connected().await;
    let mut line = exported(&stage).await.remove(0);
    line["connection_name"] = "post".into();
    stage.clock.advance(SignedDuration::from_hours(2));
    stage.fault(Fault::Advance { seconds: 7200 });
    let platform = another(&stage).await;
    let account = serde_json::from_value(line).unwrap();
    let import = AccountImport::new(vec![account]);
    let results = platform.accounts().import(import).await.unwrap().results;
    assert_eq!(results[0].outcome, ImportOutcome::Created);
    let ada = platform.account("post", "user-1").unwrap();
    ada.call(&ListDrafts::default()).await.unwrap();
    assert_eq!(refreshes(&stage), 1);
}

#[tokio::test]
async fn importing_over_http_needs_the_scope_and_returns_no_token() {
    let stage = Stage::connected().await;
    let line = exported(&stage).await.remove(0);
    let token = line["access_token"].as_str().unwrap().to_owned();
    let gone = stage.delete("/v1/accounts/mail/user-1").await;
    assert_eq!(gone.status, 200, "{}", gone.text());
    let import = |existing: &str| json!({ "accounts": [line], "existing": existing });

    let reply = stage.post("/v1/account-imports", &import("refuse")).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let result = &reply.json()["results"][0];
    assert_eq!(result["outcome"], "refused");
    assert_eq!(result["problem"]["kind"], "already_exists");
    let reply = stage.post("/v1/account-imports", &import("replace")).await;
    assert_eq!(reply.json()["results"][0]["outcome"], "replaced");
    assert!(!reply.text().contains(&token));
    assert_eq!(stage.drafts("user-1").await.status, 200);

    let events = stage.get("/v1/events?types=account.imported").await;
    let events = events.json();
    assert_eq!(events["items"].as_array().unwrap().len(), 1, "{events}");
    assert_eq!(events["items"][0]["data"]["identifier"], "user-1");
    let audit = stage.get("/v1/audit?action=account.imported").await.json();
    assert_eq!(audit["items"].as_array().unwrap().len(), 1, "{audit}");

    let usual = NewAppCredential::new("usual");
    let environment = stage.platform.environment();
    let usual = environment.send(usual).await.unwrap();
    let scopes = usual.credential.scopes.words();
    assert!(!scopes.contains(&String::from("accounts:import")));
}
