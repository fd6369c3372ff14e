//! Receivers that fail, don't respond, redirect, are gone or recover.
use crate::resource::{
    ChangeWebhook, DeleteWebhook, ReplayWebhook, ReplayWebhookDelivery, RotateWebhookSecret,
    TestWebhook,
};

use super::*;

#[test]
fn a_receiver_that_fails_and_recovers_gets_everything_in_order_per_account() {
    for trouble in [
        Receiver::Responds(500),
        Receiver::Responds(302),
        Receiver::IsSilent,
        Receiver::IsPrivate,
    ] {
        let stage = Stage::new();
        let made = stage.create("app.example", &["account.*"]);
        let id = made.webhook.id;
        for number in 1..=3 {
            stage.emit(1, number);
        }
        stage.world.advance(Duration::from_secs(3));
        assert_eq!(stage.numbers("app.example"), [1, 2, 3]);
        assert!(
            stage.deliveries(&id).is_empty(),
            "what is taken leaves no row"
        );

        stage.set("app.example", trouble);
        for number in 4..=9 {
            stage.emit(1 + u128::from(number % 3), number);
        }
        stage.world.advance(MINUTE);
        let refused = stage.got("app.example", false);
        assert!(!refused.is_empty(), "{trouble:?}");
        assert!(stage.webhook(&id).failing_since.is_some(), "{trouble:?}");
        let waiting = stage.deliveries(&id);
        assert_eq!(waiting.len(), 6, "{trouble:?}");
        assert!(waiting.iter().all(|one| one.state == "waiting"));
        let said: Vec<_> = waiting
            .iter()
            .filter_map(|one| one.message.as_ref())
            .collect();
        assert!(!said.is_empty() && said.iter().all(|text| !text.contains("0123456789")));

        stage.set("app.example", Receiver::Takes);
        for _ in 0..3 {
            stage.jump(HOUR);
        }
        let taken = stage.got("app.example", true);
        let mut numbers: Vec<u64> = taken.iter().map(Got::number).collect();
        for account in taken.iter().map(Got::account) {
            let of_account = taken.iter().filter(|got| got.account() == account);
            let of_account: Vec<u64> = of_account.map(Got::number).collect();
            assert!(
                of_account.is_sorted(),
                "{trouble:?} {account} {of_account:?}"
            );
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=9).collect::<Vec<_>>(), "{trouble:?}");
        assert!(
            stage
                .deliveries(&id)
                .iter()
                .all(|one| one.state == "delivered")
        );
        assert_eq!(stage.webhook(&id).failing_since, None);
        // Every attempt has the event's ID, but its own time and signature.
        for late in taken.iter().filter(|got| got.number() > 3) {
            assert_eq!(late.signed_with(&made.secret), 1);
            let same = refused.iter().filter(|got| got.id == late.id);
            assert!(same.clone().all(|early| early.timestamp < late.timestamp));
            assert!(
                same.clone()
                    .all(|early| early.signed_with(&made.secret) == 1)
            );
            assert_eq!(late.json()["id"], late.id);
        }
    }
}

#[test]
fn a_stalled_endpoint_does_not_delay_others() {
    let stage = Stage::new();
    stage.create("slow.example", &[]);
    stage.create("quick.example", &[]);
    stage.set("slow.example", Receiver::IsSilent);
    for number in 1..=20 {
        stage.emit(1, number);
    }
    stage.world.advance(Duration::from_secs(3));
    assert_eq!(stage.numbers("quick.example"), (1..=20).collect::<Vec<_>>());
    assert!(stage.numbers("slow.example").is_empty());
}

