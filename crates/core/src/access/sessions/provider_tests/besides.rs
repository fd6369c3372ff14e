//! What is asked for besides the provider's word, and how the client shows its secret.

use std::time::Duration;

use data_encoding::BASE32_NOPAD;
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::{Scene, allowing_bob};
use crate::{
    ErrorKind,
    access::{
        members,
        sessions::{authenticate, confirm},
    },
    domain::one_time_code,
};

#[test]
fn a_second_factor_is_asked_for_after_the_provider_too() {
    let scene = Scene::owned(allowing_bob);
    let (world, context) = (&scene.world, &scene.context);
    let first = scene.sign_in().unwrap().session.unwrap().id;
    let enrolled = members::enrol(context, first.expose_secret());
    let enrolled = world.run(enrolled).unwrap().secret;
    let bytes = BASE32_NOPAD.decode(enrolled.expose_secret().as_bytes());
    let bytes = bytes.unwrap();
    let code = || one_time_code::present(&bytes, context.now());
    let given = code();
    let proved = members::confirm(context, first.expose_secret(), &given, "");
    world.run(proved).unwrap();

    let started = scene.sign_in().unwrap().session.unwrap();
    assert!(started.awaits_code);
    let waiting = started.id.expose_secret();
    let early = world.run(authenticate(context, waiting));
    assert_eq!(early.unwrap_err().kind(), ErrorKind::Unauthenticated);
    world.advance(Duration::from_secs(30));
    let opened = world.run(confirm(context, waiting, &code(), "")).unwrap();
    let opened = world.run(authenticate(context, opened.id.expose_secret()));
    assert!(opened.unwrap().member.second_factor);
    let last = world.run(context.store.audit_entries(None, 1)).unwrap();
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
