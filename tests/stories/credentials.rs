//! Credentials of applications: their scopes, and how to rotate their secrets and revoke them.

use jiff::SignedDuration;
use secrecy::ExposeSecret as _;
use stead::{Client, ErrorKind, Stead, mail::ListDrafts};
use stead_core::resource::{
    AppCredentialChange, ChangeAppCredential, DeleteAppCredential, IssuedAppSecret,
    ListAppCredentials, NewAppCredential, ProxyRequest, ReadAppCredential, RevokeAppSecret,
    RotateAppCredential, SecretRotation,
};

use crate::stage::{ADA, Setting, Stage};

/// The library's client with a secret.
fn client(stage: &Stage, issued: &IssuedAppSecret) -> Client {
    let secret = issued.client_secret.expose_secret();
    Client::new(&stage.url, &issued.credential.client_id, secret).unwrap()
}

fn kind<T>(result: stead::Result<T>) -> ErrorKind {
    result.err().expect("an error").kind()
}

#[tokio::test]
async fn through_the_platform() {
    let stage = Stage::set(Setting::default()).await;
    story(&stage, &stage.platform.clone().into()).await;
}

#[tokio::test]
async fn through_the_client() {
    let stage = Stage::set(Setting::default()).await;
    story(&stage, &stage.client().into()).await;
}

/// An owner creates a credential for an agent, changes its scopes, rotates its secret, and revokes it.
async fn story(stage: &Stage, owner: &Stead) {
    stage.connect("u1", ADA).await;
    let new = NewAppCredential::new("agent").scopes(["tools:execute:mail"]);
    let first = owner.send(new).await.unwrap();
    let id = first.credential.client_id.as_str();
    let agent = client(stage, &first);
    let drafts = async |agent: &Client| {
        agent
            .account("mail", "u1")?
            .call(&ListDrafts::default())
            .await
    };
    drafts(&agent).await.unwrap();
    let error = agent.accounts().list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InsufficientScope);
    assert_eq!(error.required_scopes(), ["accounts:read"]);
    let proxied = ProxyRequest::new("mail", "u1", "GET", "/gmail/v1/users/me/profile");
    assert_eq!(
        kind(agent.actions().request(proxied).await),
        ErrorKind::InsufficientScope
    );
    assert_eq!(
        kind(agent.list(ListAppCredentials::new()).await),
        ErrorKind::InsufficientScope
    );

    let change = AppCredentialChange::default()
        .scopes(["accounts:read"])
        .name("reader");
    let changed = owner
        .send(ChangeAppCredential::new(id, change))
        .await
        .unwrap();
    assert_eq!(changed.name, "reader");
    agent.accounts().list().await.unwrap();
    assert_eq!(kind(drafts(&agent).await), ErrorKind::InsufficientScope);

    let second = owner
        .send(RotateAppCredential::new(id, SecretRotation::default()))
        .await
        .unwrap();
    let (old, new) = (client(stage, &first), client(stage, &second));
    for agent in [&agent, &old, &new] {
        agent.accounts().list().await.unwrap();
    }
    let left = owner
        .send(RevokeAppSecret::new(id, &first.secret_id))
        .await
        .unwrap();
    assert_eq!(left.secrets.len(), 1);
    for refused in [&agent, &old] {
        assert_eq!(
            kind(refused.accounts().list().await),
            ErrorKind::Unauthenticated
        );
    }
    new.accounts().list().await.unwrap();

    let listed = owner
        .list(ListAppCredentials::new())
        .page_size(1)
        .all()
        .await
        .unwrap();
    let listed: Vec<_> = listed.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(listed, ["story", "reader"]);
    owner.send(DeleteAppCredential::new(id)).await.unwrap();
    assert_eq!(
        kind(new.accounts().list().await),
        ErrorKind::Unauthenticated
    );
    assert_eq!(
        kind(owner.send(ReadAppCredential::new(id)).await),
        ErrorKind::NotFound
    );
}

#[tokio::test]
async fn a_credential_revoked_by_another_process_is_refused_within_a_second() {
    let stage = Stage::set(Setting::default()).await;
    let other = stage.over_its_store().build().await.unwrap();
    let new = NewAppCredential::new("agent").scopes(["accounts:read"]);
    let issued = other.send(new).await.unwrap();
    let form = [
        ("grant_type", "client_credentials"),
        ("client_id", issued.credential.client_id.as_str()),
        ("client_secret", issued.client_secret.expose_secret()),
    ];
    let token_url = format!("{}/oauth/token", stage.url);
    let token = stage.http.form(&token_url, &form).await.json();
    let bearer = token["access_token"].as_str().unwrap();
    let accounts = format!("{}/v1/accounts", stage.url);
    let call = async || stage.http.get(&accounts, bearer).await.status;
    assert_eq!(call().await, 200);
    other
        .send(DeleteAppCredential::new(&issued.credential.client_id))
        .await
        .unwrap();
    stage.clock.advance(SignedDuration::from_secs(1));
    for _ in 0..10 {
        assert_eq!(call().await, 401);
    }
    assert_eq!(stage.http.form(&token_url, &form).await.status, 401);
    other.shut_down().await;
}