#[test]
fn a_webhook_gets_only_its_event_types() {
    let stage = Stage::new();
    stage.create("app.example", &["connection.*", "account.suspended"]);
    stage.emit(1, 1);
    let new = NewConnection::new("mail", "demo").client("id", "secret");
    stage.send(new);
    stage.world.advance(Duration::from_secs(3));
    let got = stage.got.lock().unwrap();
    let types: Vec<_> = got.iter().map(|got| got.json()["type"].clone()).collect();
    assert_eq!(types, ["connection.created"]);
    let body = got[0].json();
    assert_eq!(body["data"]["connection_name"], "mail");
    assert!(body["timestamp"].is_string());
    drop(got);
    let unknown = NewWebhook::new("https://app.example/").events(["acount.*"]);
    let error = stage.world.refused(&stage.context, unknown);
    assert_eq!(error.violation_list()[0].path, "/events");
}

#[test]
fn an_endpoint_that_is_gone_or_fails_for_five_days_is_disabled() {
    for (receiver, reason, after) in [
        (Receiver::Responds(410), "gone", Duration::from_secs(10)),
        (Receiver::Responds(503), "failing", 24 * 8 * HOUR),
    ] {
        let stage = Stage::new();
        let id = stage.create("app.example", &["account.*"]).webhook.id;
        stage.set("app.example", receiver);
        stage.emit(1, 1);
        // An event fails each hour.
        let mut passed = Duration::ZERO;
        let mut number = 1;
        while passed < after && stage.webhook(&id).disabled.is_none() {
            stage.jump(HOUR.min(after));
            passed += HOUR.min(after);
            number += 1;
            stage.emit(1 + u128::from(number), number);
        }
        assert_eq!(stage.webhook(&id).disabled.as_deref(), Some(reason));
        assert!(reason == "gone" || passed >= 24 * 5 * HOUR, "{passed:?}");
        let events = stage.events();
        let disabled: Vec<_> = events
            .iter()
            .filter(|(name, _)| name == "webhook.disabled")
            .collect();
        assert_eq!(disabled.len(), 1);
        assert_eq!(disabled[0].1["reason"], reason);
        let before = stage.got("app.example", false).len();
        stage.emit(1, 1_000);
        stage.world.advance(HOUR);
        assert_eq!(
            stage.got("app.example", false).len(),
            before,
            "nothing is sent"
        );

        stage.set("app.example", Receiver::Takes);
        let enable = WebhookChange::default().disabled(false);
        let text = id.to_string();
        assert_eq!(stage.send(ChangeWebhook::new(&text, enable)).disabled, None);
        for _ in 0..3 {
            stage.jump(24 * HOUR);
        }
        assert!(stage.numbers("app.example").contains(&1_000));
    }
}

#[test]
fn both_secrets_sign_for_a_day_after_a_rotation() {
    let stage = Stage::new();
    let made = stage.create("app.example", &["account.*"]);
    let id = made.webhook.id.to_string();
    let rotated = stage.send(RotateWebhookSecret::new(&id));
    assert!(rotated.webhook.previous_secret_until.is_some());
    stage.emit(1, 1);
    stage.world.advance(Duration::from_secs(3));
    stage.jump(25 * HOUR);
    stage.emit(1, 2);
    stage.world.advance(MINUTE);
    let signed: Vec<(usize, usize)> = stage
        .got("app.example", true)
        .iter()
        .map(|got| {
            (
                got.signed_with(&made.secret),
                got.signed_with(&rotated.secret),
            )
        })
        .collect();
    assert_eq!(signed, [(1, 1), (0, 1)]);
}

