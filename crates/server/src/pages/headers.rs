//! The headers of pages, which restrict what a browser may do with them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use sha2::{Digest as _, Sha256};

/// Headers of every page, and of every redirect that a browser gets.
#[derive(Debug)]
pub(super) struct PageHeaders {
    policy: HeaderValue,
    leaving_policy: HeaderValue,
}

const FIXED: &[(&str, &str)] = &[
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
    (
        "permissions-policy",
        "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()",
    ),
    ("x-robots-tag", "noindex"),
];

impl PageHeaders {
    /// The style sheet's name contains its digest. `scheme` is the public URL's.
    pub(super) fn new(style: &str, scheme: &str) -> Self {
        let style = STANDARD.encode(Sha256::digest(style));
        let policy = |form: &str| {
            let text = format!(
                "default-src 'none'; style-src 'sha256-{style}'; img-src 'self'; form-action {form}; base-uri 'none'; frame-ancestors 'none'"
            );
            HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("default-src 'none'"))
        };
        let leaving = if scheme == "https" {
            "'self' https:"
        } else {
            "'self' https: http:"
        };
        Self {
            policy: policy("'self'"),
            leaving_policy: policy(leaving),
        }
    }

    pub(super) fn write(&self, headers: &mut HeaderMap) {
        for (name, value) in FIXED {
            headers.insert(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        headers.insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
    }

    /// Allows the page's form to lead to other sites. Some browsers (Chromium) apply `form-action` to redirects too.
    /// They would otherwise stop on the way to the product, and again on the way back to the application. The form
    /// itself is in our template and contains no address.
    pub(super) fn allow_leaving(&self, headers: &mut HeaderMap) {
        headers.insert(header::CONTENT_SECURITY_POLICY, self.leaving_policy.clone());
    }
}
