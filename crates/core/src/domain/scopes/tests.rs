//! Names of scopes, and the scopes that links request.

use serde_json::Map;
use uuid::Uuid;

use super::*;
use crate::{
    identifier::{ConnectionId, ConnectionName},
    product::{OAuth, PermissionTexts},
    state::{ConnectionHealth, ConnectionState},
    testing::START,
    tool::RequiredScopes,
};

const FULL: &str = "https://scopes.test/";

static TEXTS: PermissionTexts = PermissionTexts::new(&[(
    "en",
    r#"{ "scopes": {
        "https://scopes.test/notes": "Read and write notes",
        "https://scopes.test/notes.read": "Read notes",
        "https://scopes.test/people": "See people",
        "https://old.test/everything": "Do everything"
    } }"#,
)]);

static ALL_TEXTS: &[&PermissionTexts] = &[&TEXTS];

fn product(permissions: Permissions) -> Product {
    Product {
        name: "demo",
        permission_texts: ALL_TEXTS,
        oauth: OAuth {
            permissions,
            scope_prefix: FULL,
            scope_aliases: &[("email", "https://scopes.test/user.email")],
            ..OAuth::BASE
        },
        ..Product::BASE
    }
}

fn scoped() -> Product {
    product(Permissions::Scopes {
        always: &["openid"],
        default: &["https://scopes.test/notes.read"],
    })
}

fn connection(permissions: &[&str]) -> Connection {
    Connection {
        id: ConnectionId::from_uuid(Uuid::from_u128(1)),
        name: ConnectionName::new("demo").unwrap(),
        product: String::from("demo"),
        client_id: None,
        client_secret: None,
        client_epoch: 0,
        ended_epoch: 0,
        permissions: texts(permissions),
        settings: Map::new(),
        allowed_requests: Vec::new(),
        state: ConnectionState::Ready,
        health: ConnectionHealth::ClientOk,
        created_at: START,
        updated_at: START,
        extra: Default::default(),
    }
}

fn texts(given: &[&str]) -> Vec<String> {
    given.iter().map(|text| (*text).to_owned()).collect()
}

fn paths(error: &Error) -> Vec<&str> {
    let places = error.violation_list().iter();
    places.map(|one| one.path.as_str()).collect()
}

fn read(product: &Product, given: &[&str]) -> Result<Vec<String>, Vec<Violation>> {
    read_permissions(product, Some(&texts(given)), "permissions")
        .map_err(|error| error.violation_list().to_vec())
}

#[test]
fn short_names_become_the_scopes_that_they_stand_for() {
    let (full, email) = (
        "https://scopes.test/notes.read",
        "https://scopes.test/user.email",
    );
    let given = ["notes.read", "email", "openid", full];
    let kept = [full, email, "openid"];
    assert_eq!(read(&scoped(), &given).unwrap(), kept);
    let old = ["https://old.test/everything"];
    assert_eq!(read(&scoped(), &old).unwrap(), old);
}

#[test]
fn a_scope_of_another_product_is_refused_with_a_suggestion() {
    let refused = |given: &str| read(&scoped(), &["notes", given]).unwrap_err().remove(0);
    for (given, said) in [
        (
            "note.read",
            "note.read isn't a scope of demo; did you mean notes.read, notes?",
        ),
        (
            "https://scopes.test/notes.reed",
            "https://scopes.test/notes.reed isn't a scope of demo; did you mean notes.read, notes? (if Stead doesn't know the scope yet, add it to the setting more_scopes)",
        ),
        (
            "https://other.test/xyz",
            "https://other.test/xyz isn't a scope of demo; it has https://old.test/everything, notes, notes.read, \
             people, user.email, openid (if Stead doesn't know the scope yet, add it to the setting more_scopes)",
        ),
    ] {
        let violation = refused(given);
        assert_eq!(violation.path, "/permissions/1");
        assert_eq!(violation.message, said);
    }
    for given in ["", "a b", "a\"b", "a\\b", "\u{fc}"] {
        assert_eq!(refused(given).keyword, "format", "{given:?}");
    }
}

#[test]
fn every_place_is_reported_with_the_requests_own_member() {
    let given = texts(&["xyz", "notes", "abc"]);
    let error = read_permissions(&scoped(), Some(&given), "scopes").unwrap_err();
    assert_eq!(paths(&error), ["/scopes/0", "/scopes/2"]);
}

