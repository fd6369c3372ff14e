//! Malicious and harmless paths. The numbers are those of `docs/contribute/proxy-vectors.md`.

use super::{
    property::{RULES, check_target, route},
    *,
};

/// Rejected paths with their numbers.
fn refused_paths() -> Vec<(u8, String)> {
    let long = format!("/v1/{}", "a".repeat(8192));
    [
        (1, "https://evil.test/x"),
        (2, "http://127.0.0.1:1/"),
        (3, "//evil.test/x"),
        (4, "///evil.test/x"),
        (5, "/\\evil.test/x"),
        (6, "\\\\evil.test\\x"),
        (7, "/\t/evil.test/x"),
        (8, "@evil.test/x"),
        (9, ":443@evil.test/x"),
        (10, ".evil.test/x"),
        (11, "users/me"),
        (12, ""),
        (13, "?a=b"),
        (14, "#f"),
        (15, "/v1/x#frag"),
        (16, "/../admin"),
        (17, "/v1/../../x"),
        (18, "/v1/%2e%2e/x"),
        (19, "/v1/.%2e/x"),
        (20, "/v1/%2E%2E%2Fx"),
        (21, "/v1/..%2fx"),
        (22, "/v1/..%5cx"),
        (23, "/v1/%252e%252e%252fx"),
        (24, "/v1/..;/x"),
        (25, "/v1/..\\x"),
        (26, "/v1/x%0d%0aHost:%20evil"),
        (27, "/v1/x\r\nHost: evil"),
        (28, "/v1/x%00"),
        (29, "/v1/x\0"),
        (30, "/v1/%zz"),
        (31, "/v1/%"),
        (32, "/v1//x"),
        (33, "/%2f%2fevil.test"),
        (34, "/\u{FF0E}\u{FF0E}/x"),
        (35, "/v1/\u{2025}/x"),
        (36, "/v1/%c0%ae%c0%ae/x"),
        (37, long.as_str()),
        (38, "javascript:alert(1)"),
        (39, "file:///etc/passwd"),
        (40, "/v1/x?access_token=abc"),
        (41, "/v1/x?a=1&key=AIza"),
    ]
    .map(|(number, path)| (number, path.to_owned()))
    .to_vec()
}

#[track_caller]
pub(super) fn check_refused(path: &str) -> String {
    let error = match resolve(&RULES, path) {
        Ok(resolved) => panic!("{path:?} passed as {resolved:?}"),
        Err(error) => error,
    };
    assert_eq!(error.kind(), ErrorKind::PathInvalid, "{path:?}");
    error.message().to_owned()
}

#[track_caller]
pub(super) fn check_passed(path: &str, expected: &str) {
    match resolve(&RULES, path) {
        Ok(resolved) => assert_eq!(resolved.path_and_query, expected, "{path:?}"),
        Err(error) => panic!("{path:?}: {error}"),
    }
    check_target(expected);
}

#[test]
fn v01_to_v41_are_refused_by_their_own_fault() {
    let rule = |number: u8| match number {
        1..=2 | 6 | 8..=14 | 38..=39 => "must start with a slash",
        3..=4 | 32 => "is empty",
        5 | 25 => "backslash",
        7 | 27 | 29 => "control character",
        15 => "'#' at byte 5 of the path must be percent-encoded",
        16 => "the segment at byte 1 is a dot segment",
        17..=19 | 24 => "the segment at byte 4 is a dot segment",
        20..=21 => "escaped slash",
        22 => "escaped backslash",
        23 => "escaped slash",
        26 | 28 => "escaped control character",
        30..=31 => "percent sign at byte 4",
        33 => "no route",
        34..=35 => "must be percent-encoded",
        36 => "aren't UTF-8",
        37 => "8196 bytes",
        40 => "query parameter access_token",
        41 => "query parameter key",
        _ => "no such number",
    };
    let mut numbers = Vec::new();
    for (number, path) in refused_paths() {
        let message = check_refused(&path);
        assert!(message.contains(rule(number)), "V{number:02}: {message}");
        assert!(message.chars().count() <= 300, "V{number:02}: {message}");
        numbers.push(number);
    }
    assert_eq!(numbers, (1..=41).collect::<Vec<u8>>());
}

#[test]
fn v42_to_v44_methods_do_not_pass() {
    for text in [
        "CONNECT",
        "TRACE",
        "get",
        "GET\r\nX:1",
        "OPTIONS",
        "TRACK",
        "Get",
        " GET",
        "QUERY",
        "",
    ] {
        assert_eq!(
            method(text).unwrap_err().kind(),
            ErrorKind::MethodNotAllowed,
            "{text:?}"
        );
    }
    for text in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
        assert_eq!(method(text).unwrap().as_str(), text);
    }
}

