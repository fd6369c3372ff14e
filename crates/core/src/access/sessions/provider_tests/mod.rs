//! Sign-in through a provider, end to end, against a provider of these tests.

mod combinations;
mod scene;
use std::{collections::BTreeMap, time::Duration};

use secrecy::ExposeSecret as _;
use serde_json::json;

use self::scene::{Back, ISSUER, Scene, allowing_bob};
use super::*;
use crate::{
    Result,
    access::members::begin_setup,
    context::SignInProvider,
    resource::{ChangeMember, MemberChange, MemberReset, ResetMember},
    state::{Role, SignInMethod},
    testing::{STABLE, World, always},
};

#[test]
fn an_allowed_user_becomes_the_same_member_at_every_sign_in() {
    let scene = Scene::owned(allowing_bob);
    let started = scene.begin(None).unwrap();
    assert!(!format!("{started:?}").contains("state"));
    let back = scene.at_provider(&started);
    let asked = |name: &str| back.parameters.get(name).map(String::as_str);
    for (name, value) in [
        ("response_type", Some("code")),
        ("client_id", Some("stead")),
        ("scope", Some("openid email profile")),
        ("code_challenge_method", Some("S256")),
        (
            "redirect_uri",
            Some("https://stead.test/dashboard/sign-in/callback"),
        ),
        ("prompt", None),
        ("max_age", None),
    ] {
        assert_eq!(asked(name), value, "{name}");
    }
    let sealed = back.cookie.as_ref().unwrap().expose_secret();
    for secret in ["state", "nonce"] {
        assert!(!sealed.contains(&back.parameters[secret]), "{secret}");
    }
    let finished = scene.finish(&back, None).unwrap();
    assert_eq!(finished.next, "/dashboard/tools");
    let first = scene.signed_in(finished);
    let member = &first.member;
    assert_eq!(member.email, "bob@example.com");
    assert_eq!((member.role, member.name.as_str()), (Role::Viewer, "Bob"));
    assert_eq!(member.sign_in_with, [SignInMethod::Provider]);
    assert!(first.stepped_up && member.last_sign_in_at.is_some());
    // The member has no password to sign in with.
    let guess = SignIn::new("bob@example.com", SecretString::from(""), "");
    let guess = scene.world.run(sign_in(&scene.context, guess));
    assert_eq!(guess.unwrap_err().kind(), ErrorKind::Unauthenticated);
    // The owner changed the role, and the next sign-in keeps it.
    let id = member.member_id.to_string();
    let change_of_role = MemberChange::default().role(Role::Operator);
    scene.send(ChangeMember::new(&id, change_of_role));
    let again = scene.signed_in(scene.sign_in().unwrap());
    assert_eq!(
        (again.member.member_id, again.member.role),
        (member.member_id, Role::Operator)
    );
    let audit = scene.context.store.audit_entries(None, 100);
    let audit = scene.world.ok(audit);
    let of_method = |method: &str| {
        let entries = audit.iter().map(|found| &found.row);
        let signed_in = entries.filter(|entry| entry.action == "member.signed_in");
        signed_in
            .filter(|entry| entry.facts["method"] == method)
            .count()
    };
    assert_eq!((of_method("password"), of_method("provider")), (1, 2));
    // Stead reads the provider's metadata once an hour.
    let read = || scene.provider.lock().unwrap().asked["openid-configuration"];
    assert_eq!(read(), 1);
    scene.world.advance(Duration::from_secs(3600));
    scene.sign_in().unwrap();
    assert_eq!(read(), 2);
}

#[test]
fn a_member_with_a_password_is_linked_to_one_user_of_the_provider_by_email() {
    let allow = |provider: SignInProvider| provider.allowed_emails(["ADA@example.com"]).unwrap();
    let scene = Scene::owned(allow);
    scene.claims(json!({ "email": "Ada@Example.com" }));
    let ada = scene.signed_in(scene.sign_in().unwrap()).member;
    assert_eq!((ada.role, ada.name.as_str()), (Role::Owner, "Ada"));
    let both = [SignInMethod::Password, SignInMethod::Provider];
    assert_eq!(ada.sign_in_with, both);
    // At the provider, the address now belongs to someone else, who isn't Ada.
    scene.assert_kept_out(
        json!({ "email": "ada@example.com", "sub": "u-2" }),
        ErrorKind::SignInRefused,
        "another person",
    );
    // A reset removes the link to the provider's user.
    let id = ada.member_id.to_string();
    let fresh = scene.send(ResetMember::new(&id, MemberReset::default()));
    assert_eq!(fresh.member.sign_in_with, []);
    let again = scene.signed_in(scene.sign_in().unwrap()).member;
    assert_eq!(again.member_id, ada.member_id);
}

