//! The whole table of an authorization's states and triggers, and what each transition changes.

use uuid::Uuid;

use super::*;
use crate::testing::account;
use AuthorizationState::{
    Completed, Created, Denied, Expired, Failed, Redirected, Returned, Superseded, Verifying,
};

const NOW: Timestamp = Timestamp::constant(1_767_225_600, 0);
const STATES: [AuthorizationState; 9] = [
    Created, Redirected, Returned, Verifying, Completed, Denied, Expired, Failed, Superseded,
];

/// An authorization with every field set. Its step expires in a second.
fn authorization(state: AuthorizationState) -> Authorization {
    let id = AuthorizationId::from_uuid(Uuid::from_u128(1));
    let end = NOW + SignedDuration::from_secs(1);
    Authorization {
        state,
        oauth_state: Some(Digest::of("state")),
        browser: Some(Digest::of("cookie")),
        verifier: Some(Sealed::from_bytes(vec![1])),
        endpoints: Some(EndpointSnapshot {
            issuer: None,
            authorize: String::from("a"),
            token: String::from("t"),
        }),
        scopes: vec![String::from("notes")],
        verify_url: Some(String::from("https://app.test/back")),
        app_state: Some(String::from("s")),
        pending: Some(PendingCredential {
            generation: 1,
            ..pending()
        }),
        ..new_authorization(id, &account(1, "ada"), Digest::of("link"), NOW, end)
    }
}

#[test]
fn a_link_is_unopened_only_until_it_is_opened() {
    for state in STATES {
        assert_eq!(authorization(state).is_unopened(), state == Created);
    }
}

#[test]
fn the_reason_of_an_end_has_the_products_message() {
    let error = |said: &str| {
        Error::new(ErrorKind::Forbidden, "refused").with_context("product_message", said)
    };
    assert_eq!(
        Why::of("refused", &error("no such user")),
        Why {
            reason: String::from("refused"),
            product_message: Some(String::from("no such user")),
        }
    );
    assert_eq!(Why::of("refused", &error("")), Why::from("refused"));
}

fn kind(result: Result<()>) -> Option<ErrorKind> {
    result.err().map(|error| error.kind())
}

#[test]
fn a_link_can_be_opened_until_the_callback_or_its_expiry() {
    use ErrorKind::{AuthorizationConsumed as Used, AuthorizationExpired as Late};
    let outcomes = [
        (Created, None, Some(Late)),
        (Redirected, None, Some(Late)),
        (Returned, Some(Used), Some(Used)),
        (Verifying, Some(Used), Some(Used)),
        (Completed, Some(Used), Some(Used)),
        (Denied, Some(Used), Some(Used)),
        (Expired, Some(Late), Some(Late)),
        (Failed, Some(Used), Some(Used)),
        (Superseded, Some(Used), Some(Used)),
    ];
    assert_eq!(outcomes.map(|(state, ..)| state), STATES);
    for (state, in_time, at_its_end) in outcomes {
        let row = authorization(state);
        assert_eq!(kind(row.openable(NOW)), in_time, "{state:?}");
        assert_eq!(kind(row.openable(row.expires_at)), at_its_end, "{state:?}");
    }
}

#[test]
fn one_callback_is_taken_and_only_of_a_browser_that_was_sent() {
    for state in STATES {
        let row = authorization(state);
        let late = Some(ErrorKind::AuthorizationExpired);
        let (in_time, at_its_end) = match state {
            Redirected => (None, late),
            Expired => (late, late),
            _ => (
                Some(ErrorKind::AuthorizationConsumed),
                Some(ErrorKind::AuthorizationConsumed),
            ),
        };
        assert_eq!(kind(row.returnable(NOW)), in_time, "{state:?}");
        assert_eq!(
            kind(row.returnable(row.expires_at)),
            at_its_end,
            "{state:?}"
        );
    }
}

fn start() -> Trigger {
    Trigger::Started(Box::new(Start {
        oauth_state: Digest::of("next state"),
        browser: Digest::of("next cookie"),
        endpoints: EndpointSnapshot {
            issuer: None,
            authorize: String::from("b"),
            token: String::from("u"),
        },
        client_epoch: 4,
        verifier: None,
    }))
}

fn pending() -> PendingCredential {
    PendingCredential {
        generation: 2,
        granted_scopes: Vec::new(),
        missing_scopes: Vec::new(),
        subject: None,
        client_epoch: 4,
        token_expires_at: None,
        reauthorize_by: None,
    }
}

/// Every trigger, in the order of the columns of the table.
fn triggers() -> [Trigger; 8] {
    let ended = |end| Trigger::Ended(end, Why::from("why"));
    [
        start(),
        Trigger::Returned,
        Trigger::Exchanged(pending()),
        Trigger::Confirmed,
        ended(End::Denied),
        ended(End::Expired),
        ended(End::Failed),
        ended(End::Superseded),
    ]
}

/// The position of a trigger in [`triggers`]. The tests don't compile until a new trigger has one.
fn place(trigger: &Trigger) -> usize {
    match trigger {
        Trigger::Started(_) => 0,
        Trigger::Returned => 1,
        Trigger::Exchanged(_) => 2,
        Trigger::Confirmed => 3,
        Trigger::Ended(End::Denied, _) => 4,
        Trigger::Ended(End::Expired, _) => 5,
        Trigger::Ended(End::Failed, _) => 6,
        Trigger::Ended(End::Superseded, _) => 7,
    }
}

