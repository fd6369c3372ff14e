//! What was done, said on the page to which an action leads. The address names it by a word of this list, and never holds
//! the text itself.

use axum::extract::Request;
use url::form_urlencoded;

macro_rules! done {
    ($( $variant:ident = $word:literal, $sentence:literal; )+) => {
        /// An action that was carried out.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Done { $( $variant, )+ }

        impl Done {
            const ALL: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// The word in the address.
            pub(super) const fn word(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }

            /// What the page says.
            pub(super) const fn sentence(self) -> &'static str {
                match self { $( Self::$variant => $sentence, )+ }
            }
        }
    };
}

done! {
    ClientReplaced = "client-replaced", "The OAuth client is replaced. Its users have to connect again.";
    ConnectionChanged = "connection-changed", "The changes are saved.";
    ConnectionDeleted = "connection-deleted", "The connection is deleted.";
    ConnectionDisabled = "connection-disabled", "The connection is switched off. No calls are made with it.";
    ConnectionEnabled = "connection-enabled", "The connection is switched on again.";
    ConnectionReady = "connection-ready", "The connection is ready. Test it with an account of your own before your users do.";
    SecretReplaced = "secret-replaced", "The client secret is replaced. It is used from now on.";
    TestAccountDisconnected = "test-account-disconnected", "The test account is disconnected.";
    AccountDisconnected = "account-disconnected", "The account was disconnected. Its tokens are destroyed.";
    UserErased = "user-erased", "The user was erased. What is left in older records is removed by itself.";
    AccountRefreshed = "account-refreshed", "The account has a new access token.";
    AccountResumed = "account-resumed", "The account can be used again.";
    AccountRevoked = "account-revoked", "The account was disconnected, and the product is asked to end the grant.";
    AccountSuspended = "account-suspended", "The account is paused. Its credential is kept.";
    CredentialChanged = "credential-changed", "The credential was changed. Its tokens follow within a second.";
    SecretRevoked = "secret-revoked", "The secret was revoked, with the tokens made with it.";
    CredentialRevoked = "credential-revoked", "The credential was revoked, with its secrets and tokens.";
    WebhookChanged = "webhook-changed", "The webhook was changed.";
    WebhookPaused = "webhook-paused", "Deliveries are paused. Events are kept for it meanwhile.";
    WebhookResumed = "webhook-resumed", "Deliveries go on, with the events that came meanwhile.";
    WebhookTested = "webhook-tested", "A test event was sent. The first line of the deliveries says what came back.";
    WebhookReplayed = "webhook-replayed", "The events are sent once more, in their order.";
    DeliveryReplayed = "delivery-replayed", "The event is sent once more.";
    WebhookDeleted = "webhook-deleted", "The webhook was deleted, with its deliveries.";
    KeyAdded = "key-added", "A data key was added. It can be activated in a minute.";
    KeyActivated = "key-activated", "The data key seals everything that is stored from now on.";
    KeysReencrypting = "keys-reencrypting", "Everything is being sealed again. Calls go on meanwhile.";
    KeyRetired = "key-retired", "The data key was destroyed.";
    KeysRewrapped = "keys-rewrapped", "Every data key is wrapped by the first key of the ring.";
    MemberChanged = "member-changed", "The member was changed, at once in every open session.";
    MemberDisabled = "member-disabled", "The member is kept out. Open sessions have ended.";
    MemberEnabled = "member-enabled", "The member may sign in again.";
    MemberDeleted = "member-deleted", "The member was deleted. Open sessions have ended.";
    CallApproved = "call-approved", "The call may be made once, when its caller makes it again.";
    CallDenied = "call-denied", "The call may not be made.";
    CallsDenied = "calls-denied", "None of the caller’s calls that waited may be made.";
    PolicySet = "policy-set", "The policy is set. It acts within a second.";
    PolicyDeleted = "policy-deleted", "The policy is deleted.";
    RecordAdded = "record-added", "It is in the sandbox.";
    RecordDeleted = "record-deleted", "It is gone from the sandbox.";
    FaultPlanned = "fault-planned", "The sandbox does that now.";
    SandboxReset = "sandbox-reset", "The sandbox is as at the beginning. Users have to connect again.";
}

/// The member of the query that names what was done.
const MEMBER: &str = "done";

/// An address with what was done.
pub(super) fn with_done(path: &str, done: Done) -> String {
    let sign = if path.contains('?') { '&' } else { '?' };
    format!("{path}{sign}{MEMBER}={}", done.word())
}

/// Takes what was done out of a request's query, so that no handler meets it.
pub(super) fn take(request: &mut Request) -> Option<Done> {
    let query = request.uri().query()?.to_owned();
    let mut done = None;
    let mut rest = form_urlencoded::Serializer::new(String::new());
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if name == MEMBER {
            done = Done::ALL
                .iter()
                .copied()
                .find(|known| known.word() == value);
        } else {
            rest.append_pair(&name, &value);
        }
    }
    // A word that is not known is left for the handler, which refuses it as any other member.
    let path = request.uri().path();
    let uri = match rest.finish() {
        rest if rest.is_empty() => path.to_owned(),
        rest => format!("{path}?{rest}"),
    };
    if done.is_some()
        && let Ok(uri) = uri.parse()
    {
        *request.uri_mut() = uri;
    }
    done
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    #[test]
    fn what_was_done_is_one_of_the_list_and_the_rest_of_the_query_stays() {
        for (given, expected, left) in [
            ("/a?done=key-added", Some(Done::KeyAdded), "/a"),
            (
                "/a?b=%26c&done=key-added",
                Some(Done::KeyAdded),
                "/a?b=%26c",
            ),
            ("/a?done=%3Cb%3E", None, "/a?done=%3Cb%3E"),
            ("/a?b=c", None, "/a?b=c"),
            ("/a", None, "/a"),
        ] {
            let mut request = Request::get(given).body(Body::empty()).unwrap();
            assert_eq!(take(&mut request), expected, "{given}");
            assert_eq!(request.uri().to_string(), left);
        }
        assert_eq!(with_done("/a", Done::KeyAdded), "/a?done=key-added");
        assert_eq!(with_done("/a?b=c", Done::KeyAdded), "/a?b=c&done=key-added");
    }

    #[test]
    fn every_word_is_used_once() {
        for (index, one) in Done::ALL.iter().enumerate() {
            let plain = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(one.word().chars().all(plain) && one.sentence().ends_with('.'));
            let twice = Done::ALL[..index]
                .iter()
                .any(|other| other.word() == one.word());
            assert!(!twice, "{}", one.word());
        }
    }
}