#[test]
fn variants_of_the_vectors_are_refused() {
    for path in [
        "/",
        "/v1/.",
        "/v1/..",
        "/v1/./x",
        "/v1/.;a=b/x",
        "/v1/..;",
        "/v1/;a/x",
        "/v1/%2e",
        "/v1/%2e%2e%3bx/y",
        "/v1/%2E%2E;x",
        "/v1/.%20./x",
        "/v1/%20..%20/x",
        "/v1/%2525252e%2525252e/x",
        "/v1/a%25252525",
        "/v1/a%252f..%252fb",
        "/v1/x%255cy",
        "/v1/x%250ay",
        "/v1/x%7f",
        "/v1/x%c2%85",
        "/v1/%ff",
        "/v1/%e0%80%ae",
        "/v1/%ed%a0%80",
        "/v1/%EF%BC%8E%EF%BC%8E/x",
        "/v1/%E2%80%A5/x",
        "/v1/a%EF%BC%8F..%EF%BC%8Fb",
        "/v1/%",
        "/v1/%2",
        "/v1/%u002e",
        "/v1/a b",
        "/v1/{id}",
        "/v1/a|b",
        "/v1/a^b",
        "/v1/a\"b",
        "/v1/<b>",
        "/v1/[::1]",
        "/v1/\u{7f}",
        "/v1/\u{202e}",
        "/v1/\u{e9}",
        "/V1/x",
        "/v1x",
        "/v1;x",
        "/v1@evil.test",
        "/v1.evil.test",
        "/%76%31/x",
        "/v1/messages/%73end",
        "/v1/messages/%2573end",
        "/v1/messages/m%31",
        "/batch/mail/v1",
        "/v1/x?a=%",
        "/v1/x?a=%zz",
        "/v1/x?a=b#c",
        "/v1/x?a=b c",
        "/v1/x?a=\u{e9}",
        "/v1/x?a=\r\nb",
        "/v1/x?a=\0",
    ] {
        check_refused(path);
    }
}

#[test]
fn an_encoded_slash_is_data_in_one_place_only() {
    check_passed(
        "/v4/spreadsheets/ID/values/Q1%2FQ2!A1:B2",
        "/v4/spreadsheets/ID/values/Q1%2FQ2!A1:B2",
    );
    check_passed(
        "/v4/spreadsheets/ID/values/'N%2F%2fA'!A1:append?valueInputOption=RAW",
        "/v4/spreadsheets/ID/values/'N%2F%2fA'!A1:append?valueInputOption=RAW",
    );
    for path in [
        "/v4/spreadsheets/I%2FD/values/A1",
        "/v4/spreadsheets/ID/values%2FA1",
        "/v4/spreadsheets/ID/values/A1/b%2Fc",
        "/v4/spreadsheets/ID/Values/Q1%2FQ2",
        "/v4/spreadsheets/ID/%76alues/Q1%2FQ2",
        "/v4/spreadsheets/ID/values/..%2FQ2",
        "/v4/spreadsheets/ID/values/Q1%2F..",
        "/v4/spreadsheets/ID/values/Q1%2F%2e%2FQ2",
        "/v4/spreadsheets/ID/values/Q1%252F..",
        "/v4/spreadsheets/ID/values/Q1%5CQ2",
        "/calendar/v3/values/Q1%2FQ2",
        "/drive/v3/values/Q1%2FQ2",
    ] {
        check_refused(path);
    }
}

#[test]
fn legitimate_paths_are_unchanged() {
    for path in [
        "/calendar/v3/calendars/en.usa%23holiday%40group.v.calendar.example/events",
        "/calendar/v3/users/me/calendarList",
        "/v4/spreadsheets",
        "/v4/spreadsheets?",
        "/v4/spreadsheets/",
        "/v4/spreadsheets/ID:batchUpdate",
        "/v4/spreadsheets/ID/values/My%20Tab!A1:B2",
        "/v4/spreadsheets/ID/values/'My%20Tab'!$A$1:B2,C3",
        "/v4/spreadsheets/ID/values/%E5%A3%B2%E4%B8%8A%EF%BC%8F%E7%B5%8C%E8%B2%BB!A1",
        "/v4/spreadsheets/ID/values/100%25!A1",
        "/v4/spreadsheets/ID/values/...",
        "/drive/v3/files?q=name%3D%27..%2F..%2Fa%27&fields=files(id,name)",
        "/drive/v3/files?q=../../etc/passwd&x=.",
        "/drive/v3/files?q=http://evil.test//..",
        "/drive/v3/files?a[]=1&b={c}|d^e`f\\g",
        "/drive/v3/files?q=a??b/?c",
        "/drive/v3/files?pageToken=~!!~x&monkey=1&keys=2&keyword=key",
        "/drive/v3/files?q=access_token=1,key=2",
        "/drive/v3/files?&&a&=b&c=%00%0d%0a",
        "/drive/v3/files/..hidden/x..y/.well-known",
    ] {
        check_passed(path, path);
    }
}

