//! What pages say. People who read this did not write the application: no jargon, no blame, and what to do next.

use stead::ErrorKind;

/// The text of a page.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) title: String,
    pub(super) body: String,
    pub(super) advice: Option<&'static str>,
}

/// It went well. Permissions that the user left out are named, since what needs them will not work.
pub(super) fn done(product: Option<&str>, confirm: bool, missing: &[&str]) -> Text {
    let without = (!missing.is_empty()).then(|| {
        format!(
            "You left out: {}. What needs that will not work.",
            missing.join("; ")
        )
    });
    if confirm {
        let consent = String::from("You have given your consent.");
        return Text {
            title: String::from("Almost done"),
            body: without.map_or_else(|| consent.clone(), |without| format!("{consent} {without}")),
            advice: Some("Go back to the application that gave you the link; it finishes there."),
        };
    }
    Text {
        title: product.map_or_else(
            || String::from("Connected"),
            |product| format!("{product} is connected"),
        ),
        advice: without
            .is_some()
            .then_some("To allow it too, ask for a new link where you got this one."),
        body: without.unwrap_or_else(|| String::from("You can close this window.")),
    }
}

const NEW_LINK: Option<&str> = Some("To try again, ask for a new link where you got this one.");
const TELL: Option<&str> =
    Some("Please tell whoever gave you the link, and mention the support id below.");

/// It did not go well.
pub(super) fn failed(kind: ErrorKind) -> Text {
    use ErrorKind as Kind;
    let (title, body, advice) = match kind {
        Kind::AuthorizationNotFound | Kind::NotFound | Kind::InvalidRequest => (
            "We don’t know this link",
            "It may be incomplete: some mail programs break long links in two.",
            Some("Copy the whole link, or ask for a new one where you got it."),
        ),
        Kind::AuthorizationExpired => (
            "This link has expired",
            "Links work for a short time only, to keep you safe.",
            NEW_LINK,
        ),
        Kind::AuthorizationConsumed => (
            "This link has been used",
            "Each link works once, to keep you safe.",
            NEW_LINK,
        ),
        Kind::AuthorizationDenied => (
            "Nothing was connected",
            "You did not give your consent, and that is fine.",
            NEW_LINK,
        ),
        Kind::AuthorizationFailed => (
            "Nothing was connected",
            "The other side did not complete the connection.",
            NEW_LINK,
        ),
        Kind::BrowserMismatch => (
            "This is another browser",
            "The link was first opened in another browser or on another device. To keep you safe, it can only be finished there.",
            Some("Go back to that browser, or ask for a new link where you got this one."),
        ),
        Kind::OriginRejected => (
            "Please open the link itself",
            "This page was sent by another website, so we stopped.",
            Some("Open the link as you got it."),
        ),
        Kind::ProductAccountMismatch => (
            "This is another account",
            "You signed in with another account than the one connected before.",
            Some(
                "Ask for a new link where you got this one, and choose the same account as before.",
            ),
        ),
        Kind::ScopeMissing => (
            "Nothing was connected",
            "A permission that the application needs was left out.",
            NEW_LINK,
        ),
        Kind::ConnectionNotReady
        | Kind::ConnectionCredentialsRejected
        | Kind::ProductNotEnabled
        | Kind::UnknownConnection => (
            "The application is not set up yet",
            "Nothing was connected, and there is nothing that you can do about it.",
            TELL,
        ),
        Kind::StorageUnavailable
        | Kind::ShuttingDown
        | Kind::RateLimited
        | Kind::RefreshUnavailable
        | Kind::ProductUnavailable
        | Kind::ProductTimeout
        | Kind::ProductRateLimited => (
            "Not right now",
            "The service is temporarily unavailable. Nothing was connected.",
            Some("Please try again in a few minutes."),
        ),
        _ => (
            "Something went wrong",
            "Nothing was connected. The fault is on our side.",
            TELL,
        ),
    };
    Text {
        title: String::from(title),
        body: String::from(body),
        advice,
    }
}
