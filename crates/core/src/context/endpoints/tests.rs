//! Accepted URLs, and the effects of a product's options.

use super::*;
use crate::{context::EnvironmentOptions, testing::STABLE};

fn refusal(result: Result<impl Sized>) -> String {
    let error = result.err().expect("a refusal");
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    error.message().to_owned()
}

#[test]
fn base_urls_are_plain_http_addresses() {
    for good in [
        "https://a.test",
        "http://a.test:8080/base/",
        "https://[::1]/x",
        "https://a.test/ü",
    ] {
        assert!(base_url(good, "it").is_ok(), "{good}");
    }
    let cases: [(&str, &[&str]); 4] = [
        (
            "it isn't a URL; it must start with https://",
            &["", "a.test", "/path"],
        ),
        ("it isn't a URL", &["https://"]),
        (
            "it must start with https:// or http://",
            &["ftp://a.test", "file:///etc/passwd", "data:text/plain,x"],
        ),
        (
            "it can't have a user, query or fragment",
            &[
                "https://ada@a.test",
                "https://:secret@a.test",
                "https://a.test?x=1",
                "https://a.test?",
                "https://a.test/#",
            ],
        ),
    ];
    for (why, urls) in cases {
        for bad in urls {
            assert_eq!(refusal(base_url(bad, "it")), why, "{bad}");
        }
    }
}

#[test]
fn a_refused_url_is_shown_unless_it_may_hold_a_password() {
    let shown = |text| format!("{:?}", base_url(text, "it").unwrap_err());
    assert!(shown("ftp://a.test").contains("ftp://a.test"));
    for text in [
        "https://ada:CANARY@a.test",
        "CANARY@a.test",
        "ftp://:CANARY@a.test",
    ] {
        assert!(!shown(text).contains("CANARY"), "{text}");
    }
}

#[test]
fn plain_http_is_for_this_machine_only() {
    let loopback = [
        "http://localhost:8080",
        "http://app.localhost",
        "http://127.0.0.1",
        "http://127.8.9.1:1",
        "http://[::1]:80",
    ];
    for text in loopback {
        assert!(is_loopback(&Url::parse(text).unwrap()), "{text}");
        assert!(EnvironmentOptions::new(text).is_ok(), "{text}");
    }
    let elsewhere = [
        "http://a.test",
        "http://10.0.0.1",
        "http://localhost.a.test",
        "http://notlocalhost",
        "http://0.0.0.0",
        "http://[::2]",
    ];
    for text in elsewhere {
        assert!(!is_loopback(&Url::parse(text).unwrap()), "{text}");
        assert!(
            refusal(EnvironmentOptions::new(text)).contains("must start with https"),
            "{text}"
        );
        assert!(
            EnvironmentOptions::new(&text.replacen("http", "https", 1)).is_ok(),
            "{text}"
        );
    }
}

#[test]
fn a_product_takes_its_own_endpoints_or_those_of_the_options() {
    let own = Endpoints::new(&STABLE, None).unwrap();
    assert_eq!(own.origin(""), Some(("https://api.demo.test", "/v1")));
    assert_eq!(
        (own.origin("api"), own.origin("other")),
        (own.origin(""), None)
    );
    assert_eq!(
        (own.token.as_str(), own.revoke(), own.rate_limited),
        (
            "https://login.demo.test/token",
            Some("https://login.demo.test/revoke"),
            true
        )
    );
    let options = ProductOptions {
        origins: BTreeMap::from([(
            String::from("api"),
            String::from("http://127.0.0.1:9/gateway/"),
        )]),
        token_url: Some(String::from("http://127.0.0.1:9/token")),
        issuer: Some(String::from("https://issuer.test")),
        rate_limited: Some(false),
        ..ProductOptions::default()
    };
    let given = Endpoints::new(&STABLE, Some(&options)).unwrap();
    assert_eq!(
        given.origin("api"),
        Some(("http://127.0.0.1:9/gateway", "/v1"))
    );
    let snapshot = given.snapshot();
    assert_eq!(
        (snapshot.token.as_str(), snapshot.issuer.as_deref()),
        ("http://127.0.0.1:9/token", Some("https://issuer.test"))
    );
    assert_eq!(
        (snapshot.authorize, given.rate_limited),
        (own.authorize, false)
    );
}

#[test]
fn options_that_cannot_be_are_refused() {
    let refused = |change: &dyn Fn(&mut ProductOptions), why: &str| {
        let mut options = ProductOptions::default();
        change(&mut options);
        let said = refusal(Endpoints::new(&STABLE, Some(&options)));
        assert!(said.contains(why), "{said}");
    };
    for (name, url, why) in [
        ("files", "https://a.test", "no origin named \"files\""),
        (
            "api",
            "a.test",
            "an origin isn't a URL; it must start with https://",
        ),
    ] {
        let origins = BTreeMap::from([(name.to_owned(), url.to_owned())]);
        refused(&|options| options.origins = origins.clone(), why);
    }
    let url = |text: &str| Some(text.to_owned());
    refused(&|one| one.token_url = url("x"), "the token endpoint");
    refused(
        &|one| one.authorize_url = url("ftp://x"),
        "the authorization endpoint",
    );
    refused(
        &|one| one.revoke_url = url("https://x?y"),
        "the revocation endpoint",
    );
}

#[test]
fn a_target_is_below_its_origin_as_it_is_given() {
    let endpoints = |base: &str| {
        let origins = [(String::from("api"), base.to_owned())].into();
        let options = ProductOptions {
            origins,
            ..ProductOptions::default()
        };
        Endpoints::new(&STABLE, Some(&options)).unwrap()
    };
    for (base, path, expected) in [
        ("https://a.test", "/v1?a=%2f&b", "https://a.test/v1?a=%2f&b"),
        (
            "https://a.test:444/base/",
            "//x;y",
            "https://a.test:444/base//x;y",
        ),
        ("http://[::1]:81", "", "http://[::1]:81/"),
        ("https://a.test/base", "", "https://a.test/base"),
    ] {
        let of = endpoints(base);
        for name in ["api", ""] {
            let target = of.target(name, path).unwrap();
            assert_eq!(target.to_string(), expected);
            let (origin, _) = of.origin(name).unwrap();
            assert_eq!(target, format!("{origin}{path}").parse::<Uri>().unwrap());
        }
    }
    let of = endpoints("https://a.test");
    assert!(of.target("other", "/").is_err());
    assert!(
        of.target("api", &format!("/{}", "x".repeat(70_000)))
            .is_err()
    );
    assert!(of.target("api", "/a b").is_err());
}
