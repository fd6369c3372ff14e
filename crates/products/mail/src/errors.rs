//! The Gmail API's errors that Google's products don't share.

use stead_core::{Error, ErrorKind, tool::Response};

use crate::scopes;

/// Reads the error in a response; `None` if there isn't one.
pub(crate) fn read_error(response: &Response) -> Option<Error> {
    let error = stead_google::read_error(response)?;
    let said = error.upstream()?.message.clone().unwrap_or_default();
    // The scope `gmail.metadata` disables search and bodies, even if a wider scope is granted too: "Metadata scope does not
    // support 'q' parameter", "Metadata scope doesn't allow format FULL".
    Some(if said.starts_with("Metadata scope") {
        let message = "the scope gmail.metadata allows neither search nor bodies; request gmail.readonly without gmail.metadata";
        error
            .reclassify(ErrorKind::ScopeMissing, format!("{message}: {said}"))
            .with_required_scopes([scopes::READONLY])
    } else if said.contains("Mail service not enabled") {
        let message = format!("the product doesn't allow the user to do this: {said}");
        error.reclassify(ErrorKind::ProductForbidden, message)
    } else {
        error
    })
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
            error.message().contains("without gmail.metadata"),
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