#[test]
fn a_route_matches_its_prefix_and_everything_below() {
    check_passed("/v1", "/mail/v1");
    check_passed("/v1/users/me/profile", "/mail/v1/users/me/profile");
    check_passed("/v1?a=1", "/mail/v1?a=1");
    check_passed(
        "/v1/people:searchContacts?query=a",
        "/mail/v1/people:searchContacts?query=a",
    );
    check_passed("/v1:verb", "/mail/v1:verb");
    check_passed("/mail/v1/users/me", "/mail/v1/users/me");
    assert_eq!(resolve(&RULES, "/v1").unwrap().route.origin, "main");
}

#[test]
fn rewritten_paths_are_checked() {
    const BARE: ProxyRules = ProxyRules {
        routes: &[route("/api", ""), route("/root", "/")],
        ..ProxyRules::BASE
    };
    assert_eq!(resolve(&BARE, "/api/x").unwrap().path_and_query, "/x");
    assert_eq!(resolve(&BARE, "/root").unwrap().path_and_query, "/");
    for path in ["/api", "/api:x", "/root/x"] {
        assert_eq!(
            resolve(&BARE, path).unwrap_err().kind(),
            ErrorKind::PathInvalid,
            "{path}"
        );
    }
    assert_eq!(
        resolve(&ProxyRules::BASE, "/x").unwrap_err().message(),
        "the product doesn't support raw paths"
    );
}

#[test]
fn a_refused_place_is_found_however_it_is_written() {
    const CLOSED: ProxyRules = ProxyRules {
        routes: &[route("/v1", "/v1"), route("/login", "/v1/oauth")],
        refused: Some("/v1/oauth"),
        ..ProxyRules::BASE
    };
    for path in [
        "/v1/oauth",
        "/v1/oauth/",
        "/v1/oauth/token",
        "/v1/oauth/token?a=b",
        "/v1/oauth?a=b",
        "/v1/OAuth/token",
        "/v1/oauth;a=b/token",
        "/v1/oauth%3Ba/token",
        "/v1/%20oauth%20/token",
        "/login/token",
        "/login",
    ] {
        let error = resolve(&CLOSED, path).expect_err(path);
        assert_eq!(error.kind(), ErrorKind::PathInvalid, "{path}");
        assert!(
            error.message().contains("OAuth endpoints"),
            "{path}: {error}"
        );
    }
    for path in ["/v1/%6fauth/token", "/v1/%256Fauth/token"] {
        let error = resolve(&CLOSED, path).expect_err(path);
        assert!(
            error.message().contains("an escape for 'o'"),
            "{path}: {error}"
        );
    }
    for path in [
        "/v1",
        "/v1/oauths",
        "/v1/users/oauth",
        "/v1/x?a=/v1/oauth/token",
    ] {
        assert!(resolve(&CLOSED, path).is_ok(), "{path}");
    }
}

#[test]
fn a_product_path_maps_back_to_the_callers_path() {
    let back = |path: &str| unresolve(&RULES, "main", path);
    for (path, given) in [
        ("/mail/v1/users/me?a=b", Some("/mail/v1/users/me?a=b")),
        ("/drive/v3", Some("/drive/v3")),
        ("/drive/v3x", None),
        ("/elsewhere", None),
        ("/drive/v3/../x", None),
        ("/drive/v3/x?key=1", None),
    ] {
        assert_eq!(back(path).as_deref(), given, "{path}");
    }
    assert_eq!(unresolve(&RULES, "other", "/drive/v3"), None);
}

#[test]
fn sizes_are_bounded() {
    let fits = format!("/v1/{}", "a".repeat(4096 - "/mail/v1/".len()));
    check_passed(&fits, &format!("/mail{fits}"));
    check_refused(&format!("{fits}a"));
    let query = "a".repeat(16 * 1024);
    check_passed(&format!("/v1?{query}"), &format!("/mail/v1?{query}"));
    check_refused(&format!("/v1?{query}a"));
}

#[test]
fn a_message_repeats_little_and_no_credential() {
    let token = format!("stead_{}", "x".repeat(60));
    let message = check_refused(&format!("/elsewhere/{token}"));
    assert!(!message.contains(&token[..12]), "{message}");
    let message = check_refused(&format!("/{}", "b".repeat(500)));
    assert!(message.matches('b').count() <= 85, "{message}");
    let message = check_refused("/v1/x?access_token=canary");
    assert!(!message.contains("canary"), "{message}");
}
