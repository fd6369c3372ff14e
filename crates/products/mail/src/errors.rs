//! What the product's errors mean, beyond what Google's products share.

use stead_core::{Error, ErrorKind, tool::Response};

use crate::scopes;

/// Reads the error of an answer; `None` where it is none.
pub(crate) fn read_error(answer: &Response) -> Option<Error> {
    let error = stead_google::read_error(answer)?;
    let said = error
        .upstream()
        .and_then(|upstream| upstream.message.clone())
        .unwrap_or_default();
    // The scope `gmail.metadata` takes search and bodies away even where a wider one stands beside it: "Metadata scope
    // does not support 'q' parameter", "Metadata scope doesn't allow format FULL".
    let own = if said.starts_with("Metadata scope") {
        let message = "with the scope gmail.metadata the product gives neither search nor bodies; use gmail.readonly and leave gmail.metadata out";
        Error::new(ErrorKind::ScopeMissing, format!("{message}: {said}"))
            .with_required_scopes([scopes::READONLY])
    } else if said.contains("Mail service not enabled") {
        Error::new(
            ErrorKind::ProductForbidden,
            format!("the product forbids this to the user: {said}"),
        )
    } else {
        return Some(error);
    };
    match error.upstream() {
        Some(upstream) => Some(own.with_upstream(upstream.clone())),
        None => Some(own),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;

    use super::*;

    fn read(status: u16, reason: &str, message: &str) -> Error {
        let body =
            json!({"error": {"code": status, "message": message, "errors": [{"reason": reason}]}});
        read_error(&Response::new(status, HeaderMap::new(), body.to_string())).unwrap()
    }

    #[test]
    fn the_metadata_scope_is_explained() {
        let error = read(
            403,
            "forbidden",
            "Metadata scope does not support 'q' parameter",
        );
        assert_eq!(error.kind(), ErrorKind::ScopeMissing);
        assert_eq!(error.required_scopes(), [scopes::READONLY]);
        assert!(
            error.message().contains("leave gmail.metadata out"),
            "{error}"
        );
        assert_eq!(error.upstream().unwrap().status, 403);
    }

    #[test]
    fn an_account_without_a_mailbox_is_the_users_matter() {
        assert_eq!(
            read(400, "failedPrecondition", "Mail service not enabled").kind(),
            ErrorKind::ProductForbidden
        );
        assert_eq!(
            read(400, "failedPrecondition", "Precondition check failed.").kind(),
            ErrorKind::ProductConflict
        );
    }
}