/// State and event after a trigger, `stays`, or the error.
fn outcome(row: &Authorization, trigger: Trigger, now: Timestamp) -> String {
    match row.on(trigger, now) {
        Ok(None) => String::from("stays"),
        Ok(Some((next, event))) => format!(
            "{:?}: {}",
            next.state,
            event.trim_start_matches("authorization.")
        ),
        Err(error) => error.kind().name().to_owned(),
    }
}

#[test]
fn every_state_knows_every_trigger() {
    let mut table = String::new();
    for state in STATES {
        let row = authorization(state);
        table += &format!("\n{state:?}: in time | past its time\n");
        for (index, trigger) in triggers().into_iter().enumerate() {
            assert_eq!(place(&trigger), index);
            let name = match &trigger {
                Trigger::Ended(end, _) => format!("Ended({end:?})"),
                other => {
                    let text = format!("{other:?}");
                    text.split('(').next().unwrap_or_default().to_owned()
                }
            };
            let (in_time, late) = (
                outcome(&row, trigger.clone(), NOW),
                outcome(&row, trigger, row.expires_at),
            );
            table += &format!("    {name} -> {in_time} | {late}\n");
        }
    }
    insta::assert_snapshot!(table);
}

fn after(row: &Authorization, trigger: Trigger, now: Timestamp) -> Authorization {
    row.on(trigger, now).unwrap().unwrap().0
}

#[test]
fn every_step_has_its_own_time() {
    let minutes = |minutes| NOW + SignedDuration::from_mins(minutes);
    let redirected = after(&authorization(Created), start(), NOW);
    let returned = after(&authorization(Redirected), Trigger::Returned, NOW);
    let verifying = after(&authorization(Returned), Trigger::Exchanged(pending()), NOW);
    assert_eq!(
        [
            redirected.expires_at,
            returned.expires_at,
            verifying.expires_at
        ],
        [minutes(15), minutes(5), minutes(10)]
    );
    let last = Authorization {
        expires_at: Timestamp::MAX,
        ..authorization(Redirected)
    };
    let late = Timestamp::MAX - SignedDuration::from_secs(1);
    assert_eq!(
        after(&last, Trigger::Returned, late).expires_at,
        Timestamp::MAX
    );
}

#[test]
fn opening_a_link_again_does_not_extend_its_expiry() {
    let minutes = |minutes| NOW + SignedDuration::from_mins(minutes);
    let mut row = Authorization {
        opens_until: Some(minutes(20)),
        ..authorization(Created)
    };
    row.expires_at = minutes(20);
    for minute in [5, 12, 19] {
        row = after(&row, start(), minutes(minute));
    }
    let late = row.on(start(), minutes(20)).unwrap_err();
    assert_eq!(late.kind(), ErrorKind::AuthorizationExpired);
    // A user who left for the product just before the expiry can still come back.
    assert_eq!(row.expires_at, minutes(19 + 15));
    assert!(row.returnable(minutes(33)).is_ok());
}

#[test]
fn steps_of_an_authorization_change_only_their_members() {
    let returned = authorization(Returned);
    let exchanged = after(&returned, Trigger::Exchanged(pending()), NOW);
    assert_eq!(
        exchanged,
        Authorization {
            state: Verifying,
            // The code was exchanged, so its verifier isn't needed any more.
            verifier: None,
            pending: Some(pending()),
            expires_at: exchanged.expires_at,
            ..returned
        }
    );
    let from = authorization(Verifying);
    assert_eq!(
        after(&from, Trigger::Confirmed, NOW),
        Authorization {
            state: Completed,
            verifier: None,
            app_state: None,
            pending: None,
            ..from.clone()
        }
    );
    let ended = after(&from, Trigger::Ended(End::Failed, Why::from("why")), NOW);
    assert_eq!(
        ended,
        Authorization {
            state: Failed,
            reason: Some(String::from("why")),
            verifier: None,
            app_state: None,
            pending: None,
            ..from
        }
    );
    let created = authorization(Created);
    let redirected = after(&created, start(), NOW);
    assert_eq!(
        redirected,
        Authorization {
            state: Redirected,
            oauth_state: Some(Digest::of("next state")),
            browser: Some(Digest::of("next cookie")),
            endpoints: redirected.endpoints.clone(),
            client_epoch: 4,
            expires_at: redirected.expires_at,
            ..created
        }
    );
}

#[test]
fn a_link_that_is_opened_again_keeps_its_verifier_unless_it_gets_another() {
    let row = authorization(Redirected);
    let after = |trigger| row.on(trigger, NOW).unwrap().unwrap().0.verifier;
    assert_eq!(after(start()), row.verifier);
    let another = Some(Sealed::from_bytes(vec![2]));
    let Trigger::Started(mut start) = start() else {
        unreachable!("it starts");
    };
    start.verifier.clone_from(&another);
    assert_eq!(after(Trigger::Started(start)), another);
}