#[test]
fn events_are_sent_once_more_one_by_one_or_since_a_time() {
    let stage = Stage::new();
    let id = stage.create("app.example", &["account.*"]).webhook.id;
    let text = id.to_string();
    stage.emit(1, 1);
    stage.world.advance(Duration::from_secs(3));
    stage.jump(HOUR);
    let since = stage.context.host.now();
    stage.set("app.example", Receiver::Responds(500));
    stage.emit(1, 2);
    stage.world.advance(Duration::from_secs(3));
    stage.set("app.example", Receiver::Takes);
    let waiting = stage.deliveries(&id).remove(0);
    let event = waiting.event_id.to_string();
    assert_eq!(
        stage
            .send(ReplayWebhookDelivery::new(&text, &event))
            .attempts,
        0
    );
    stage.world.advance(Duration::from_secs(3));
    assert_eq!(stage.numbers("app.example"), [1, 2]);
    let again = WebhookReplay::since(since);
    stage.send(ReplayWebhook::new(&text, again));
    stage.world.advance(Duration::from_secs(3));
    assert_eq!(stage.numbers("app.example"), [1, 2, 2]);

    let tested = stage.send(TestWebhook::new(&text));
    assert_eq!(
        (tested.state.as_str(), tested.status),
        ("delivered", Some(204))
    );
    let tested = tested.event_id.to_string();
    let refused = stage
        .world
        .refused(&stage.context, ReplayWebhookDelivery::new(&text, &tested));
    assert_eq!(refused.kind(), ErrorKind::InvalidRequest);
}

#[test]
fn one_process_delivers_until_another_takes_over() {
    let stage = Stage::new();
    let id = stage.create("app.example", &["account.*"]).webhook.id;
    let _other = stage.process(2);
    for number in 1..=5 {
        stage.emit(1, number);
    }
    stage.world.advance(10 * Duration::from_secs(1));
    assert_eq!(stage.numbers("app.example"), [1, 2, 3, 4, 5]);
    let holder = stage.holder(id);
    let number = if holder == stage.context.host.process.to_string() {
        1
    } else {
        2
    };
    stage.world.freeze(number, true);
    stage.jump(5 * MINUTE);
    stage.world.freeze(number, false);
    stage.emit(1, 6);
    stage.jump(5 * MINUTE);
    assert!(stage.numbers("app.example").contains(&6));
}

#[test]
fn a_webhook_that_is_deleted_leaves_nothing() {
    let stage = Stage::new();
    let id = stage.create("app.example", &[]).webhook.id;
    stage.set("app.example", Receiver::Responds(500));
    stage.emit(1, 1);
    stage.world.advance(MINUTE);
    stage.send(DeleteWebhook::new(id));
    let store = &stage.context.store;
    assert!(stage.world.ok(store.lane(id)).is_none());
    assert!(stage.world.ok(store.deliveries(id, None, 10)).is_empty());
    let before = stage.got.lock().unwrap().len();
    stage.emit(1, 2);
    stage.jump(HOUR);
    assert_eq!(stage.got.lock().unwrap().len(), before);
}

#[test]
fn a_webhook_gets_events_of_its_creators_connections() {
    let stage = Stage::new();
    let connect = |name: &str| {
        let new = NewConnection::new(name, "demo").client("id-1", "secret-1");
        stage.send(new).id
    };
    let (own, other) = (connect("own"), connect("other"));
    let application = Application {
        client_id: String::from("app_1"),
        scopes: Scopes::all(),
        rate_per_minute: None,
        connections: Connections::only([ConnectionName::new("own").unwrap()]),
        policy: None,
    };
    let limited = Caller::Application(Arc::new(application));
    let limited = stage.context.acting_as(limited);
    let new = NewWebhook::new("https://limited.example/hook");
    let made = stage.world.send(&limited, new);
    assert_eq!(made.webhook.connections, Some(vec![String::from("own")]));
    stage.create("all.example", &[]);
    for (number, connection) in [(1, own), (2, other)] {
        let account = AccountId::from_uuid(uuid::Uuid::from_u128(7));
        let event = NewEvent::new("account.refreshed", json!({ "number": number }));
        let exists = Error::new(ErrorKind::Internal, "exists");
        let change = Change::none().event(event.of_account(account, connection));
        let added = stage.context.add("test", change, exists);
        stage.world.ok(added);
    }
    stage.emit(0, 3);
    stage.world.advance(Duration::from_secs(3));
    assert_eq!(stage.numbers("limited.example"), [1]);
    let mut all = stage.numbers("all.example");
    all.sort_unstable();
    assert_eq!(all, [1, 2, 3]);
}
