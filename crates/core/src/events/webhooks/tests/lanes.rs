//! Delivery queues: their order after a replay, which process has them, and which failures count as the endpoint's.
use crate::resource::{ReplayWebhook, TestWebhook};

use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn replayed_events_keep_the_order_of_an_account() {
    let stage = Stage::new();
    let id = stage.create("app.example", &["account.*"]).webhook.id;
    let start = stage.context.host.now();
    // More events than one read of the feed returns.
    for number in 1..=60 {
        stage.emit(1, number);
    }
    stage.world.advance(3 * SECOND);
    stage.set("app.example", Receiver::Responds(500));
    stage.emit(1, 61);
    stage.world.advance(2 * SECOND);
    assert_eq!(stage.deliveries(&id).len(), 1);

    stage.set("app.example", Receiver::Takes);
    stage.set_on(HOUR);
    let again = WebhookReplay::since(start);
    let text = id.to_string();
    stage.send(ReplayWebhook::new(&text, again));
    stage.world.advance(10 * SECOND);
    let sent = stage.numbers("app.example");
    assert_eq!(sent[60..], (1..=61).collect::<Vec<_>>());
}

#[test]
fn an_endpoint_is_disabled_only_after_another_failure() {
    let stage = Stage::new();
    let id = stage.create("app.example", &["account.*"]).webhook.id;
    stage.set("app.example", Receiver::Responds(503));
    stage.emit(1, 1);
    for _ in 0..110 {
        stage.jump(HOUR);
    }
    assert_eq!(stage.deliveries(&id)[0].state, "failed");
    stage.jump(24 * HOUR);
    stage.set("app.example", Receiver::Takes);
    // This event's type isn't sent to the webhook.
    let new = NewConnection::new("mail", "demo").client("id", "secret");
    stage.send(new);
    stage.world.advance(3 * SECOND);
    assert_eq!(stage.webhook(&id).disabled, None);
    stage.emit(1, 2);
    stage.world.advance(3 * SECOND);
    assert_eq!(stage.numbers("app.example"), [2]);
}

#[test]
fn the_pause_after_silence_begins_at_its_end() {
    let stage = Stage::new();
    stage.create("app.example", &["account.*"]);
    stage.set("app.example", Receiver::IsSilent);
    stage.emit(1, 1);
    stage.world.advance(MINUTE);
    let attempts = stage.got("app.example", false);
    let [first, second, ..] = &attempts[..] else {
        panic!("{attempts:?}");
    };
    let pause = second.timestamp - first.timestamp;
    assert!((20..=23).contains(&pause), "{pause}");
}

#[test]
fn the_beginning_of_a_long_response_is_kept() {
    let stage = Stage::new();
    let id = stage.create("app.example", &[]).webhook.id;
    stage.set("app.example", Receiver::IsWordy);
    let text = id.to_string();
    let tested = stage.send(TestWebhook::new(&text));
    let message = tested.message.unwrap_or_default();
    assert!(message.starts_with("out of order order"), "{message}");
    assert!(message.chars().count() <= 200, "{message}");
}

#[test]
fn an_attempt_that_this_process_cut_off_does_not_count() {
    let stage = Stage::new();
    let id = stage.create("app.example", &["account.*"]).webhook.id;
    stage.set("app.example", Receiver::IsSilent);
    stage.emit(1, 1);
    stage.world.advance(2 * SECOND);
    assert_eq!(stage.got("app.example", false).len(), 1);
    stage.context.host.tasks.close();
    stage.context.host.tasks.cut();
    stage.world.advance(2 * SECOND);
    let waiting = stage.deliveries(&id).remove(0);
    assert_eq!((waiting.state.as_str(), waiting.attempts), ("waiting", 0));
    assert_eq!(stage.webhook(&id).failing_since, None);

    // The next process continues immediately.
    stage.kill(1);
    stage.set("app.example", Receiver::Takes);
    let _next = stage.process(2);
    stage.world.advance(8 * SECOND);
    assert_eq!(stage.numbers("app.example"), [1]);
}

#[test]
fn a_lane_is_free_immediately_after_its_process_stops() {
    let stage = Stage::new();
    let id = stage.create("app.example", &["account.*"]).webhook.id;
    stage.emit(1, 1);
    stage.world.advance(3 * SECOND);
    assert_eq!(stage.holder(id), stage.context.host.process.to_string());
    let other = stage.process(2);
    // The other process can't tell that the first one has ended, because its folder is on another machine.
    stage.context.host.tasks.close();
    stage.world.run(give_back(&stage.context));
    stage.emit(1, 2);
    stage.world.advance(3 * SECOND);
    assert_eq!(stage.numbers("app.example"), [1, 2]);
    assert_eq!(stage.holder(id), other.host.process.to_string());
}

#[test]
fn a_lane_of_a_dead_process_is_taken_over_immediately() {
    let stage = Stage::new();
    let id = stage.create("app.example", &["account.*"]).webhook.id;
    let _other = stage.process(2);
    stage.emit(1, 1);
    stage.world.advance(3 * SECOND);
    let holder = stage.holder(id);
    let is_first = holder == stage.context.host.process.to_string();
    stage.kill(if is_first { 1 } else { 2 });
    stage.emit(1, 2);
    stage.world.advance(3 * SECOND);
    assert_eq!(stage.numbers("app.example"), [1, 2]);
    assert_ne!(stage.holder(id), holder);
}

#[test]
fn a_process_with_a_fast_clock_does_not_take_over_a_lane() {
    let stage = Stage::new();
    let id = stage.create("app.example", &["account.*"]).webhook.id;
    stage.emit(1, 1);
    stage.world.advance(3 * SECOND);
    let holder = stage.holder(id);
    let ahead = Clock {
        ahead: jiff::SignedDuration::from_hours(1),
        drift: 0,
    };
    stage.world.set_clock(2, ahead);
    let other = stage.process(2);
    stage.set("app.example", Receiver::IsSilent);
    stage.emit(1, 2);
    stage.world.advance(SECOND);
    other.store.feed.committed();
    stage.world.advance(10 * SECOND);
    assert_eq!(stage.holder(id), holder);
    assert_eq!(stage.got("app.example", false).len(), 1);
}