#[test]
fn a_product_without_permissions_takes_none_and_the_list_of_none() {
    let none = product(Permissions::None);
    let unset = read_permissions(&none, None, "permissions");
    assert_eq!(unset.unwrap(), [""; 0]);
    assert_eq!(read(&none, &[]).unwrap(), [""; 0]);
    assert_eq!(read(&none, &["notes"]).unwrap_err()[0].path, "/permissions");
}

#[test]
fn capabilities_are_those_of_the_product() {
    let capabilities = Product {
        capabilities: &[("read_content", &["demo_read"])],
        ..product(Permissions::Capabilities)
    };
    let known = ["read_content", "https://scopes.test/notes"];
    assert_eq!(read(&capabilities, &known).unwrap(), known);
    let similar = "Read content isn't a capability of demo; did you mean read_content?";
    for (given, said) in [
        ("Read content", similar),
        ("bogus", "bogus isn't a capability of demo; it has "),
        // This is the short name of a scope, not of a capability.
        ("email", "email isn't a capability of demo; it has "),
    ] {
        let refused = &read(&capabilities, &["read_content", given]).unwrap_err()[0];
        assert_eq!(refused.path, "/permissions/1");
        assert!(refused.message.starts_with(said), "{}", refused.message);
    }
    let stored = texts(&["bogus"]);
    let given = texts(&["bogus", "read_content"]);
    let kept = read_changed(&capabilities, &stored, Some(&given), "permissions");
    assert_eq!(kept.unwrap(), given);
    let undescribed = Product {
        permission_texts: &[],
        ..product(Permissions::Capabilities)
    };
    assert_eq!(read(&undescribed, &["anything"]).unwrap(), ["anything"]);
}

#[test]
fn a_link_also_requests_granted_scopes() {
    let product = scoped();
    let asked = |permissions: &[&str], given: Option<&[&str]>, granted: &[&str]| {
        let (given, granted) = (given.map(texts), texts(granted));
        let connection = connection(permissions);
        asked_scopes(&product, &connection, given.as_deref(), &granted).unwrap()
    };
    let (read, write) = (
        "https://scopes.test/notes.read",
        "https://scopes.test/notes",
    );
    assert_eq!(asked(&[], None, &[]), ["openid", read]);
    assert_eq!(asked(&[write], None, &[]), ["openid", write]);
    let both = asked(&[write], None, &["openid", read]);
    assert_eq!(both, ["openid", write, read]);
    assert_eq!(asked(&[write], Some(&[read]), &[]), ["openid", read]);
    let both = asked(&[write], Some(&[read]), &["openid", write]);
    assert_eq!(both, ["openid", read, write]);
    // A connection from before short names were rejected.
    let short = asked(&["notes", "email", "x"], None, &[]);
    assert_eq!(short[1..], [write, "https://scopes.test/user.email", "x"]);
}

#[test]
fn the_request_after_an_error_has_granted_and_missing_scopes() {
    let (read, write, people) = (
        "https://scopes.test/notes.read",
        "https://scopes.test/notes",
        "https://scopes.test/people",
    );
    let identifier = Identifier::new("ada").unwrap();
    let request = |product: &Product, needed| {
        let granted = texts(&["openid", people]);
        authorization_request(product, &connection(&[]), &identifier, &granted, needed)
    };
    const WRITE: &[&str] = &["https://scopes.test/notes", "other"];
    const READ: &[&str] = &["other", "https://scopes.test/notes.read"];
    let asked = request(&scoped(), WRITE);
    assert_eq!(asked.connection_name.as_str(), "demo");
    assert_eq!(asked.identifier.as_str(), "ada");
    assert_eq!(asked.scopes, ["openid", read, people, write]);
    // A scope that is requested anyway is enough.
    assert_eq!(request(&scoped(), READ).scopes, ["openid", read, people]);
    let capabilities = product(Permissions::Capabilities);
    assert_eq!(request(&capabilities, WRITE).scopes, [""; 0]);
}

