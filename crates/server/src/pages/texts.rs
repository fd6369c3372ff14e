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
pub(super) fn done(
    product: Option<&str>,
    user: Option<&str>,
    confirm: bool,
    missing: &[&str],
) -> Text {
    let without = (!missing.is_empty()).then(|| {
        format!(
            "You left out: {}. What needs that will not work.",
            missing.join("; ")
        )
    });
    let (title, body, advice) = match (confirm, &without) {
        (true, _) => (
            String::from("Almost done"),
            "You have given your consent.",
            Some("Go back to the application that gave you the link; it finishes there."),
        ),
        (false, None) => (connected(product), "You can close this window.", None),
        (false, Some(_)) => (
            connected(product),
            "",
            Some("To allow it too, ask for a new link where you got this one."),
        ),
    };
    let account = user.map(|user| format!("The account is {user}."));
    let body = [account.as_deref(), Some(body), without.as_deref()];
    let body: Vec<&str> = body
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty())
        .collect();
    Text {
        title,
        body: body.join(" "),
        advice,
    }
}

fn connected(product: Option<&str>) -> String {
    product.map_or_else(
        || String::from("Connected"),
        |product| format!("{product} is connected"),
    )
}

/// How long a link works, as people say it: rounded up, so that a link that works is never said to have ended.
pub(super) fn time_left(seconds: i64) -> String {
    let minutes = (seconds.max(0) + 59) / 60;
    match minutes {
        0 | 1 => String::from("one more minute"),
        2..=119 => format!("{minutes} more minutes"),
        _ => format!("{} more hours", minutes / 60),
    }
}

const NEW_LINK: Option<&str> = Some("To try again, ask for a new link where you got this one.");
const TELL: Option<&str> =
    Some("Please tell whoever gave you the link, and mention the support id below.");

/// At an address that is not a page.
pub(super) fn not_for_people(kind: ErrorKind) -> Text {
    let (title, body) = match kind {
        ErrorKind::NotFound => (
            "There is no page here",
            String::from("The address may be incomplete or misspelled."),
        ),
        ErrorKind::Unauthenticated | ErrorKind::MethodNotAllowed => (
            "This address is for applications",
            String::from("It is not a page that a browser can show."),
        ),
        other => ("This did not work", other.summary().to_owned()),
    };
    Text {
        title: title.to_owned(),
        body,
        advice: Some(
            "If you were given a link, open the whole link. The start page lists what there is.",
        ),
    }
}

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
        Kind::HostRejected => (
            "Please open the link itself",
            "This page was reached by an address that is not the service’s own, so we stopped.",
            Some("Open the link as you got it. If you did, please tell whoever gave it to you."),
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
        | Kind::Overloaded
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_said_as_people_say_it() {
        for (seconds, said) in [
            (-1, "one more minute"),
            (60, "one more minute"),
            (61, "2 more minutes"),
            (540, "9 more minutes"),
            (7140, "119 more minutes"),
            (86_400, "24 more hours"),
        ] {
            assert_eq!(time_left(seconds), said);
        }
    }

    #[test]
    fn the_last_page_names_the_account_and_what_was_left_out() {
        let text = done(
            Some("Gmail"),
            Some("ada@example.com"),
            false,
            &["See your mails"],
        );
        assert_eq!(text.title, "Gmail is connected");
        assert_eq!(
            text.body,
            "The account is ada@example.com. You left out: See your mails. What needs that will not work."
        );
        let text = done(Some("Gmail"), None, false, &[]);
        assert_eq!(text.body, "You can close this window.");
    }
}
