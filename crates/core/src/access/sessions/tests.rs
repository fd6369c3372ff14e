//! Sign-ins of members, and how long their sessions last.

use std::time::Duration;

use data_encoding::BASE32_NOPAD;
use secrecy::ExposeSecret as _;

use super::*;
use crate::{
    Result,
    access::members::{self, begin_setup, set_up},
    context::Context,
    domain::one_time_code,
    maintenance,
    resource::{ChangeMember, MemberChange, MemberReset, ResetMember},
    testing::{STABLE, World, always, context},
};

const EMAIL: &str = "ada@example.com";
const PASSWORD: &str = "a long pass phrase";

fn secret(text: &str) -> SecretString {
    SecretString::from(text)
}

fn kind<T>(result: Result<T>) -> ErrorKind {
    result.err().expect("an error").kind()
}

/// A context with one owner, who is signed in.
fn owned(world: &World) -> (Context, String) {
    let context = context(world, &STABLE, always(200, ""));
    let link = world.ok(begin_setup(&context)).unwrap();
    let (_, token) = link.expose_secret().split_once("token=").unwrap();
    let made = set_up(&context, token, (EMAIL, "Ada"), secret(PASSWORD));
    let started = world.ok(made);
    (context, started.id.expose_secret().to_owned())
}

fn by(password: &str, code: &str) -> StepUp {
    StepUp::new(secret(password), code)
}

fn attempt(world: &World, context: &Context, email: &str, password: &str) -> Result<String> {
    let given = SignIn::new(email, secret(password), "192.0.2.1");
    let started = world.run(sign_in(context, given))?;
    Ok(started.id.expose_secret().to_owned())
}

#[test]
fn a_member_signs_in_is_known_and_signs_out() {
    let world = World::new();
    let (context, _) = owned(&world);
    let id = attempt(&world, &context, " Ada@Example.com ", PASSWORD).unwrap();
    let signed_in = world.ok(authenticate(&context, &id));
    assert_eq!(signed_in.member.email, EMAIL);
    assert_eq!(signed_in.caller.kind(), "member");
    assert!(signed_in.stepped_up && !signed_in.csrf_token.contains(&id));
    let again = world.ok(authenticate(&context, &id));
    assert_eq!(again.csrf_token, signed_in.csrf_token);
    let other = attempt(&world, &context, EMAIL, PASSWORD).unwrap();
    let other = world.ok(authenticate(&context, &other));
    assert_ne!(other.csrf_token, signed_in.csrf_token);
    world.ok(sign_out(&context, &id));
    let gone = world.run(authenticate(&context, &id));
    assert_eq!(kind(gone), ErrorKind::Unauthenticated);
    // Signing out twice isn't an error.
    world.ok(sign_out(&context, &id));
}

#[test]
fn a_stored_session_row_is_not_a_session_id() {
    let world = World::new();
    let (context, id) = owned(&world);
    let digest = crate::digest::Digest::of(&id);
    let stored = world.ok(context.store.session(&digest)).unwrap();
    assert!(!serde_json::to_string(&stored.row).unwrap().contains(&id));
    let refused = world.run(authenticate(&context, stored.row.id.as_str()));
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
}

#[test]
fn all_failed_sign_ins_have_the_same_message() {
    let world = World::new();
    let (context, _) = owned(&world);
    let refused = |email, password| attempt(&world, &context, email, password).unwrap_err();
    let wrong = refused(EMAIL, "another long pass phrase");
    assert_eq!(wrong.kind(), ErrorKind::Unauthenticated);
    let bob = "bob@example.com";
    for (email, password) in [(bob, PASSWORD), ("no address", ""), (EMAIL, "")] {
        assert_eq!(refused(email, password).message(), wrong.message());
    }
}

#[test]
fn a_session_ends_when_idle_and_after_twelve_hours() {
    let world = World::new();
    let (context, id) = owned(&world);
    let known = || world.run(authenticate(&context, &id));
    world.advance(Duration::from_secs(30 * 60 - 1));
    known().unwrap();
    // Checking a session doesn't count as using it.
    world.advance(Duration::from_secs(30 * 60 - 1));
    world.ok(check(&context, &id));
    world.advance(Duration::from_secs(1));
    assert_eq!(kind(known()), ErrorKind::Unauthenticated);
    let checked = world.run(check(&context, &id));
    assert_eq!(kind(checked), ErrorKind::Unauthenticated);

    let id = attempt(&world, &context, EMAIL, PASSWORD).unwrap();
    let known = || world.run(authenticate(&context, &id));
    for _ in 0..47 {
        world.advance(Duration::from_secs(15 * 60));
        known().unwrap();
    }
    world.advance(Duration::from_secs(15 * 60));
    assert_eq!(kind(known()), ErrorKind::Unauthenticated);
    world.advance(Duration::from_secs(1));
    world.ok(maintenance::run(&context));
    let digest = crate::digest::Digest::of(&id);
    assert!(world.ok(context.store.session(&digest)).is_none());
}