#[test]
fn a_link_never_asks_for_a_scope_next_to_one_that_it_narrows() {
    const NARROW: &str = "https://scopes.test/people";
    const WIDE: &str = "https://scopes.test/notes";
    let mut product = scoped();
    product.oauth.narrowing_scopes = &[(NARROW, RequiredScopes(&[WIDE]))];
    let refused = read_permissions(&product, Some(&texts(&["notes", "people"])), "permissions");
    let error = refused.unwrap_err();
    assert_eq!(error.violation_list()[0].path, "/permissions/1");
    let message = &error.violation_list()[0].message;
    assert!(
        message.contains("people restricts what notes allows"),
        "{error}"
    );
    // A connection that already has both can keep them.
    let both = texts(&[WIDE, NARROW]);
    let kept = read_changed(&product, &both, Some(&both), "permissions");
    assert_eq!(kept.unwrap(), both);
    for (given, granted, expected) in [
        (&[NARROW][..], &[][..], &["openid", NARROW][..]),
        (&[NARROW], &[WIDE], &["openid", WIDE]),
        (&[WIDE], &[NARROW], &["openid", WIDE]),
    ] {
        let (given, granted) = (texts(given), texts(granted));
        let asked = asked_scopes(&product, &connection(&[]), Some(&given), &granted);
        assert_eq!(asked.unwrap(), texts(expected));
    }
    let identifier = Identifier::new("ada").unwrap();
    let of_narrow = connection(&[NARROW]);
    let granted = texts(&["openid", NARROW]);
    let request = authorization_request(&product, &of_narrow, &identifier, &granted, &[WIDE]);
    assert_eq!(request.scopes, ["openid", WIDE]);
}

#[test]
fn requested_scopes_that_were_not_granted_are_missing() {
    let product = Product {
        oauth: OAuth {
            permissions: Permissions::Scopes {
                always: &[],
                default: &[],
            },
            ..OAuth::BASE
        },
        ..Product::BASE
    };
    let asked = texts(&["openid", "a", "b"]);
    for (granted, expected) in [
        (&["a"][..], &["b"][..]),
        (&["b", "a"], &[]),
        (&[], &["a", "b"]),
        (&["openid", "c"], &["a", "b"]),
    ] {
        let missing = missing_scopes(&product, &asked, &texts(granted));
        assert_eq!(missing, texts(expected), "{granted:?}");
    }
    assert!(missing_scopes(&Product::BASE, &asked, &[]).is_empty());
}

#[test]
fn imported_scopes_get_full_names_and_unknown_ones_are_kept() {
    let product = Product {
        oauth: OAuth {
            permissions: Permissions::Scopes {
                always: &[],
                default: &["https://scopes.test/notes"],
            },
            scope_prefix: FULL,
            ..OAuth::BASE
        },
        ..Product::BASE
    };
    let given = texts(&["notes", "openid", "https://scopes.test/notes", "other"]);
    let expected = texts(&["https://scopes.test/notes", "openid", "other"]);
    assert_eq!(read_granted(&product, &given).unwrap(), expected);
    let error = read_granted(&product, &texts(&["notes", "", "a b"])).unwrap_err();
    assert_eq!(paths(&error), ["/scopes/1", "/scopes/2"]);
    let many = vec![String::from("notes"); 101];
    assert!(read_granted(&product, &many).is_err());
}

#[test]
fn a_preset_stands_for_its_scopes() {
    static PRESETS: &[Preset] = &[Preset {
        name: "write",
        about: "Write notes.",
        scopes: &["https://scopes.test/notes", "https://scopes.test/people"],
    }];
    let product = Product {
        presets: PRESETS,
        ..scoped()
    };
    let full = ["notes", "people", "notes.read"].map(|name| format!("{FULL}{name}"));
    let people = read(&product, &["people", "write"]).unwrap();
    assert_eq!(people, [full[1].clone(), full[0].clone()]);
    let all = read(&product, &["write", "notes.read", "notes"]);
    assert_eq!(all.unwrap(), full);
    let refused = read(&product, &["wirte"]).unwrap_err().remove(0);
    assert!(refused.message.contains("write"), "{}", refused.message);

    // A scope of a preset can restrict another one.
    let narrowing: &[(&str, RequiredScopes)] = &[(
        "https://scopes.test/people",
        RequiredScopes(&["https://scopes.test/notes.read"]),
    )];
    let product = Product {
        oauth: OAuth {
            narrowing_scopes: narrowing,
            ..product.oauth
        },
        ..product
    };
    let refused = read(&product, &["notes.read", "write"]).unwrap_err();
    assert_eq!(refused[0].path, "/permissions/1");
}
