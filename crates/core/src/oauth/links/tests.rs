//! Links: their return URLs, their scopes, and how many can be open.

use super::*;
use crate::{
    ErrorKind, connections,
    oauth::connect_page,
    product::OAuth,
    resource::NewConnection,
    testing::{STABLE, World, always, context},
};

#[test]
fn a_verify_url_is_https_or_of_this_machine() {
    let context = context(&World::new(), &STABLE, always(200, ""));
    let good = [
        "https://app.test/back",
        "https://app.test/back?tab=1",
        "https://app.test:8443/",
        "http://localhost:3000/back",
        "http://127.0.0.1/back",
        "http://[::1]:3000/back",
    ];
    for url in good {
        assert_eq!(
            context
                .site
                .checked_verify_url(Some(url))
                .unwrap()
                .as_deref(),
            Some(url)
        );
    }
    let bad = [
        "",
        "back",
        "/back",
        "//app.test/back",
        "http://app.test/back",
        "http://localhost.app.test",
        "ftp://app.test",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "com.app.custom://back",
        "https://ada@app.test/",
        "https://:secret@app.test/",
        "https://app.test/#part",
        "https://app.test/#",
    ];
    for url in bad {
        let error = context.site.checked_verify_url(Some(url)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{url}");
        assert_eq!(error.violation_list()[0].path, "/verify_url", "{url}");
    }
}

/// Stead refuses each of these as `verify_url`, because it could send the browser to another site.
const REDIRECTS: [&str; 30] = [
    "//evil.test",
    "///evil.test",
    "////evil.test/",
    "/\\evil.test",
    "\\\\evil.test",
    "https:evil.test",
    "https:/evil.test",
    "https:///evil.test",
    "https:\\\\evil.test",
    "https://app.test@evil.test/",
    "https://app.test:443@evil.test/",
    "https://evil.test/app.test",
    "https://evil.test?https://app.test",
    "https://evil.test/#https://app.test",
    "https://evil.test\\@app.test/",
    "https://app.test.evil.test/",
    "https://app.testevil.test/",
    "https://xn--pp-eka.test/",
    "https://\u{430}pp.test/",
    "https://app\u{3002}test.evil.test/",
    "https://app.test%2eevil.test/",
    "https://app.test%00.evil.test/",
    "https://app.test:8443/",
    "http://app.test/",
    "http://127.0.0.1.evil.test/",
    "https://[::ffff:6576:696c]/",
    "javascript:alert(1)//https://app.test",
    "data:text/html,https://app.test",
    " https://evil.test",
    "https://\tevil.test/",
];

#[test]
fn redirects_lead_only_to_listed_origins() {
    let world = World::new();
    let context = world.configured(&world.store(), &STABLE, always(200, ""), |options| {
        options.verify_origins = vec![String::from("https://app.test")];
    });
    let context = context.unwrap();
    for url in REDIRECTS {
        let error = context.site.checked_verify_url(Some(url)).unwrap_err();
        assert_eq!(error.violation_list()[0].path, "/verify_url", "{url}");
    }
    for url in [
        "https://app.test/back",
        "https://APP.test:443/?x=//evil.test",
        // A page of the environment itself.
        "https://stead.test/dashboard",
    ] {
        assert!(context.site.checked_verify_url(Some(url)).is_ok(), "{url}");
    }
}

#[test]
fn a_link_without_a_verify_url_uses_an_allowed_default() {
    let world = World::new();
    let open = |url: &str| {
        world.configured(&world.store(), &STABLE, always(200, ""), |options| {
            options.verify_origins = vec![String::from("https://app.test")];
            options.verify_url = Some(url.to_owned());
        })
    };
    let context = open("https://app.test/back").unwrap();
    let leads_to = |given| context.site.checked_verify_url(given).unwrap();
    assert_eq!(leads_to(None).as_deref(), Some("https://app.test/back"));
    let other = Some("https://app.test/other");
    assert_eq!(leads_to(other).as_deref(), other);
    for url in ["https://evil.test/back", "http://app.test/back", ""] {
        let error = open(url).map(drop).unwrap_err();
        let said = error.message();
        assert!(said.starts_with("the default verify_url: "), "{said}");
    }
}

#[test]
fn an_origin_is_https_and_a_host() {
    let world = World::new();
    for (origin, fits) in [
        ("https://app.test", true),
        ("https://app.test:8443/", true),
        ("http://localhost:3000", true),
        ("http://app.test", false),
        ("https://app.test/path", false),
        ("app.test", false),
        ("", false),
    ] {
        let opened = world.configured(&world.store(), &STABLE, always(200, ""), |options| {
            options.verify_origins = vec![origin.to_owned()];
        });
        let kind = opened.err().map(|error| error.kind());
        assert_eq!(
            kind,
            (!fits).then_some(ErrorKind::InvalidRequest),
            "{origin}"
        );
    }
}

#[test]
fn at_most_five_links_of_an_account_are_open_and_the_newest_are() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let new = NewConnection::new("demo", "demo").client("client", "secret");
    world.send(&context, new);
    let links: Vec<String> = (0..7)
        .map(|_| {
            let new = NewAuthorizationLink::new("demo", "ada").verify_url("https://app.test/back");
            let link = world.send(&context, new).link;
            link.rsplit('/').next().unwrap().to_owned()
        })
        .collect();
    let kinds: Vec<Option<ErrorKind>> = links
        .iter()
        .map(|link| world.run(connect_page(&context, link)).err())
        .map(|error| error.map(|error| error.kind()))
        .collect();
    let (ended, open) = kinds.split_at(2);
    assert_eq!(ended, [Some(ErrorKind::AuthorizationConsumed); 2]);
    assert_eq!(open, [None; 5]);
}

