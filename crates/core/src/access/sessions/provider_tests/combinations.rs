//! Checks in addition to the provider's sign-in, and how the client sends its secret.

use std::time::Duration;

use data_encoding::BASE32_NOPAD;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use super::{Scene, allowing_bob, scene::PASSWORD};
use crate::{
    ErrorKind,
    access::{
        members,
        sessions::{SignIn, StepUp, authenticate, confirm, sign_in, step_up},
    },
    domain::one_time_code,
    resource::NewMember,
    state::Role,
};

#[test]
fn a_second_factor_is_asked_for_after_the_provider_too() {
    let scene = Scene::owned(allowing_bob);
    let (world, context) = (&scene.world, &scene.context);
    let first = scene.sign_in().unwrap().session.unwrap().id;
    let enrolled = members::enrol(context, first.expose_secret());
    let enrolled = world.ok(enrolled).secret;
    let bytes = BASE32_NOPAD.decode(enrolled.expose_secret().as_bytes());
    let bytes = bytes.unwrap();
    let code = || one_time_code::present(&bytes, context.host.now());
    let given = code();
    let proved = members::confirm(context, first.expose_secret(), &given);
    world.ok(proved);

    let started = scene.sign_in().unwrap().session.unwrap();
    assert!(started.awaits_code);
    let waiting = started.id.expose_secret();
    let early = world.run(authenticate(context, waiting));
    assert_eq!(early.unwrap_err().kind(), ErrorKind::Unauthenticated);
    world.advance(Duration::from_secs(30));
    let opened = world.ok(confirm(context, waiting, &code(), "", None));
    let opened = world.run(authenticate(context, opened.id.expose_secret()));
    assert!(opened.unwrap().member.second_factor);
    let last = world.ok(context.store.audit_entries(None, 1));
    let entry = &last[0].row;
    assert_eq!(
        (entry.action.as_str(), &entry.facts["method"]),
        ("member.signed_in", &json!("provider"))
    );
}

#[test]
fn a_provider_that_takes_the_secret_in_the_body_only_gets_it_there() {
    let scene = Scene::owned(allowing_bob);
    scene.provider.lock().unwrap().document =
        json!({ "token_endpoint_auth_methods_supported": ["client_secret_post"] });
    scene.sign_in().unwrap();
    assert!(scene.provider.lock().unwrap().had_secret_in_body);
    let scene = Scene::owned(allowing_bob);
    scene.sign_in().unwrap();
    assert!(!scene.provider.lock().unwrap().had_secret_in_body);
}

#[test]
fn a_step_up_with_a_second_factor_needs_the_provider_and_a_code() {
    let scene = Scene::owned(allowing_bob);
    let (world, context) = (&scene.world, &scene.context);
    let bob = scene.sign_in().unwrap().session.unwrap().id;
    let bob = bob.expose_secret();
    let enrolled = world.ok(members::enrol(context, bob));
    let bytes = BASE32_NOPAD.decode(enrolled.secret.expose_secret().as_bytes());
    let bytes = bytes.unwrap();
    let code = || one_time_code::present(&bytes, context.host.now());
    let given = code();
    let proved = members::confirm(context, bob, &given);
    world.ok(proved);
    world.advance(Duration::from_secs(601));
    let state = || {
        let signed_in = world.ok(authenticate(context, bob));
        (signed_in.stepped_up, signed_in.awaits_code)
    };
    let by_code = |code: &str| {
        let given = StepUp::new(SecretString::from(""), code);
        world.run(step_up(context, bob, given))
    };
    assert_eq!(state(), (false, false));
    // The code isn't enough without the password.
    by_code(&code()).unwrap_err();
    let again = || scene.at_provider(&scene.begin(Some(bob)).unwrap());
    let finished = scene.finish(&again(), Some(bob)).unwrap();
    assert!(finished.awaits_code);
    assert_eq!(state(), (false, true));
    by_code("000000").unwrap_err();
    world.advance(Duration::from_secs(5 * 60));
    assert_eq!(state(), (false, false));
    by_code(&code()).unwrap_err();
    scene.finish(&again(), Some(bob)).unwrap();
    by_code(&code()).unwrap();
    assert_eq!(state(), (true, false));
}

#[test]
fn a_provider_as_the_only_method_ends_password_sessions_and_refuses_passwords() {
    let scene = Scene::new(allowing_bob);
    let by_password = scene.owner();
    let invited = NewMember::new("bob@example.com", Role::Owner);
    let invited = scene.world.run(members::create(&scene.context, invited));
    let link = invited.unwrap().link;
    let scene = scene.restarted(|provider| allowing_bob(provider).only());
    let (world, context) = (&scene.world, &scene.context);
    let ended = world.run(authenticate(context, &by_password));
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::Unauthenticated);
    let password = || SecretString::from(PASSWORD);
    let given = SignIn::new("ada@example.com", password(), "here");
    let refused = world.err(sign_in(context, given));
    assert_eq!(refused.kind(), ErrorKind::SignInRefused);
    let (_, token) = link.expose_secret().split_once("token=").unwrap();
    let refused = world.run(members::accept(context, token, None, password()));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::SignInRefused);
    // The invitation is still valid, and the member can accept it through the provider.
    let bob = scene.sign_in().unwrap().session.unwrap().id;
    let bob = bob.expose_secret();
    let signed_in = world.ok(authenticate(context, bob));
    assert_eq!(signed_in.member.role, Role::Owner);
    let given = StepUp::new(password(), "");
    let refused = world.err(step_up(context, bob, given));
    assert_eq!(refused.kind(), ErrorKind::SignInRefused);
    let new = SecretString::from("another long pass phrase");
    let refused = world.run(members::set_password(context, bob, password(), new));
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::SignInRefused);
    // A password can't create the first owner either.
    let empty = Scene::new(|provider| allowing_bob(provider).only());
    let link = empty.world.run(members::begin_setup(&empty.context));
    assert!(link.unwrap().is_none());
}