#[test]
fn a_callback_works_once_within_ten_minutes_in_the_same_browser() {
    let scene = Scene::owned(allowing_bob);
    let failed = ErrorKind::SignInFailed;
    let begin = || scene.at_provider(&scene.begin(None).unwrap());
    let (mine, other) = (begin(), begin());
    let with = |query: &str, cookie: Option<&SecretString>| Back {
        query: query.to_owned(),
        cookie: cookie.cloned(),
        parameters: BTreeMap::new(),
    };
    let none = with(&mine.query, None);
    scene.assert_refused(scene.finish(&none, None), failed, "didn't start the");
    let forged = SecretString::from("AAAA");
    let forged = with(&mine.query, Some(&forged));
    scene.assert_refused(scene.finish(&forged, None), failed, "didn't start the");
    let of_other = with(&mine.query, other.cookie.as_ref());
    scene.assert_refused(scene.finish(&of_other, None), failed, "another sign-in");
    for query in ["code=x", "code=x&state=y", "code=x&state="] {
        let wrong = with(query, mine.cookie.as_ref());
        scene.assert_refused(scene.finish(&wrong, None), failed, "another sign-in");
    }
    let without_code = format!("state={}", mine.parameters["state"]);
    let without_code = with(&without_code, mine.cookie.as_ref());
    scene.assert_refused(scene.finish(&without_code, None), failed, "without a code");
    let late = begin();
    scene.world.advance(Duration::from_secs(600));
    scene.assert_refused(scene.finish(&late, None), failed, "ten minutes");
    let twice = begin();
    scene.finish(&twice, None).unwrap();
    let replayed = scene.finish(&twice, None).unwrap_err();
    assert_eq!(replayed.kind(), failed, "{replayed}");
    assert!(replayed.message().contains("already used"), "{replayed}");
}

#[test]
fn an_id_token_for_another_sign_in_is_refused() {
    let scene = Scene::owned(allowing_bob);
    let now = || scene.context.host.now().as_second();
    let failed = ErrorKind::SignInProviderFailed;
    for (claims, why) in [
        (json!({ "iss": "https://login.test" }), "different issuer"),
        (json!({ "iss": null }), "different issuer"),
        (json!({ "aud": "other" }), "for a different client"),
        (json!({ "aud": ["other"] }), "for a different client"),
        (json!({ "aud": null }), "for a different client"),
        (
            json!({ "aud": ["stead", "other"] }),
            "to a different client",
        ),
        (
            json!({ "aud": ["stead", "other"], "azp": "other" }),
            "to a different client",
        ),
        (json!({ "azp": "other" }), "to a different client"),
        (json!({ "exp": now() - 60 }), "has expired"),
        (json!({ "exp": null }), "has expired"),
        (json!({ "iat": now() + 661 }), "wasn't issued just now"),
        (json!({ "iat": now() - 661 }), "wasn't issued just now"),
        (json!({ "iat": null }), "wasn't issued just now"),
        (json!({ "sub": "" }), "no sub"),
        (json!({ "sub": 1 }), "no sub"),
        (json!({ "email": null }), "no email address"),
        (json!({ "email": "bob" }), "no email address"),
    ] {
        scene.assert_kept_out(claims, failed, why);
    }
    for nonce in [json!("other"), json!(null)] {
        let claims = json!({ "nonce": nonce });
        scene.assert_kept_out(claims, ErrorKind::SignInFailed, "another sign-in");
    }
    let several =
        json!({ "aud": ["stead", "other"], "azp": "stead", "exp": now() - 20, "iat": now() + 600 });
    scene.claims(several).sign_in().unwrap();
}

