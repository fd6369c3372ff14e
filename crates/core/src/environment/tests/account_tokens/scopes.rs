//! An account token and the scopes of the credential that created it.

use http::Method;
use serde_json::json;

use super::{Stage, request};
use crate::{
    ErrorKind,
    api::Paging,
    caller::Caller,
    resource::{
        AppCredentialChange, ChangeAppCredential, DeleteAppCredential, ExecutionFilter,
        IssuedAccountToken, ListExecutions, NewAccountToken, NewAppCredential,
    },
    scope::Scopes,
    state::TokenAccess,
};

#[test]
fn an_account_token_ends_with_the_credential_that_made_it() {
    let stage = Stage::new();
    let (world, environment) = (&stage.world, &stage.environment);
    let application = world
        .ok(environment.send(NewAppCredential::new("mine")))
        .credential
        .client_id;
    let maker = environment.acting_as(Caller::application(application.as_str()));
    let new = NewAccountToken::new("demo", "ada", TokenAccess::Read);
    let token = world.ok(maker.send(new));
    let holder = stage.of(&token).unwrap();
    let actor = serde_json::to_value(holder.caller().actor()).unwrap();
    assert_eq!(
        actor,
        json!({"type": "account_token", "id": token.token_id, "client_id": application})
    );

    world.ok(holder.proxy_host(request(Method::GET, "/v1/notes")));
    world.advance(std::time::Duration::from_secs(1));
    let calls = async |actor: &str| {
        let filter = ExecutionFilter::default().actor(actor);
        let page = environment
            .send(
                ListExecutions::new()
                    .filter(filter.clone())
                    .page(Paging::new(None, 50)),
            )
            .await
            .unwrap();
        page.items.len()
    };
    let id = token.token_id.to_string();
    for (actor, count) in [
        (application.as_str(), 1),
        (&id, 1),
        (&format!("{application}/{id}"), 1),
        ("app_2", 0),
        ("", 0),
    ] {
        assert_eq!(world.run(calls(actor)), count, "{actor:?}");
    }

    let gone = IssuedAccountToken {
        token: {
            let maker = environment.acting_as(Caller::application("app_gone"));
            let new = NewAccountToken::new("demo", "ada", TokenAccess::Read);
            world.ok(maker.send(new)).token
        },
        ..token
    };
    assert_eq!(
        stage.of(&gone).unwrap_err().kind(),
        ErrorKind::Unauthenticated
    );
}

#[test]
fn an_account_token_does_no_more_than_the_credential_that_made_it() {
    let stage = Stage::new();
    let (world, environment) = (&stage.world, &stage.environment);
    let new = NewAppCredential::new("mine").scopes(["proxy:write", "account-tokens:create"]);
    let made = world.ok(environment.send(new));
    let id = made.credential.client_id.as_str();
    let limited = |scope: &str| {
        let scopes = Scopes::parse([scope]).unwrap();
        environment.acting_as(Caller::limited_application(id, scopes, None))
    };
    let new = NewAccountToken::new("demo", "ada", TokenAccess::Write);
    let refused = world.run(limited("proxy:read").send(new.clone()));
    let error = refused.unwrap_err();
    assert_eq!(error.required_scopes(), ["proxy:write:demo"]);
    let maker = limited("proxy:write:demo");
    let token = world.ok(maker.send(new));
    let write = || {
        let holder = stage.of(&token)?;
        world
            .run(holder.proxy_host(request(Method::PUT, "/v1/notes")))
            .map(drop)
    };
    write().unwrap();
    let change = AppCredentialChange::default().scopes(["proxy:read"]);
    world.ok(environment.send(ChangeAppCredential::new(id, change)));
    assert_eq!(write().unwrap_err().required_scopes(), ["proxy:write:demo"]);
    world.ok(environment.send(DeleteAppCredential::new(id)));
    assert_eq!(write().unwrap_err().kind(), ErrorKind::Unauthenticated);
}