#[test]
fn a_step_up_holds_for_ten_minutes() {
    let world = World::new();
    let (context, id) = owned(&world);
    let stepped_up = || world.ok(authenticate(&context, &id)).stepped_up;
    world.advance(Duration::from_secs(600));
    assert!(!stepped_up());
    let wrong = step_up(&context, &id, by("wrong pass phrase", ""));
    assert_eq!(kind(world.run(wrong)), ErrorKind::Unauthenticated);
    assert!(!stepped_up());
    let right = step_up(&context, &id, by(PASSWORD, ""));
    world.ok(right);
    assert!(stepped_up());
}

#[test]
fn attempts_are_limited_per_account_and_source_and_per_source() {
    let world = World::new();
    let (context, _) = owned(&world);
    let from = |email: &str, source: &str| {
        let given = SignIn::new(email, secret("wrong pass phrase"), source);
        kind(world.run(sign_in(&context, given)))
    };
    for _ in 0..10 {
        assert_eq!(from(EMAIL, "192.0.2.1"), ErrorKind::Unauthenticated);
    }
    // The correct password is refused too. Accepting it would reveal that it's correct.
    let error = attempt(&world, &context, EMAIL, PASSWORD).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RateLimited);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(15 * 60)));
    for number in 0..30 {
        let email = format!("{number}@example.com");
        assert_eq!(from(&email, "198.51.100.1"), ErrorKind::Unauthenticated);
    }
    let limited = from("x@example.com", "198.51.100.1");
    assert_eq!(limited, ErrorKind::RateLimited);
    world.advance(Duration::from_secs(15 * 60));
    attempt(&world, &context, EMAIL, PASSWORD).unwrap();
}

#[test]
fn attempts_from_everywhere_make_the_pauses_longer_up_to_a_minute() {
    let world = World::new();
    let (context, _) = owned(&world);
    let number = std::cell::Cell::new(0);
    let from_another = |password: &str| {
        number.set(number.get() + 1);
        let source = format!("192.0.2.{}", number.get());
        let given = SignIn::new(EMAIL, secret(password), source);
        world.run(sign_in(&context, given))
    };
    for _ in 0..10 {
        let refused = from_another("wrong pass phrase");
        assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    }
    for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
        let pause = Duration::from_secs(seconds);
        let error = from_another(PASSWORD).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::RateLimited);
        assert_eq!(error.retry_after(), Some(pause));
        world.advance(pause);
        let refused = from_another("wrong pass phrase");
        assert_eq!(kind(refused), ErrorKind::Unauthenticated, "after {pause:?}");
    }
    world.advance(Duration::from_secs(60));
    from_another(PASSWORD).unwrap();
}

#[test]
fn code_attempts_are_limited_across_sign_ins() {
    let world = World::new();
    let (context, id) = owned(&world);
    let enrolled = world.ok(members::enrol(&context, &id));
    let bytes = BASE32_NOPAD.decode(enrolled.secret.expose_secret().as_bytes());
    let right = one_time_code::present(&bytes.unwrap(), context.host.now());
    world.ok(members::confirm(&context, &id, &right));
    let mut kinds = Vec::new();
    for number in 0..12 {
        let source = format!("192.0.2.{number}");
        let given = SignIn::new(EMAIL, secret(PASSWORD), source.as_str());
        let started = world.ok(sign_in(&context, given));
        let waiting = started.id.expose_secret();
        let guess = confirm(&context, waiting, "000000", &source, None);
        kinds.push(kind(world.run(guess)));
    }
    assert_eq!(kinds[..10], [ErrorKind::Unauthenticated; 10]);
    assert_eq!(kinds[10..], [ErrorKind::RateLimited; 2]);
}