#[test]
fn users_are_allowed_by_email_or_claim_or_both() {
    let refused = ErrorKind::SignInRefused;
    let scene = Scene::owned(allowing_bob);
    for verified in [json!(false), json!("false"), json!(null), json!([])] {
        let claims = json!({ "email_verified": verified });
        scene.assert_kept_out(claims, refused, "is verified");
    }
    let other = json!({ "email": "eve@example.com" });
    scene.assert_kept_out(other, refused, "allowed your email address");
    scene
        .claims(json!({ "email_verified": "true" }))
        .sign_in()
        .unwrap();

    let by_group = |provider: SignInProvider| provider.required_claim("groups", "stead").unwrap();
    let scene = Scene::owned(by_group);
    for groups in [
        json!(null),
        json!("steady"),
        json!(["other"]),
        json!([["stead"]]),
        json!({ "stead": 1 }),
    ] {
        scene.assert_kept_out(json!({ "groups": groups }), refused, "the claim groups");
    }
    let unverified = json!({ "groups": "stead", "email_verified": false });
    scene.assert_kept_out(unverified, refused, "is verified");
    // Some providers don't say whether the address is verified. In that case, only the claim decides.
    let silent = json!({ "groups": ["other", "stead"], "email_verified": null });
    scene.claims(silent).sign_in().unwrap();
    let scene = Scene::owned(|provider| provider.required_claim("staff", "true").unwrap());
    scene.claims(json!({ "staff": true })).sign_in().unwrap();

    let scene = Scene::owned(|provider| by_group(allowing_bob(provider)));
    scene.assert_kept_out(json!({}), refused, "the claim groups");
    let eve = json!({ "groups": "stead", "email": "eve@example.com" });
    scene.assert_kept_out(eve, refused, "allowed your email address");
    scene
        .claims(json!({ "groups": "stead" }))
        .sign_in()
        .unwrap();
}

#[test]
fn a_disabled_member_is_refused_and_no_member_precedes_the_first_owner() {
    let scene = Scene::new(allowing_bob);
    let early = scene.sign_in().unwrap_err();
    assert_eq!(early.kind(), ErrorKind::SignInRefused);
    assert!(early.message().contains("no owner yet"), "{early}");
    assert!(scene.world.ok(begin_setup(&scene.context)).is_some());
    scene.owner();
    let bob = scene.signed_in(scene.sign_in().unwrap()).member.member_id;
    let disabled = MemberChange::default().disabled(true);
    scene.send(ChangeMember::new(bob.to_string(), disabled));
    let refused = scene.sign_in().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::SignInRefused);
    assert!(refused.message().contains("disabled"), "{refused}");
    // If members from the provider are owners, the first one creates the first owner.
    let scene = Scene::new(|provider| allowing_bob(provider).role(Role::Owner));
    let first = scene.signed_in(scene.sign_in().unwrap()).member;
    assert_eq!(first.role, Role::Owner);
}

#[test]
fn a_refusal_of_the_provider_is_explained() {
    let scene = Scene::owned(allowing_bob);
    let says = |query: &str, kind: ErrorKind, why: &str| {
        let back = scene.at_provider(&scene.begin(None).unwrap());
        let query = format!("state={}&{query}", back.parameters["state"]);
        let result = scene.finish(&Back { query, ..back }, None);
        scene.assert_refused(result, kind, why);
    };
    let (again, failed) = (ErrorKind::SignInFailed, ErrorKind::SignInProviderFailed);
    says("error=access_denied", again, "cancelled");
    says("error=login_required", again, "in there again");
    let described = "error=invalid_scope&error_description=no%0Asuch";
    says(described, failed, "invalid_scope: no");
    for query in ["code=x", "error=access_denied"] {
        let query = format!("{query}&iss=https://other.test");
        says(&query, again, "different provider");
    }
    let named = format!("error=access_denied&iss={ISSUER}");
    says(&named, again, "cancelled");
    // If a provider always names itself, a response without `iss` is refused.
    scene.provider.lock().unwrap().document =
        json!({ "authorization_response_iss_parameter_supported": true });
    scene.world.advance(Duration::from_secs(3600));
    says("code=x", again, "different provider");
}

#[test]
fn an_unreadable_or_different_provider_stops_the_sign_in() {
    let (other, plain) = ("different issuer", "doesn't start with https");
    for (member, value, why) in [
        ("issuer", json!("https://login.test/other"), other),
        ("issuer", json!("https://login.test/realm/"), other),
        ("token_endpoint", json!("http://login.test/token"), plain),
        ("token_endpoint", json!("http://127.0.0.1/token"), plain),
        (
            "authorization_endpoint",
            json!("javascript:alert(1)"),
            plain,
        ),
        ("token_endpoint", json!(null), "can't be read"),
    ] {
        let scene = Scene::owned(allowing_bob);
        scene.provider.lock().unwrap().document = json!({ member: value });
        let begun = scene.begin(None);
        scene.assert_refused(begun, ErrorKind::SignInProviderFailed, why);
    }
    let scene = Scene::owned(allowing_bob);
    let back = scene.at_provider(&scene.begin(None).unwrap());
    scene.provider.lock().unwrap().is_down = true;
    let failed = ErrorKind::SignInProviderFailed;
    scene.assert_refused(scene.finish(&back, None), failed, "can't be reached");
    scene.world.advance(Duration::from_secs(3600));
    for _ in 0..3 {
        scene.assert_refused(scene.begin(None), failed, "couldn't be fetched");
    }
    // A failure is only cached for a few seconds.
    assert_eq!(
        scene.provider.lock().unwrap().asked["openid-configuration"],
        2
    );
    scene.provider.lock().unwrap().is_down = false;
    scene.world.advance(Duration::from_secs(5));
    scene.sign_in().unwrap();
}

