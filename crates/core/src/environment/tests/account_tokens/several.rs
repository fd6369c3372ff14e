//! A token for a user's accounts of several products.
use crate::{
    api::Paging,
    identifier::ConnectionName,
    resource::{DisconnectAccount, ListAccountTokens, NewAccountToken, TokensOfAccount},
};

use http::Method;

use super::*;

#[test]
fn a_token_for_two_products_goes_where_the_path_says() {
    let stage = Stage::new();
    let environment = &stage.environment;
    stage.world.run(async {
        insert_account_of(&environment.0, "tables", "tables", AccountState::Active).await;
    });
    let new = || NewAccountToken::new("demo", "ada", TokenAccess::Read).and("tables");
    let token = stage.world.ok(environment.send(new()));
    let names =
        |names: &[ConnectionName]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(&token.connections), ["demo", "tables"]);
    let holder = stage.of(&token).unwrap();
    let at_the_host = |path: &str| {
        ended(
            &stage
                .world
                .run(holder.proxy_host(request(Method::GET, path))),
        )
    };
    for (path, expected) in [
        ("/v1/notes", "200 OK"),
        ("/v4/tables/1?at=/v1", "200 OK"),
        ("/v5/others", "path_invalid"),
        ("//evil.test/v4", "path_invalid"),
    ] {
        assert_eq!(at_the_host(path), expected, "{path}");
    }
    let received = std::mem::take(&mut *stage.received.lock().unwrap());
    assert_eq!(
        received,
        [
            "GET https://api.demo.test/v1/notes",
            "GET https://api.demo.test/v4/tables/1?at=/v1"
        ]
    );
    for (to, expected) in [
        (("demo", "ada"), "200 OK"),
        (("tables", "ada"), "path_invalid"),
        (("other", "ada"), "insufficient_scope"),
        (("tables", "grace"), "insufficient_scope"),
    ] {
        let get = request(Method::GET, "/v1/notes");
        assert_eq!(stage.sent(&holder, to, get), expected, "{to:?}");
    }
    let listed = stage.world.run(
        environment.send(
            ListAccountTokens::new()
                .of(TokensOfAccount::new("demo", "ada"))
                .page(Paging::new(None, 50)),
        ),
    );
    assert_eq!(
        names(&listed.unwrap().items[0].connections),
        ["demo", "tables"]
    );

    // A user who disconnects one product keeps the other one in the token.
    let disconnect = environment.send(DisconnectAccount::new("demo", "ada"));
    stage.world.ok(disconnect);
    stage.world.advance(std::time::Duration::from_secs(6));
    let holder = stage.of(&token).unwrap();
    let at_the_host = |path| {
        ended(
            &stage
                .world
                .run(holder.proxy_host(request(Method::GET, path))),
        )
    };
    assert_eq!(at_the_host("/v4/tables/1"), "200 OK");
    assert_eq!(at_the_host("/v1/notes"), "unauthenticated");

    let refused = |new: NewAccountToken| {
        let error = stage.world.err(environment.send(new));
        (
            error.kind(),
            error
                .violation_list()
                .first()
                .map(|place| place.path.clone()),
        )
    };
    let invalid = |path: &str| (ErrorKind::InvalidRequest, Some(path.to_owned()));
    let two = NewAccountToken::new("other", "ada", TokenAccess::Read)
        .and("other")
        .and("demo");
    assert_eq!(refused(two), (ErrorKind::AuthorizationRequired, None));
    let one = || NewAccountToken::new("tables", "ada", TokenAccess::Read);
    stage.world.run(async {
        insert_account_of(
            &environment.0,
            "more-tables",
            "tables",
            AccountState::Active,
        )
        .await;
    });
    assert_eq!(
        refused(one().and("other").and("more-tables")),
        invalid("/connections/1")
    );
    assert_eq!(
        refused(NewAccountToken::new("", "ada", TokenAccess::Read)),
        invalid("/connection_name")
    );
}
