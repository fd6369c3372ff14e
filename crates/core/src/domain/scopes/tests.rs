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

fn read(product: &Product, given: &[&str]) -> Result<Vec<String>, Vec<Violation>> {
    read_permissions(product, Some(&texts(given)), "permissions")
        .map_err(|error| error.violation_list().to_vec())
}

#[test]
fn short_names_become_the_scopes_that_they_stand_for() {
    let given = [
        "notes.read",
        "email",
        "openid",
        "https://scopes.test/notes.read",
    ];
    let kept = [
        "https://scopes.test/notes.read",
        "https://scopes.test/user.email",
        "openid",
    ];
    assert_eq!(read(&scoped(), &given).unwrap(), kept);
    assert_eq!(
        read(&scoped(), &["https://old.test/everything"]).unwrap(),
        ["https://old.test/everything"]
    );
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
        assert_eq!(
            (violation.path.as_str(), violation.message.as_str()),
            ("/permissions/1", said)
        );
    }
    for given in ["", "a b", "a\"b", "a\\b", "\u{fc}"] {
        assert_eq!(refused(given).keyword, "format", "{given:?}");
    }
}

#[test]
fn every_place_is_reported_with_the_requests_own_member() {
    let error =
        read_permissions(&scoped(), Some(&texts(&["xyz", "notes", "abc"])), "scopes").unwrap_err();
    let paths: Vec<&str> = error
        .violation_list()
        .iter()
        .map(|one| one.path.as_str())
        .collect();
    assert_eq!(paths, ["/scopes/0", "/scopes/2"]);
}

#[test]
fn a_product_without_permissions_takes_none_and_the_list_of_none() {
    let none = product(Permissions::None);
    assert_eq!(
        read_permissions(&none, None, "permissions").unwrap(),
        [""; 0]
    );
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
    for (given, said) in [
        (
            "Read content",
            "Read content isn't a capability of demo; did you mean read_content?",
        ),
        ("bogus", "bogus isn't a capability of demo; it has "),
        // This short name is of a scope, not of a capability.
        ("email", "email isn't a capability of demo; it has "),
    ] {
        let refused = read(&capabilities, &["read_content", given]).unwrap_err();
        assert_eq!(refused[0].path, "/permissions/1");
        assert!(
            refused[0].message.starts_with(said),
            "{}",
            refused[0].message
        );
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
        let given = given.map(texts);
        asked_scopes(
            &product,
            &connection(permissions),
            given.as_deref(),
            &texts(granted),
        )
        .unwrap()
    };
    let (read, write) = (
        "https://scopes.test/notes.read",
        "https://scopes.test/notes",
    );
    assert_eq!(asked(&[], None, &[]), ["openid", read]);
    assert_eq!(asked(&[write], None, &[]), ["openid", write]);
    assert_eq!(
        asked(&[write], None, &["openid", read]),
        ["openid", write, read]
    );
    assert_eq!(asked(&[write], Some(&[read]), &[]), ["openid", read]);
    assert_eq!(
        asked(&[write], Some(&[read]), &["openid", write]),
        ["openid", read, write]
    );
    // A connection from before short names were rejected.
    assert_eq!(
        asked(&["notes", "email", "x"], None, &[])[1..],
        [write, "https://scopes.test/user.email", "x"]
    );
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
    assert_eq!(
        (asked.connection_name.as_str(), asked.identifier.as_str()),
        ("demo", "ada")
    );
    assert_eq!(asked.scopes, ["openid", read, people, write]);
    // A scope that is requested anyway is enough.
    assert_eq!(request(&scoped(), READ).scopes, ["openid", read, people]);
    assert_eq!(
        request(&product(Permissions::Capabilities), WRITE).scopes,
        [""; 0]
    );
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
    assert!(
        error.violation_list()[0]
            .message
            .contains("people restricts what notes allows"),
        "{error}"
    );
    // A connection that already has both can keep them.
    let both = texts(&[WIDE, NARROW]);
    assert_eq!(
        read_changed(&product, &both, Some(&both), "permissions").unwrap(),
        both
    );
    for (given, granted, expected) in [
        (&[NARROW][..], &[][..], &["openid", NARROW][..]),
        (&[NARROW], &[WIDE], &["openid", WIDE]),
        (&[WIDE], &[NARROW], &["openid", WIDE]),
    ] {
        let asked = asked_scopes(
            &product,
            &connection(&[]),
            Some(&texts(given)),
            &texts(granted),
        );
        assert_eq!(asked.unwrap(), texts(expected));
    }
    let identifier = Identifier::new("ada").unwrap();
    let of_narrow = connection(&[NARROW]);
    let request = authorization_request(
        &product,
        &of_narrow,
        &identifier,
        &texts(&["openid", NARROW]),
        &[WIDE],
    );
    assert_eq!(request.scopes, ["openid", WIDE]);
}

#[test]
fn requested_scopes_that_were_not_granted_are_missing() {
    let scopes = |scopes: &[&str]| {
        scopes
            .iter()
            .map(|scope| (*scope).to_owned())
            .collect::<Vec<_>>()
    };
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
    let asked = scopes(&["openid", "a", "b"]);
    for (granted, expected) in [
        (&["a"][..], &["b"][..]),
        (&["b", "a"], &[]),
        (&[], &["a", "b"]),
        (&["openid", "c"], &["a", "b"]),
    ] {
        assert_eq!(
            missing_scopes(&product, &asked, &scopes(granted)),
            scopes(expected),
            "{granted:?}"
        );
    }
    assert!(missing_scopes(&Product::BASE, &asked, &[]).is_empty());
}

#[test]
fn imported_scopes_get_full_names_and_unknown_ones_are_kept() {
    let scopes = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
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
    let given = scopes(&["notes", "openid", "https://scopes.test/notes", "other"]);
    let expected = scopes(&["https://scopes.test/notes", "openid", "other"]);
    assert_eq!(read_granted(&product, &given).unwrap(), expected);
    let error = read_granted(&product, &scopes(&["notes", "", "a b"])).unwrap_err();
    let places: Vec<&str> = error
        .violation_list()
        .iter()
        .map(|one| one.path.as_str())
        .collect();
    assert_eq!(places, ["/scopes/1", "/scopes/2"]);
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
    assert_eq!(
        read(&product, &["people", "write"]).unwrap(),
        [full[1].clone(), full[0].clone()]
    );
    assert_eq!(
        read(&product, &["write", "notes.read", "notes"]).unwrap(),
        full
    );
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
