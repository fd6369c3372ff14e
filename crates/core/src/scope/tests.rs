//! Scopes: their names, and what they allow.

use super::*;

fn scopes(words: &str) -> Scopes {
    Scopes::parse(words.split_whitespace()).unwrap()
}

#[test]
fn a_written_scope_is_read_back() {
    for name in ScopeName::ALL {
        assert_eq!(name.name().parse::<Scope>().unwrap(), name.scope());
        let of_mail = format!("{name}:mail", name = name.name());
        assert_eq!(
            of_mail.parse::<Scope>().ok(),
            name.has_products().then(|| name.of("mail")),
            "{of_mail}"
        );
    }
    assert_eq!(
        ScopeName::ToolsExecute.of("mail").to_string(),
        "tools:execute:mail"
    );
    for wrong in [
        "",
        "tools",
        "tools:execute:",
        "tools:execute:a b",
        "tools:executed",
        "proxy:read:a:b",
    ] {
        assert!(wrong.parse::<Scope>().is_err(), "{wrong}");
    }
}

#[test]
fn an_unknown_scope_is_refused_with_the_place_and_a_suggestion() {
    let error = Scopes::parse(["accounts:read", "account:manage"]).unwrap_err();
    let [one] = error.violation_list() else {
        panic!("{error}")
    };
    assert_eq!(one.path, "/scopes/1");
    assert!(
        one.message.contains("did you mean accounts:manage"),
        "{one}"
    );
}

#[test]
fn manage_includes_read_and_write_includes_read() {
    let all = scopes("accounts:manage connections:manage proxy:write:mail");
    for name in [
        ScopeName::AccountsRead,
        ScopeName::ConnectionsRead,
        ScopeName::ProxyRead,
    ] {
        assert!(all.opens(name), "{name:?}");
    }
    let read = scopes("accounts:read connections:read proxy:read");
    for name in [
        ScopeName::AccountsManage,
        ScopeName::ConnectionsManage,
        ScopeName::ProxyWrite,
    ] {
        assert!(!read.opens(name), "{name:?}");
    }
}

#[test]
fn a_scope_for_one_product_does_not_cover_another() {
    let mail = scopes("tools:execute:mail proxy:write:mail proxy:read");
    assert!(mail.opens_for(ScopeName::ToolsExecute, "mail"));
    assert!(!mail.opens_for(ScopeName::ToolsExecute, "drive"));
    assert!(mail.opens_for(ScopeName::ProxyRead, "drive"));
    assert!(!mail.opens_for(ScopeName::ProxyWrite, "drive"));
    assert!(mail.opens_for(ScopeName::ProxyWrite, "mail"));
}

#[test]
fn the_intersection_of_scopes_has_what_both_allow() {
    for (one, other, both) in [
        ("tools:execute", "tools:execute:mail", "tools:execute:mail"),
        ("tools:execute:drive", "tools:execute:mail", ""),
        ("proxy:write:mail", "proxy:read", "proxy:read:mail"),
        (
            "accounts:manage events:read",
            "accounts:read audit:read",
            "accounts:read",
        ),
        ("proxy:read proxy:write", "proxy:write", "proxy:write"),
        ("events:read", "", ""),
    ] {
        assert_eq!(
            scopes(one).and(&scopes(other)),
            scopes(both),
            "{one} & {other}"
        );
        assert_eq!(
            scopes(other).and(&scopes(one)),
            scopes(both),
            "{other} & {one}"
        );
        assert_eq!(scopes(one).lacks(&scopes(both)), None);
    }
    assert_eq!(Scopes::all().lacks(&Scopes::usual()), None);
    assert!(Scopes::usual().lacks(&Scopes::all()).is_some());
    let lacking = scopes("tools:execute:mail");
    assert_eq!(
        lacking.lacks(&scopes("tools:execute")),
        Some(&ScopeName::ToolsExecute.scope())
    );
}

#[test]
fn scopes_of_a_newer_version_are_ignored() {
    let read: Scopes = serde_json::from_str(r#"["events:read","time:travel"]"#).unwrap();
    assert_eq!(read, scopes("events:read"));
    assert_eq!(serde_json::to_string(&read).unwrap(), r#"["events:read"]"#);
    #[cfg(feature = "platform")]
    assert_eq!(Scopes::known(["events:read", "time:travel"]), read);
}