#[test]
fn a_confusable_identifier_gets_no_new_account() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let new = NewConnection::new("demo", "demo").client("client", "secret");
    let connection = world.send(&context, new);
    let link = |identifier: &str| {
        let new = NewAuthorizationLink::new("demo", identifier).verify_url("https://app.test/back");
        world.run(create(&context, new))
    };
    let odd = ["ada\u{200b}", " ada", "\u{202e}ada", "\u{feff}ada"];
    for identifier in odd {
        let error = link(identifier).map(drop).unwrap_err();
        assert_eq!(error.violation_list()[0].path, "/identifier");
    }
    // An earlier version accepted this identifier.
    let identifier = Identifier::new(odd[0]).unwrap();
    let id = AccountId::from_uuid(context.host.new_id());
    let account = new_account(id, connection.id, identifier, context.host.now());
    let made = Change::none().insert_account(account, "account.created");
    let exists = Error::new(ErrorKind::AlreadyExists, "it exists");
    world.ok(context.add("test", made, exists));
    assert!(link(odd[0]).is_ok());
}

#[test]
fn names_of_connections_are_unique_ignoring_case() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let create = |name: &str| {
        let new = NewConnection::new(name, "demo").client("client", "secret");
        world.run(connections::create(&context, new)).map(drop)
    };
    create("mail").unwrap();
    for taken in ["mail", "Mail", "MAIL"] {
        let error = create(taken).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{taken}");
    }
    create("mail2").unwrap();
}

#[test]
fn scopes_are_refused_for_products_without_scopes() {
    let product = |permissions| Product {
        oauth: OAuth {
            permissions,
            ..OAuth::BASE
        },
        ..Product::BASE
    };
    let scopes = [String::from("notes")];
    let some = Permissions::Scopes {
        always: &[],
        default: &[],
    };
    assert!(takes_scopes(&product(some), Some(&scopes)).is_ok());
    for permissions in [Permissions::Capabilities, Permissions::None] {
        let product = product(permissions);
        let error = takes_scopes(&product, Some(&scopes)).unwrap_err();
        assert_eq!(error.violation_list()[0].path, "/scopes");
        assert!(takes_scopes(&product, Some(&[])).is_ok());
        assert!(takes_scopes(&product, None).is_ok());
    }
}
