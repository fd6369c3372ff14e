//! How people become members, and how members change.

use std::time::Duration;

use futures_util::future::join;

use super::*;
use crate::{
    access::sessions::{SignIn, authenticate, sign_in},
    api::Paging,
    caller::Caller,
    resource::{
        ChangeMember, DeleteMember, ListMembers, MemberChange, MemberReset, NewMember, ReadMember,
        ResetMember,
    },
    state::{MemberState, Role},
    testing::{Flaky, STABLE, World, always, context},
};

const PASSWORD: &str = "a long pass phrase";

fn secret(text: &str) -> SecretString {
    SecretString::from(text)
}

fn kind<T>(result: Result<T>) -> ErrorKind {
    result.err().expect("an error").kind()
}

/// The token of a link.
fn token(link: &SecretString) -> &str {
    link.expose_secret().split_once("token=").unwrap().1
}

fn first_owner(world: &World, context: &Context) -> String {
    let link = world.ok(begin_setup(context)).unwrap();
    let who = ("ada@example.com", "Ada");
    let made = set_up(context, token(&link), who, secret(PASSWORD));
    let started = world.ok(made);
    let signed_in = world.run(authenticate(context, started.id.expose_secret()));
    signed_in.unwrap().member.member_id.to_string()
}

#[test]
fn the_first_owner_is_made_once_by_the_last_link_within_15_minutes() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let link = || world.ok(begin_setup(&context));
    let make = |token: &str, password| {
        let who = ("ada@example.com", "Ada");
        world.run(set_up(&context, token, who, secret(password)))
    };
    let first = link().unwrap();
    let first = token(&first);
    let second = link().unwrap();
    assert!(
        second
            .expose_secret()
            .starts_with("https://stead.test/dashboard/setup?token=")
    );
    let second = token(&second);
    assert_eq!(kind(make(first, PASSWORD)), ErrorKind::NotFound);
    assert_eq!(kind(make(second, "too short")), ErrorKind::InvalidRequest);
    world.advance(Duration::from_secs(15 * 60));
    assert_eq!(kind(make(second, PASSWORD)), ErrorKind::NotFound);
    let third = link().unwrap();
    let third = token(&third);
    make(third, PASSWORD).unwrap();
    assert_eq!(kind(make(third, PASSWORD)), ErrorKind::NotFound);
    // There is no setup link if there is a member, and earlier links don't work any more.
    assert!(link().is_none());
    context.note_setup(Digest::of("stead_setup_before"));
    assert!(!world.ok(is_setup(&context, "stead_setup_before")));
}

#[test]
fn an_invitation_is_accepted_once_and_within_a_day() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    first_owner(&world, &context);
    let new = || NewMember::new("Bob@example.com", Role::Operator);
    let invited = world.send(&context, new());
    assert_eq!(invited.member.status, MemberState::Invited);
    assert_eq!(
        world.refused(&context, new()).kind(),
        ErrorKind::AlreadyExists
    );
    let accept = |token: &str, password| {
        world.run(accept(
            &context,
            token,
            Some(String::from("Bob")),
            secret(password),
        ))
    };
    let lost = token(&invited.link);
    world.advance(Duration::from_secs(24 * 3600));
    assert_eq!(kind(accept(lost, PASSWORD)), ErrorKind::NotFound);
    let id = invited.member.member_id.to_string();
    let again = world.send(&context, ResetMember::new(&id, MemberReset::default()));
    let link = token(&again.link);
    assert_eq!(world.ok(of_link(&context, link)).email, "bob@example.com");
    assert_eq!(kind(accept(link, "too short")), ErrorKind::InvalidRequest);
    accept(link, PASSWORD).unwrap();
    assert_eq!(kind(accept(link, PASSWORD)), ErrorKind::NotFound);
    let member = world.send(&context, ReadMember::new(&id));
    assert_eq!(
        (member.name.as_str(), member.status),
        ("Bob", MemberState::Active)
    );
    assert_eq!(member.link_expires_at, None);
}

#[test]
fn a_reset_ends_the_password_and_the_sessions_and_its_link_sets_another() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let id = first_owner(&world, &context);
    let enter = |password| {
        let given = SignIn::new("ada@example.com", secret(password), "here");
        world.run(sign_in(&context, given))
    };
    let before = enter(PASSWORD).unwrap();
    let issued = world.send(&context, ResetMember::new(&id, MemberReset::default()));
    let refused = world.run(authenticate(&context, before.id.expose_secret()));
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    assert_eq!(kind(enter(PASSWORD)), ErrorKind::Unauthenticated);
    let other = secret("another long pass phrase");
    world.ok(accept(&context, token(&issued.link), None, other));
    enter("another long pass phrase").unwrap();
    assert_eq!(world.send(&context, ReadMember::new(&id)).name, "Ada");
}