#[test]
fn a_session_with_a_second_factor_needs_a_code_that_works_once() {
    let world = World::new();
    let (context, id) = owned(&world);
    let enrolled = world.ok(members::enrol(&context, &id));
    let bytes = BASE32_NOPAD.decode(enrolled.secret.expose_secret().as_bytes());
    let bytes = bytes.unwrap();
    let uri = enrolled.uri.expose_secret();
    assert!(uri.starts_with("otpauth://totp/Stead:ada%40example%2Ecom?"));
    let code = || one_time_code::present(&bytes, context.host.now());
    // A second factor that isn't confirmed yet isn't required.
    let plain = attempt(&world, &context, EMAIL, PASSWORD).unwrap();
    world.ok(authenticate(&context, &plain));
    let wrong = members::confirm(&context, &id, "000000");
    assert_eq!(kind(world.run(wrong)), ErrorKind::InvalidRequest);
    let first = code();
    world.ok(members::confirm(&context, &id, &first));

    let given = SignIn::new(EMAIL, secret(PASSWORD), "here");
    let started = world.ok(sign_in(&context, given));
    assert!(started.awaits_code);
    let waiting = started.id.expose_secret();
    let refused = world.run(authenticate(&context, waiting));
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    let used = world.run(confirm(&context, waiting, &first, "here", None));
    assert_eq!(kind(used), ErrorKind::Unauthenticated);
    world.advance(Duration::from_secs(30));
    let next = code();
    let opened = world.ok(confirm(&context, waiting, &next, "here", None));
    assert!(!opened.awaits_code);
    assert_ne!(opened.id.expose_secret(), waiting);
    world.ok(authenticate(&context, opened.id.expose_secret()));
    let again = world.run(confirm(&context, waiting, &next, "here", None));
    assert_eq!(kind(again), ErrorKind::Unauthenticated);

    // Removing it requires a recent password.
    world.advance(Duration::from_secs(601));
    let refused = world.run(members::remove(&context, opened.id.expose_secret()));
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    let id = opened.id.expose_secret();
    let up = |password, code: &str| world.run(step_up(&context, id, by(password, code)));
    for (password, code) in [
        (PASSWORD, ""),
        (PASSWORD, "000000"),
        // This code was already used to sign in.
        (PASSWORD, next.as_str()),
        ("wrong pass phrase", code().as_str()),
    ] {
        let refused = kind(up(password, code));
        assert_eq!(refused, ErrorKind::Unauthenticated, "{password} {code}");
        assert!(!world.ok(authenticate(&context, id)).stepped_up);
    }
    let right = code();
    up(PASSWORD, &right).unwrap();
    assert!(world.ok(authenticate(&context, id)).stepped_up);
    assert_eq!(kind(up(PASSWORD, &right)), ErrorKind::Unauthenticated);
    world.ok(members::remove(&context, opened.id.expose_secret()));
    let plain = attempt(&world, &context, EMAIL, PASSWORD).unwrap();
    world.ok(authenticate(&context, &plain));
}

#[test]
fn a_change_of_a_member_applies_to_open_sessions_immediately() {
    let world = World::new();
    let (context, id) = owned(&world);
    let member = world.ok(authenticate(&context, &id)).member;
    let member_id = member.member_id.to_string();
    let machine = world.ok(open_on_this_machine(&context));
    let viewer = MemberChange::default().role(crate::state::Role::Viewer);
    world.send(&context, ChangeMember::new(&member_id, viewer));
    let caller = world.ok(authenticate(&context, &id)).caller;
    caller.check(crate::scope::ScopeName::AccountsRead).unwrap();
    let manage = crate::scope::ScopeName::AccountsManage;
    caller.check(manage).unwrap_err();
    let reset = ResetMember::new(&member_id, MemberReset::default());
    world.send(&context, reset);
    let refused = world.run(authenticate(&context, &id));
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    // Other sessions stay open.
    let you = world.ok(authenticate(&context, machine.id.expose_secret()));
    assert_eq!((you.member.name.as_str(), you.stepped_up), ("You", true));
    let again = world.ok(open_on_this_machine(&context));
    let again = world.ok(authenticate(&context, again.id.expose_secret()));
    assert_eq!(again.member.member_id, you.member.member_id);
}

#[test]
fn nothing_of_a_session_is_printed() {
    let world = World::new();
    let (context, id) = owned(&world);
    let signed_in = world.ok(authenticate(&context, &id));
    assert!(!format!("{signed_in:?}").contains(&signed_in.csrf_token));
    let given = SignIn::new(EMAIL, secret(PASSWORD), "here");
    assert!(!format!("{given:?}").contains(PASSWORD));
    let started = world.ok(sign_in(&context, given));
    assert!(!format!("{started:?}").contains(started.id.expose_secret()));
}
