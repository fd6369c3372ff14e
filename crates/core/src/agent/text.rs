//! Results and errors as texts for models.

use crate::{Error, ErrorKind, tool::Warning};

/// The data, followed by the warnings.
pub(crate) fn data_text(data: &str, warnings: &[Warning]) -> String {
    let mut text = data.to_owned();
    if !warnings.is_empty() {
        text.push_str("\n\nWarnings:");
        for warning in warnings {
            text.push_str("\n- ");
            text.push_str(&warning.message);
        }
    }
    text
}

/// Text that asks a user to connect an account of this product, with the link if there is one.
pub fn authorization_text(error: &Error, title: &str, link: Option<&str>) -> String {
    let sentence = match error.kind() {
        ErrorKind::ScopeMissing => format!("Allow more access to {title} to continue."),
        ErrorKind::ProductRejectedToken => format!("Connect {title} again to continue."),
        _ => format!("Connect {title} to continue."),
    };
    match link {
        Some(link) => format!("{sentence}\n{link}\nThen try again."),
        None => format!("{sentence}\nOnly the user can do that. Then try again."),
    }
}

/// Short text that tells a model what to do about an error of this product's tool.
pub(crate) fn error_text(error: &Error, title: &str, link: Option<&str>) -> String {
    if error.needs_user() && error.authorization_request().is_some() {
        return authorization_text(error, title, link);
    }
    let mut lines = Vec::new();
    match error.violation_list() {
        [] => lines.push(error.message().to_owned()),
        violations => {
            lines.push(String::from(
                "The input isn't valid, so nothing was executed.",
            ));
            lines.extend(violations.iter().map(ToString::to_string));
        }
    }
    if let Some(partial) = error.partial() {
        lines.push(format!("Completed before the failure: {partial}"));
    }
    if error.is_outcome_unknown() {
        lines.push(String::from(
            "The call may have succeeded. Check the result at the product before you try again.",
        ));
    } else if error.retryable() {
        lines.push(match error.retry_after() {
            Some(after) => format!("Try again in {} s.", after.as_secs().max(1)),
            None => String::from("Try again later."),
        });
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::error::{AuthorizationRequest, Violation};

    #[test]
    fn each_violation_has_a_line() {
        let error = Error::violations(vec![
            Violation::new("/a", "type", "expected integer, found string"),
            Violation::new("/b", "required", "\"b\" is required"),
        ]);
        assert_eq!(
            error_text(&error, "Demo", None),
            "The input isn't valid, so nothing was executed.\n/a: expected integer, found string\n/b: \"b\" is required"
        );
    }

    #[test]
    fn an_error_for_the_user_says_what_to_do_with_the_link() {
        let request = AuthorizationRequest::new("mail", "ada", Vec::new());
        let error = Error::new(
            ErrorKind::AuthorizationRequired,
            "the user has not connected",
        )
        .with_authorization_request(request);
        assert_eq!(
            error_text(&error, "Demo", Some("https://stead.test/connect/a")),
            "Connect Demo to continue.\nhttps://stead.test/connect/a\nThen try again."
        );
        assert_eq!(
            error_text(&error, "Demo", None),
            "Connect Demo to continue.\nOnly the user can do that. Then try again."
        );
    }

    #[test]
    fn an_error_says_when_to_try_again() {
        let limited = Error::new(ErrorKind::ProductRateLimited, "too many requests")
            .with_retry_after(Duration::from_secs(30));
        assert_eq!(
            error_text(&limited, "Demo", None),
            "too many requests\nTry again in 30 s."
        );
        let unknown = Error::new(ErrorKind::OutcomeUnknown, "no response arrived");
        assert!(error_text(&unknown, "Demo", None).ends_with("before you try again."));
        let part = Error::new(ErrorKind::ProductNotFound, "no such page")
            .with_partial(json!({ "page_id": "a" }));
        assert_eq!(
            error_text(&part, "Demo", None),
            "no such page\nCompleted before the failure: {\"page_id\":\"a\"}"
        );
    }
}