#[test]
fn another_password_ends_all_sessions_but_the_new_one() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    first_owner(&world, &context);
    let given = || SignIn::new("ada@example.com", secret(PASSWORD), "here");
    let [one, two] = [(); 2].map(|()| world.ok(sign_in(&context, given())));
    let set = |session: &SecretString, present| {
        let new = secret("another long pass phrase");
        let id = session.expose_secret().to_owned();
        world.run(set_password(&context, &id, secret(present), new))
    };
    assert_eq!(
        kind(set(&one.id, "wrong pass phrase")),
        ErrorKind::InvalidRequest
    );
    let new = set(&one.id, PASSWORD).unwrap();
    for ended in [&one.id, &two.id] {
        let refused = world.run(authenticate(&context, ended.expose_secret()));
        assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    }
    world.ok(authenticate(&context, new.id.expose_secret()));
}

#[test]
fn the_last_active_owner_stays() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let ada = first_owner(&world, &context);
    // An owner who was only invited doesn't count.
    let invited = world.send(&context, NewMember::new("bob@example.com", Role::Owner));
    let bob = invited.member.member_id.to_string();
    let changes = [
        MemberChange::default().role(Role::Operator),
        MemberChange::default().disabled(true),
    ];
    for refused in changes.clone() {
        let refused = world.run(change(&context, ChangeMember::new(&ada, refused)));
        assert_eq!(kind(refused), ErrorKind::InvalidTransition);
    }
    assert_eq!(
        world.refused(&context, DeleteMember::new(&ada)).kind(),
        ErrorKind::InvalidTransition
    );
    let accepted = accept(&context, token(&invited.link), None, secret(PASSWORD));
    world.ok(accepted);
    for done in changes {
        world.send(&context, ChangeMember::new(&ada, done));
    }
    assert_eq!(
        world.refused(&context, DeleteMember::new(&bob)).kind(),
        ErrorKind::InvalidTransition
    );
    world.send(&context, DeleteMember::new(&ada));
    assert_eq!(
        world.refused(&context, ReadMember::new(&ada)).kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn two_owners_cannot_remove_each_other_concurrently() {
    let world = World::new();
    let rows = world.store();
    // Both read that there is another owner before either commits.
    let store = Flaky::over(rows, true);
    let [here, there] = [0, 1].map(|process| world.open(process, &STABLE, always(200, ""), &store));
    let ada = first_owner(&world, &here);
    let invited = world.send(&here, NewMember::new("bob@example.com", Role::Owner));
    let bob = invited.member.member_id.to_string();
    world.ok(accept(&here, token(&invited.link), None, secret(PASSWORD)));
    let both = join(
        delete(&there, DeleteMember::new(&bob)),
        delete(&here, DeleteMember::new(&ada)),
    );
    let (one, other) = world.run(both);
    let refused = match (one, other) {
        (Ok(()), refused) | (refused, Ok(())) => refused,
        (one, _) => one,
    };
    assert_eq!(kind(refused), ErrorKind::InvalidTransition);
    let left = world
        .send(&here, ListMembers::new().page(Paging::new(None, 10)))
        .items;
    assert_eq!(left.len(), 1);
}

#[test]
fn a_disabled_member_has_no_session_and_no_link() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    first_owner(&world, &context);
    let invited = world.send(&context, NewMember::new("bob@example.com", Role::Viewer));
    let bob = invited.member.member_id.to_string();
    let disabled = |disabled| {
        change(
            &context,
            ChangeMember::new(&bob, MemberChange::default().disabled(disabled)),
        )
    };
    world.ok(disabled(true));
    let refused = accept(&context, token(&invited.link), None, secret(PASSWORD));
    assert_eq!(kind(world.run(refused)), ErrorKind::NotFound);
    let refused = world.run(reset(
        &context,
        ResetMember::new(&bob, MemberReset::default()),
    ));
    assert_eq!(kind(refused), ErrorKind::InvalidTransition);
    world.ok(disabled(false));
    let issued = world.send(&context, ResetMember::new(&bob, MemberReset::default()));
    let started = accept(&context, token(&issued.link), None, secret(PASSWORD));
    let session = world.ok(started).id;
    world.ok(disabled(true));
    let refused = world.run(authenticate(&context, session.expose_secret()));
    assert_eq!(kind(refused), ErrorKind::Unauthenticated);
    let given = SignIn::new("bob@example.com", secret(PASSWORD), "here");
    assert_eq!(
        kind(world.run(sign_in(&context, given))),
        ErrorKind::Unauthenticated
    );
}

#[test]
fn changes_of_members_are_in_the_audit_log_and_the_feed() {
    let world = World::new();
    let context = context(&world, &STABLE, always(200, ""));
    let ada = first_owner(&world, &context);
    let acting = context.acting_as(Caller::member(ada.parse().unwrap(), Role::Owner));
    world.send(&acting, NewMember::new("bob@example.com", Role::Viewer));
    let entries = world.ok(context.store.audit_entries(None, 10));
    let mut entries: Vec<_> = entries.into_iter().map(|found| found.row).collect();
    entries.sort_by_key(|entry| entry.number);
    let done: Vec<&str> = entries.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(
        done,
        ["member.created", "member.signed_in", "member.invited"]
    );
    for entry in &entries {
        assert_eq!(entry.actor.kind, "member");
        assert_eq!(entry.actor.id.as_deref(), Some(ada.as_str()));
    }
    let text = serde_json::to_string(&entries).unwrap();
    assert!(!text.contains("example.com"), "{text}");
}