#[test]
fn a_step_up_is_a_fresh_sign_in_of_the_same_member_in_the_same_session() {
    let scene = Scene::owned(allowing_bob);
    let id = |finished: FinishedAtProvider| finished.session.unwrap().id.expose_secret().to_owned();
    let bob = id(scene.sign_in().unwrap());
    let is_stepped_up = || {
        scene
            .world
            .ok(authenticate(&scene.context, &bob))
            .stepped_up
    };
    let again = || scene.at_provider(&scene.begin(Some(&bob)).unwrap());
    assert!(is_stepped_up());
    scene.world.advance(Duration::from_secs(600));
    assert!(!is_stepped_up());
    let asked = again().parameters;
    assert_eq!([&asked["prompt"], &asked["max_age"]], ["login", "0"]);
    let (failed, refused) = (ErrorKind::SignInFailed, ErrorKind::SignInRefused);
    let mine = Some(bob.as_str());
    let other = id(scene.sign_in().unwrap());
    let counts_not = |result: Result<FinishedAtProvider>, kind: ErrorKind, why: &str| {
        let error = result.unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.message().contains(why), "{error}");
        assert!(!is_stepped_up());
    };
    let changed = "this browser's session changed";
    for session in [None, Some(other.as_str())] {
        counts_not(scene.finish(&again(), session), failed, changed);
    }
    // The provider didn't ask the user to sign in again.
    let before = scene.context.host.now().as_second() - 61;
    scene.claims(json!({ "auth_time": before }));
    counts_not(scene.finish(&again(), mine), failed, "didn't ask");
    scene.claims(json!({ "sub": "u-2" }));
    counts_not(scene.finish(&again(), mine), refused, "another person");
    scene.claims(json!({ "auth_time": before + 61 }));
    let finished = scene.finish(&again(), mine).unwrap();
    assert!(finished.session.is_none() && finished.next == "/dashboard/tools");
    assert!(is_stepped_up());
    // A different person came back than the one who started.
    let scene = Scene::owned(|provider| {
        provider
            .allowed_emails(["bob@example.com", "eve@example.com"])
            .unwrap()
    });
    let bob = id(scene.sign_in().unwrap());
    let back = scene.at_provider(&scene.begin(Some(&bob)).unwrap());
    scene.claims(json!({ "email": "eve@example.com", "sub": "u-3" }));
    let error = scene.finish(&back, Some(&bob)).unwrap_err();
    assert_eq!(
        (error.kind(), error.message().contains("a different person")),
        (failed, true),
        "{error}"
    );
}

#[test]
fn attempts_of_one_source_are_limited() {
    let scene = Scene::owned(allowing_bob);
    for _ in 0..30 {
        scene.sign_in().unwrap();
    }
    let limited = scene.sign_in().unwrap_err();
    assert_eq!(limited.kind(), ErrorKind::RateLimited);
    assert!(limited.retry_after().is_some());
    scene.world.advance(Duration::from_secs(15 * 60));
    scene.sign_in().unwrap();
}

#[test]
fn a_provider_without_a_restriction_and_one_without_tls_are_refused() {
    let secret = || SecretString::from("s3cret");
    let refused = |issuer: &str, id: &str, secret: SecretString| {
        SignInProvider::new(issuer, id, secret)
            .unwrap_err()
            .message()
            .to_owned()
    };
    assert!(refused("http://login.test", "stead", secret()).contains("must start with https"));
    assert!(refused("login.test", "stead", secret()).contains("isn't a URL"));
    assert!(refused("https://login.test?a=b", "stead", secret()).contains("a user, query"));
    assert!(refused(ISSUER, "", secret()).contains("client id is empty"));
    assert!(refused(ISSUER, "stead", SecretString::from("")).contains("client secret is empty"));
    let local = SignInProvider::new("http://127.0.0.1:9000", "stead", secret()).unwrap();
    assert!(!format!("{local:?}").contains("s3cret"));
    assert!(local.clone().allowed_emails(["bob"]).is_err());
    assert!(local.clone().required_claim("", "x").is_err());
    assert!(local.clone().name(" ").is_err());
    let world = World::new();
    let opened = world.configured(&world.store(), &STABLE, always(200, ""), |options| {
        options.sign_in_provider = Some(local);
    });
    let error = opened.err().unwrap();
    assert!(
        error.message().contains("at your OpenID Connect provider"),
        "{error}"
    );
}
