//! The notice on the page after an action. The address names it by a word of this list and never holds the text itself.
//! That way a link can't put its own text on a page.

use axum::extract::Request;
use url::form_urlencoded;

macro_rules! done {
    ($( $variant:ident = $word:literal, $sentence:literal; )+) => {
        /// An action that was carried out.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Done { $( $variant, )+ }

        impl Done {
            const ALL: &'static [Self] = &[ $( Self::$variant, )+ ];

            /// Its word in the address.
            pub(super) const fn word(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }

            /// The text of the notice.
            pub(super) const fn sentence(self) -> &'static str {
                match self { $( Self::$variant => $sentence, )+ }
            }
        }
    };
}

done! {
    Created = "created", "Created.";
    Changed = "changed", "Changes saved.";
    Deleted = "deleted", "Deleted.";
    ClientReplaced = "client-replaced", "OAuth client changed. Users must reconnect.";
    ConnectionChanged = "connection-changed", "Changes saved.";
    ConnectionDeleted = "connection-deleted", "Connection deleted.";
    ConnectionDisabled = "connection-disabled", "Connection disabled. All its calls are refused.";
    ConnectionEnabled = "connection-enabled", "Connection enabled.";
    ConnectionReady = "connection-ready", "The connection is ready. Test it with your own account before your users connect.";
    SecretReplaced = "secret-replaced", "Client secret replaced. Stead uses the new one from now on.";
    TestAccountDisconnected = "test-account-disconnected", "Test account disconnected.";
    AccountDisconnected = "account-disconnected", "Account disconnected, and its tokens deleted.";
    UserErased = "user-erased", "User erased. Stead removes the rest from older records automatically.";
    AccountRefreshed = "account-refreshed", "Token refreshed.";
    AccountResumed = "account-resumed", "Account resumed. Calls work again.";
    AccountRevoked = "account-revoked", "Account disconnected. Stead also asks the product to revoke the consent.";
    AccountSuspended = "account-suspended", "Account suspended. Stead keeps its tokens.";
    CredentialChanged = "credential-changed", "Credential changed. Existing tokens follow within a second.";
    SecretRevoked = "secret-revoked", "Secret revoked, with all tokens issued with it.";
    CredentialRevoked = "credential-revoked", "Credential revoked, with its secrets and tokens.";
    WebhookChanged = "webhook-changed", "Webhook changed.";
    WebhookPaused = "webhook-paused", "Deliveries paused. Stead keeps the events until you resume.";
    WebhookResumed = "webhook-resumed", "Deliveries resumed, starting with the events since the pause.";
    WebhookTested = "webhook-tested", "Test event sent. The first delivery below shows the response.";
    WebhookReplayed = "webhook-replayed", "Stead sends the events again, in order.";
    DeliveryReplayed = "delivery-replayed", "Stead sends the event again.";
    WebhookDeleted = "webhook-deleted", "Webhook deleted, with its deliveries.";
    KeyAdded = "key-added", "Data key added. You can activate it in a minute.";
    KeyActivated = "key-activated", "Data key activated. It encrypts all new data.";
    KeysReencrypting = "keys-reencrypting", "Re-encryption started. Calls continue to work.";
    KeyRetired = "key-retired", "Data key destroyed.";
    KeysRewrapped = "keys-rewrapped", "All data keys are now wrapped by the first key of the key ring.";
    MemberChanged = "member-changed", "Member changed. Open sessions follow immediately.";
    MemberDisabled = "member-disabled", "Member disabled and signed out everywhere.";
    MemberEnabled = "member-enabled", "Member enabled. They can sign in again.";
    MemberDeleted = "member-deleted", "Member deleted and signed out everywhere.";
    CallApproved = "call-approved", "Call approved. The caller can now repeat it once.";
    CallDenied = "call-denied", "Call denied.";
    CallsDenied = "calls-denied", "All pending calls of this caller denied.";
    PolicySet = "policy-set", "Policy saved. It applies within a second.";
    PolicyDeleted = "policy-deleted", "Policy deleted.";
    RecordAdded = "record-added", "Record added to the sandbox.";
    RecordDeleted = "record-deleted", "Record deleted from the sandbox.";
    FaultPlanned = "fault-planned", "Fault set. The sandbox applies it from now on.";
    SandboxReset = "sandbox-reset", "Sandbox reset. Users must reconnect.";
}

/// The query parameter with the word.
const MEMBER: &str = "done";

/// An address with the word of a notice.
pub(super) fn with_done(path: &str, done: Done) -> String {
    let sign = if path.contains('?') { '&' } else { '?' };
    format!("{path}{sign}{MEMBER}={}", done.word())
}

/// Removes the word from a request's query, so that handlers never see it.
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
    // The handler refuses an unknown word like any other unknown parameter.
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
    fn the_done_parameter_is_a_listed_word_and_the_rest_of_the_query_stays() {
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
