//! Which raw requests an application's scopes allow.

use http::Method;

use super::{
    stream_raw,
    tests::{batch, exchange, over_http},
};
use crate::{ErrorKind, caller::Caller, ports::Body, scope::Scopes, testing::response};

/// The missing scope, and the number of requests that were sent.
fn missing(scopes: &[&str], request: http::Request<Body>) -> (Option<String>, usize) {
    let scopes = Scopes::parse(scopes.iter().copied()).unwrap();
    let caller = Caller::limited_application("app", scopes, None);
    let outcome = exchange(
        async |context| stream_raw(&context.acting_as(caller), "demo", "ada", request).await,
        || response(200, "{}"),
    );
    let missing = outcome.result.err().map(|error| {
        assert_eq!(error.kind(), ErrorKind::InsufficientScope, "{error}");
        error.required_scopes().join(" ")
    });
    (missing, outcome.seen.len())
}

#[test]
fn a_request_needs_the_scope_of_its_effect_for_its_product() {
    let get = || over_http(Method::GET, "/v1/notes/1", &[], "");
    let put = || over_http(Method::PUT, "/v1/notes/1", &[], "");
    let sent = (None, 1);
    let lacks = |scope: &str| (Some(scope.to_owned()), 0);
    assert_eq!(missing(&["proxy:read:demo"], get()), sent);
    assert_eq!(missing(&["proxy:write"], get()), sent);
    assert_eq!(
        missing(&["proxy:read:other"], get()),
        lacks("proxy:read:demo")
    );
    assert_eq!(missing(&["tools:execute"], get()), lacks("proxy:read:demo"));
    assert_eq!(missing(&["proxy:write:demo"], put()), sent);
    assert_eq!(missing(&["proxy:read"], put()), lacks("proxy:write:demo"));
    let other = ["proxy:read", "proxy:write:other"];
    assert_eq!(missing(&other, put()), lacks("proxy:write:demo"));
}

#[test]
fn each_part_of_a_batch_needs_its_own_scope() {
    let reads = || batch(&["GET /v1/notes/1", "GET /v1/notes/2"]);
    let writes = || batch(&["GET /v1/notes/1", "POST /v1/notes"]);
    assert_eq!(missing(&["proxy:read"], reads()), (None, 1));
    let lacking = (Some(String::from("proxy:write:demo")), 0);
    assert_eq!(missing(&["proxy:read"], writes()), lacking);
    assert_eq!(missing(&["proxy:write"], writes()), (None, 1));
}
