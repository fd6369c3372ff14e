//! Checks that a product can read errors from any response.

use http::HeaderMap;
use stead_core::{ErrorKind, tool::Response};

use super::{Faults, Subject};

/// Bodies from a gateway, an old front end or a broken one.
const BODIES: &[&str] = &[
    "",
    "null",
    "{}",
    "[]",
    "[1]",
    "\"text\"",
    "7",
    "<html>502 Bad Gateway</html>",
    "{\"error\":",
    "{\"error\":null}",
    "{\"error\":[]}",
    "{\"error\":\"x\"}",
    "{\"error\":{\"code\":\"x\",\"message\":7,\"errors\":{},\"details\":[null,3,{}],\"status\":[]}}",
    "{\"message\":{\"a\":1},\"code\":null}",
    "[{\"error\":{}}]",
];

/// Every status from 400 up is an error with that status and a fitting kind. No success is an error. Nothing panics.
pub(super) fn errors_become_kinds(subject: &Subject, faults: &mut Faults) {
    for body in BODIES {
        for status in 200..600 {
            let error =
                (subject.product.read_error)(&Response::new(status, HeaderMap::new(), *body));
            let Some(error) = error else {
                if status >= 400 {
                    faults.add(format_args!("{status} with {body:?} is read as no error"));
                }
                continue;
            };
            let mut fault = |text: &str| {
                let kind = error.kind();
                faults.add(format_args!("{status} with {body:?} is {kind}: {text}"));
            };
            if (200..300).contains(&status) && *body == "{}" {
                fault("a success is read as an error");
            }
            if error
                .upstream()
                .is_none_or(|upstream| upstream.status != status)
            {
                fault("the product's status is not kept");
            }
            if error.message().is_empty() || error.kind() == ErrorKind::Internal {
                fault("it says nothing");
            }
            match status {
                401 if error.kind() != ErrorKind::ProductRejectedToken => {
                    fault("a refresh would not be tried")
                }
                429 | 500.. if !error.retryable() => {
                    fault("it can pass by itself, and is not retryable")
                }
                400 | 403..405 if error.retryable() => {
                    fault("it cannot pass by itself, and is retryable")
                }
                404 if error.kind() != ErrorKind::ProductNotFound => {
                    fault("expected product_not_found")
                }
                _ => {}
            }
        }
    }
}
